// Which runs `failures --since` reads, leaves out and counts.
import type { Client } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { readFailedRuns } from '../../../src/app/failures/failed-runs.ts';
import { openConnector } from '../../../src/connectors/index.ts';
import { openRunStore } from '../../../src/features/run-store.ts';
import { runMemoField } from '../../../src/plan/run/run-memo.ts';
import { JsonFolder } from '../../../src/store/objects/json-folder.ts';
import { folderWith } from '../../cli/_folder.ts';
import { assetOf, manifestAsset, settledAs } from '../../store/_store.ts';

/** A closed run that Temporal lists. */
const closedRun = (workflowId: string, memo: object = {}) => ({
  workflowId,
  runId: workflowId,
  status: { name: 'COMPLETED' },
  startTime: new Date(0),
  memo,
});

/** A client that lists these runs. */
const listing = (runs: readonly object[]) =>
  // Only these fields are read.
  ({
    options: { loadedDataConverter: { payloadCodecs: [] } },
    withDeadline: (_deadline: number, call: () => unknown) => call(),
    workflow: {
      list: async function* () {
        yield* runs;
      },
    },
  }) as unknown as Client;

test('a run outside the allowed folders is not counted as unread', async () => {
  const notes: string[] = [];
  const app = new App({
    env: {},
    cwd: '/',
    folders: [folderWith()],
    onNote: (text) => notes.push(text),
  });
  // Their records are unknown without a memo.
  const read = Array.from({ length: 200 }, (_, index) => closedRun(`r-${index}`));
  const elsewhere = { pipeline: 'theirs', records: { type: 'local', path: '/elsewhere' } };
  const outside = closedRun('theirs', { [runMemoField]: elsewhere });
  const client = listing([...read, outside, closedRun('older')]);
  const { notRead } = await readFailedRuns(app, client, { since: '1d' });
  expect(notRead).toBe(1);
  expect(notes).toContain(
    '1 run is not shown, because its records are outside the folders of this server.',
  );
});

test('the discovery of a run is read once', async () => {
  const records = { type: 'local', path: folderWith() };
  const context = { run: 'r-1', lineage: 'r-1', pipeline: 'shop', recipe: '' };
  const store = openRunStore(openConnector(records), context);
  const counts = { total: 1, new: 1, changed: 0, unchanged: 0 };
  await store.runAssets.write({ assets: [manifestAsset('a')], shardSize: 2, counts, refused: [] });
  const failure = { key: 'a', node: 'shots', code: 'RENDER_FAILED', message: 'm', attempts: 1 };
  await store.results.write('r-1', 0, 0, [settledAs('failed', assetOf('a'), { failure })]);
  const app = new App({ env: {}, cwd: '/' });
  const client = listing([closedRun('r-1', { [runMemoField]: { pipeline: 'shop', records } })]);
  const read = vi.spyOn(JsonFolder.prototype, 'read');
  const { runs } = await readFailedRuns(app, client, { since: '1d' });
  expect(runs).toMatchObject([{ failures: [failure] }]);
  expect(read.mock.calls.filter(([name]) => name === 'index')).toHaveLength(1);
});
