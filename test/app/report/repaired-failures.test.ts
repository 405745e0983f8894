// `report --since` and `failures --since` count the same failures as repaired.
import type { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { expect, test } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { listRecentFailures } from '../../../src/app/failures/list-recent-failures.ts';
import { readDailyReport } from '../../../src/app/report/read-daily-report.ts';
import { openConnector } from '../../../src/connectors/index.ts';
import { openRunStore } from '../../../src/features/run-store.ts';
import { runMemoField } from '../../../src/plan/run/run-memo.ts';
import { folderWith } from '../../cli/_folder.ts';

const at = (time: string) => new Date(`2026-11-27T${time}:00Z`);

interface PastRun {
  run: string;
  started: string;
  ended: string;
  failed: string[];
}

/** Runs of one pipeline, newest first. */
const runs: PastRun[] = [
  { run: 'third', started: '03:00', ended: '03:30', failed: ['never', 'late'] },
  { run: 'second', started: '02:00', ended: '02:30', failed: ['twice'] },
  { run: 'first', started: '01:00', ended: '04:00', failed: ['twice', 'replaced'] },
];

/** Time of delivery by asset. `late` was delivered by the first run, after the third had ended. */
const delivered = { twice: '02:45', late: '03:40', replaced: '00:30' };

const source = (key: string) => ({ path: `${key}.glb`, bytes: 1, mtimeMs: 0, version: 'v' });

async function appWithRuns(): Promise<App> {
  const cwd = folderWith();
  const records = { type: 'local', path: folderWith() };
  const storeOf = (run: string) =>
    openRunStore(openConnector(records), { run, lineage: run, pipeline: 'shop', recipe: 'r' });
  for (const { run, failed } of runs) {
    const store = storeOf(run);
    const assets = failed.map((key) => ({ key, source: source(key), reason: 'new' as const }));
    const counts = { total: assets.length, new: assets.length, changed: 0, unchanged: 0 };
    await store.runAssets.write({ assets, shardSize: 9, counts, refused: [] });
    await store.results.write(
      run,
      0,
      0,
      failed.map((key) => ({
        key,
        source: source(key),
        platformIds: {},
        outcome: 'failed',
        files: [],
        warnings: [],
        failure: { key, node: 'shots', code: 'RENDER_FAILED', message: 'no light', attempts: 1 },
      })),
    );
  }
  for (const [key, time] of Object.entries(delivered)) {
    const finishedAt = at(time).toISOString();
    const of = { recipe: 'r', platformIds: {}, files: [], run: 'first', lineage: 'first' };
    await storeOf('first').records.write({ key, source: source(key), finishedAt, ...of });
  }
  const infos = runs.map(({ run, started, ended }) => ({
    workflowId: run,
    runId: run,
    type: 'pipelineRun',
    status: { name: 'COMPLETED' },
    startTime: at(started),
    closeTime: at(ended),
    historyLength: 9,
    taskQueue: 'q',
    memo: { [runMemoField]: { pipeline: 'shop', file: 'shop.yaml', records, steps: [] } },
    typedSearchAttributes: new TypedSearchAttributes(),
  }));
  const noResult = Object.assign(new Error('failed'), { name: 'WorkflowFailedError' });
  const handle = {
    result: () => Promise.reject(noResult),
    query: () => Promise.reject(new Error('no worker')),
    describe: async () => ({ raw: {} }),
  };
  const client = {
    options: { namespace: 'n', loadedDataConverter: { payloadCodecs: [] } },
    withDeadline: (_deadline: number, call: () => unknown) => call(),
    workflow: {
      list: async function* () {
        yield* infos;
      },
      getHandle: () => handle,
    },
  } as unknown as Client;
  const app = new App({ env: {}, cwd, now: () => at('05:00').getTime() });
  // Only these fields of a connection are read.
  app.temporal = { client, namespace: 'n' } as never;
  return app;
}

test('a failure is repaired if a run delivered its asset after the run of the failure had started', async () => {
  const repaired = { first: 1, second: 1, third: 1 };
  const byRun = (all: readonly { run: string; repaired: number }[]) =>
    Object.fromEntries(all.map(({ run, repaired: count }) => [run, count]));
  const app = await appWithRuns();
  const failures = await listRecentFailures(app, { since: '1d' });
  expect(byRun(failures.runs)).toEqual(repaired);
  expect(failures.groups).toMatchObject([{ count: 2, keys: ['never', 'replaced'] }]);
  const report = await readDailyReport(app, { since: '1d', page: '/report.html' });
  expect(byRun(report.runs)).toEqual(repaired);
  expect(report.totals).toMatchObject({ failed: 5, repaired: 3 });
});
