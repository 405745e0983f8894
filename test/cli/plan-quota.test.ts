// `renderline plan` compares the work with what the plan of the workspace still allows.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import type { RunningSandbox } from '../../src/sandbox/interface.ts';
import { folderWith } from './_folder.ts';
import { run } from './_run-cli.ts';

let sandbox: RunningSandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ seed: 1, pictureScale: 0, rateLimit: 0, speed: 1000 });
});
afterEach(() => sandbox.stop());

const pipeline = `name: trial
connectors: { in: { type: local, path: in } }
records: in
nodes:
  - { id: take, type: connector_poll, config: { connector: in, stableFor: 0s } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: set, type: project_created, parentIds: [ready] }
`;

test.each([
  ['nothing', { models: 2, projects: 2 }, []],
  [
    'the models that do not fit',
    { models: 1 },
    ['creates 2 models, but the plan of the workspace has room for 1.'],
  ],
  [
    'the projects that do not fit',
    { projects: 0 },
    ['creates 2 projects, but the plan of the workspace has room for 0.'],
  ],
])('a plan of two models notes %s if the workspace allows %j', async (_what, limits, notes) => {
  const body = JSON.stringify(limits);
  await fetch(new URL('/_sandbox/limits', sandbox.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const models = { 'in/a.glb': triangleGlb(['seat']), 'in/b.glb': triangleGlb(['seat']) };
  const cwd = folderWith({ 'a.yaml': pipeline, ...models });
  const env = { RENDERLINE_BASE_URL: sandbox.url, RENDERLINE_API_KEY: sandbox.apiKey };
  const ran = await run(['plan', 'a.yaml'], { cwd, env });
  expect(ran.code).toBe(0);
  expect(ran.stderr.match(/creates .*?\./g) ?? []).toEqual(notes);
});
