// A program that may read only some folders cannot read or change a run whose records are in other folders.
import { expect, test } from 'vitest';
import type { App } from '../../../src/app/app.ts';
import { approve, previewApproval } from '../../../src/app/approvals/approval.ts';
import { controlRun } from '../../../src/app/runs/control.ts';
import { showRun } from '../../../src/app/runs/show-run.ts';
import { folderWith } from '../../cli/_folder.ts';
import { pausedRun, run, waitsForCanary } from '../approvals/_paused-run.ts';

const follow = {
  progress: { pollIntervalMs: 1, show: () => {}, close: () => {} },
  leave: () => AbortSignal.abort(),
};

test.each<[string, (app: App) => Promise<unknown>]>([
  ['the preview of an approval', (app) => previewApproval(app, run)],
  ['pause', (app) => controlRun(app, 'pause', run)],
  ['resume', (app) => controlRun(app, 'resume', run)],
  ['cancel', (app) => controlRun(app, 'cancel', run)],
  ['show', (app) => showRun(app, run)],
  ['show until the run ends', (app) => showRun(app, run, { follow })],
  [
    'an approval that another program has previewed',
    async (app) => {
      const other = pausedRun(waitsForCanary);
      return approve(app, await previewApproval(other.app, run));
    },
  ],
])('%s is refused for a run outside the allowed folders', async (_what, use) => {
  const { app, signals } = pausedRun(waitsForCanary, 'ann@studio', { folders: [folderWith()] });
  await expect(use(app)).rejects.toMatchObject({ code: 'OUTSIDE_FOLDERS' });
  expect(signals).toEqual([]);
});
