// Everything that a test file declares under `platform` exists when the test starts.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { preparePlatform } from '../../../src/app/testing/platform-state.ts';
import { PipelineTest } from '../../../src/compile/test-file/test-file.ts';
import { SandboxRun } from '../../engine/_sandbox-run.ts';

let at: SandboxRun;
beforeAll(async () => {
  at = await SandboxRun.start();
});
afterAll(() => at.stop());

it("the platform contains a test's own templates, with ids, views and shots, and the categories of models", async () => {
  const { platform } = PipelineTest.parse({
    name: 'x',
    expect: {},
    platform: {
      templates: [
        'Shop Plain',
        {
          name: 'Shop Shoes',
          id: 'shoes-1',
          views: ['Front', { name: 'Back', id: 'b-7' }],
          shots: ['Turn'],
        },
      ],
      models: [{ name: 'boot', category: 'Shoes' }, { name: 'lamp' }],
    },
  });
  await preparePlatform(platform, {
    client: at.client,
    origin: at.sandbox.origin,
    maker: { createModel: async (name) => Buffer.from(name) },
    advanceTime: async (ms) => at.pass(ms / 1_000),
  });
  const { templates } = await at.client.listTemplates({ query: { public: false } });
  expect(templates.map(({ name }) => name)).toEqual(['Shop Plain', 'Shop Shoes']);
  const shoes = await at.client.getTemplate({ params: { templateId: 'shoes-1' } });
  expect(shoes).toMatchObject({
    bookmarks: [
      { id: 'Front', name: 'Front' },
      { id: 'b-7', name: 'Back' },
    ],
    shots: [{ id: 'Turn', name: 'Turn', seconds: 1 }],
  });
  const { models } = await at.client.listModels({ query: {} });
  expect(models.map(({ name, category }) => [name, category])).toEqual([
    ['lamp', ''],
    ['boot', 'Shoes'],
  ]);
});
