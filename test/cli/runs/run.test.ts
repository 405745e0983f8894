// What the options of `run` permit.
import { expect, test, vi } from 'vitest';
import { previewStart } from '../../../src/app/runs/start-pipeline.ts';
import { run } from '../_run-cli.ts';

vi.mock(import('../../../src/app/runs/start-pipeline.ts'), async (load) => ({
  ...(await load()),
  previewStart: vi.fn<typeof previewStart>().mockRejectedValue(new Error('only the options count')),
}));

test.each([
  ['--yes', undefined],
  ['--rerender-lost', true],
])('after %s, may lost pictures be rendered again: %s', async (flag, mayRerender) => {
  await run(['run', 'catalog.yaml', flag]);
  expect(vi.mocked(previewStart).mock.lastCall?.[2]).toMatchObject({ mayRerender });
});
