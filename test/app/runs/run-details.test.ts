import { Client, Connection } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import {
  exitCodeOfRun,
  readRunDetails,
  runPausedError,
} from '../../../src/app/runs/run-details.ts';
import type { RunShape, RunView } from '../../../src/app/runs/run-shape.ts';
import type { RunSnapshot } from '../../../src/app/runs/run-snapshot.ts';
import { summarizeRun } from '../../../src/cli/runs/run-summary.ts';
import { openConnector } from '../../../src/connectors/index.ts';
import { openRunStore } from '../../../src/features/run-store.ts';
import type { FinalizedAsset, RunProgress } from '../../../src/plan/contract/contract.ts';
import { readRange } from '../../../src/plan/helpers/lazy-list.ts';
import type { RunCause } from '../../../src/plan/run/run-cause.ts';
import { CodecKeyMissingError } from '../../../src/temporal/codec/codec-errors.ts';
import { folderWith } from '../../cli/_folder.ts';

const run = 'catalog-20261121-090507-ab01';

function settled(key: string, outcome: FinalizedAsset['outcome']): FinalizedAsset {
  const failure =
    outcome === 'failed' ? { key, node: 'shots', code: 'X', message: 'm', attempts: 2 } : null;
  const file = { key, path: `${key}.png`, bytes: 9, sha256: 'aa', width: 4, height: 3 };
  const delivered = { ...file, output: 'o', delivery: 'd' };
  return {
    key,
    source: { path: `${key}.glb`, bytes: 1, mtimeMs: 0, version: 'v' },
    platformIds: {},
    outcome,
    files: outcome === 'complete' ? [delivered] : [],
    warnings: key === 'a' ? ['a texture did not come along'] : [],
    failure,
    ...(key === 'c' ? { deleted: [{ kind: 'model', id: 'm1' }] } : {}),
  };
}

function progress(change: Partial<RunProgress> = {}): RunProgress {
  return {
    run,
    pipeline: 'catalog',
    state: 'running',
    cause: null,
    discovery: null,
    totals: { total: 9, complete: 1, failed: 1, skipped: 0 },
    inFlight: { assets: 0, max: 9, heldBy: 'nothing' },
    openShards: [],
    shardsDone: 0,
    failures: [],
    requests: { createJob: 2, getMe: 1 },
    historyEvents: 41,
    steps: {},
    ...change,
  };
}

/** A store with the results of three assets, and the snapshot of their run. */
async function world(status: RunSnapshot['status']) {
  const records = { type: 'local', path: folderWith() };
  const context = { run, lineage: run, pipeline: 'catalog', recipe: 'r' };
  const store = openRunStore(openConnector(records), context);
  await store.results.write(run, 0, 0, [settled('a', 'complete'), settled('b', 'failed')]);
  await store.results.write(run, 1, 0, [settled('c', 'complete')]);
  const snapshot: RunSnapshot = {
    run,
    pipeline: 'catalog',
    status,
    startedAtMs: Date.UTC(2026, 10, 21),
    endedAtMs: Date.UTC(2026, 10, 21, 0, 1),
    memo: {
      pipeline: 'catalog',
      file: 'catalog.yaml',
      records,
      destination: { type: 'local', path: '/out' },
      steps: ['take'],
    },
    executionId: 'e',
    hasStarted: true,
    taskQueue: 'q',
  };
  return snapshot;
}

// Without a server the report uses the last progress and the records.
const connection = Connection.lazy({ address: '127.0.0.1:1', interceptors: [] });
const client = new Client({ connection });

const nowMs = Date.UTC(2026, 10, 21, 0, 5);

describe('a run in flight', () => {
  test('a run in flight lasts until now, by the clock of the caller', async () => {
    const open = { ...(await world('running')), endedAtMs: null };
    expect((await readRunDetails(client, open, nowMs, progress())).shape.seconds).toBe(300);
  });

  test('a run in flight shows totals from its progress, and files and failures from its results pages', async () => {
    const report = await readRunDetails(client, await world('running'), nowMs, progress());
    expect(report.shape).toMatchObject({
      schema: 'renderline/run/v1',
      run,
      outcome: 'running',
      discovered: true,
      destination: '/out',
      assets: { total: 9, complete: 1, failed: 1, skipped: 0, unchanged: 0, cancelled: 0 },
      failures: [{ key: 'b', node: 'shots', code: 'X', attempts: 2 }],
      warnings: [{ key: 'a', message: 'a texture did not come along' }],
      deleted: [{ key: 'c', kind: 'model', id: 'm1' }],
      requests: { total: 3, byOperation: { createJob: 2, getMe: 1 } },
      historyEvents: 41,
      seconds: 60,
    });
    const files = await readRange(report.shape.files);
    expect(files.map(({ path }) => path)).toEqual(['a.png', 'c.png']);
  });

  test('a failure is listed only once if the progress and the results pages contain it', async () => {
    const known = [
      { key: 'b', node: 'shots', code: 'X', message: 'm', attempts: 2 },
      { key: 'refused', node: 'take', code: 'HOSTILE_PATH', message: 'm', attempts: 0 },
    ];
    const { shape } = await readRunDetails(
      client,
      await world('running'),
      nowMs,
      progress({ failures: known }),
    );
    expect(shape.failures.map(({ key }) => key)).toEqual(['refused', 'b']);
  });

  test('a run in flight may be paused with or without a cause', async () => {
    const snapshot = await world('running');
    const cause: RunCause = { code: 'INVALID_API_KEY', message: 'm', fix: 'f', kind: 'auth' };
    const held = await readRunDetails(
      client,
      snapshot,
      nowMs,
      progress({ state: 'paused', cause }),
    );
    expect([held.shape.outcome, held.shape.cause]).toEqual(['paused', cause]);
    const byHand = await readRunDetails(client, snapshot, nowMs, progress({ state: 'paused' }));
    expect([byHand.shape.outcome, byHand.shape.cause]).toEqual(['paused', null]);
  });

  test('a run in flight shows when its wait for approval ends', async () => {
    const canary = { assets: 5, state: 'waiting', until: '2026-11-28T22:40:59.000Z' } as const;
    const held = progress({ state: 'paused', canary });
    expect(
      (await readRunDetails(client, await world('running'), nowMs, held)).shape.canary,
    ).toEqual(canary);
    expect(
      (await readRunDetails(client, await world('running'), nowMs, progress())).shape.canary,
    ).toBeNull();
  });

  test('the written results are used if the progress lags behind', async () => {
    const behind = progress({ totals: { total: 0, complete: 0, failed: 0, skipped: 0 } });
    const { shape } = await readRunDetails(client, await world('running'), nowMs, behind);
    expect(shape.assets).toMatchObject({ total: 3, complete: 2, failed: 1, skipped: 0 });
  });

  test('the progress is used if the results cannot be read', async () => {
    const snapshot = await world('running');
    const away = { type: 'local', path: '/nonexistent/records' };
    const memo = snapshot.memo === null ? null : { ...snapshot.memo, records: away };
    const report = await readRunDetails(client, { ...snapshot, memo }, nowMs, progress());
    expect(report.shape.assets.total).toBe(9);
    expect(await readRange(report.finished.assets)).toEqual([]);
  });
});

describe('a run that has ended', () => {
  /** The run's own result: this number of complete assets, and one failed asset. */
  function endedClient(complete: number): Client {
    const assets = { total: complete + 1, complete, failed: 1, skipped: 0, unchanged: 0 };
    const ended = { ...progress(), outcome: 'partial_failure', assets, warnings: [], seconds: 5 };
    const handle = { result: async () => ended };
    return {
      workflow: { getHandle: () => handle },
      withDeadline: (_deadline: number, call: () => unknown) => call(),
    } as unknown as Client;
  }

  test.each([
    ['all results', 2, null],
    [
      'only some results',
      4,
      'the records here contain 2 of 4 complete assets; the others were removed or are on another machine',
    ],
  ])(
    'a run that has ended reports whether its records have %s',
    async (_what, complete, expected) => {
      const snapshot = { ...(await world('completed')), endedAtMs: nowMs };
      const { remark, shape } = await readRunDetails(endedClient(complete), snapshot, nowMs);
      // The result of a run says five seconds, but `runs` counts until the run is closed.
      expect([remark, shape.seconds]).toEqual([expected, (nowMs - snapshot.startedAtMs) / 1000]);
    },
  );

  test('a run without a memo reports that the location of its records is unknown', async () => {
    const snapshot = { ...(await world('completed')), memo: null };
    const { remark } = await readRunDetails(endedClient(2), snapshot, nowMs);
    expect(remark).toBe(
      `the results of individual assets cannot be read here: The location of the records of ${snapshot.run} is unknown: the run has no Renderline memo in Temporal.`,
    );
  });
});

describe('a run whose figures are unknown', () => {
  const text = (shape: RunView) => summarizeRun(shape, nowMs, (_format, words) => words);

  /** The worker's response cannot be decrypted here, or no worker responds. */
  function silentClient(error: Error): Client {
    const describe = async () => ({ raw: {} });
    const handle = { query: () => Promise.reject(error), describe };
    return {
      options: { namespace: 'default' },
      workflow: { getHandle: () => handle },
      withDeadline: (_at: number, work: () => unknown) => work(),
    } as unknown as Client;
  }

  const keyMissing = new CodecKeyMissingError('new', ['old']);
  const noWorker = new Error('no worker');

  test.each([
    ['its key is missing', keyMissing, /the key "new".*\nexport RENDERLINE_CODEC_KEYS=new:KEY/],
    [
      'no worker responds',
      noWorker,
      /no worker responds on task queue "q"; start one with `renderline worker`/,
    ],
  ])('only the records of the run are used because %s', async (_, error, why) => {
    const { shape, remark } = await readRunDetails(
      silentClient(error),
      await world('running'),
      nowMs,
    );
    expect([shape.unknown, remark]).toEqual([
      expect.stringMatching(why),
      expect.stringMatching(why),
    ]);
    expect(text(shape)).toContain('2 of 3 complete, 1 failed, according to its records');
    expect(text(shape)).not.toMatch(/\b0 (API|history)|no worker.*key/);
  });

  test.each([keyMissing, noWorker])('nothing is counted without records: %s', async (error) => {
    const snapshot = { ...(await world('running')), memo: null };
    const { shape } = await readRunDetails(silentClient(error), snapshot, nowMs);
    expect(text(shape)).toContain('assets    unknown');
    expect(text(shape)).not.toMatch(/\b0 (of|API|history|asset)|being discovered/);
  });

  test('a run has no figures if it was cancelled and no worker responds', async () => {
    const silent = silentClient(noWorker);
    silent.workflow.getHandle = () =>
      ({
        query: () => Promise.reject(noWorker),
        result: () =>
          Promise.reject(Object.assign(new Error('x'), { name: 'WorkflowFailedError' })),
      }) as never;
    const { shape } = await readRunDetails(silent, await world('cancelled'), nowMs);
    expect(shape.unknown).toContain('no worker responds');
    expect(text(shape)).not.toMatch(/\b0 (API|history)/);
  });

  test('a run has known figures once a worker responds', async () => {
    const { shape } = await readRunDetails(client, await world('running'), nowMs, progress());
    expect(shape.unknown).toBeNull();
  });
});

describe('exit codes of a wait', () => {
  function report(outcome: RunShape['outcome'], cause: RunCause | null = null) {
    return { shape: { outcome, cause } as RunShape };
  }

  test.each([
    ['complete', 0],
    ['failed', 1],
    ['cancelled', 1],
    ['terminated', 1],
    ['partial_failure', 3],
  ] as const)('the state %s has the exit code %d', (outcome, code) => {
    expect(exitCodeOfRun(report(outcome))).toBe(code);
  });

  test.each([
    ['auth', 4],
    ['later', 75],
    ['not-found', 5],
    ['never', 1],
  ] as const)('a cause of kind %s has the exit code %d', (kind, code) => {
    const cause: RunCause = { code: 'C', message: 'what happened', fix: 'set a key', kind };
    expect(exitCodeOfRun(report('failed', cause))).toBe(code);
    const error = runPausedError(run, cause);
    expect(error).toMatchObject({ exit: code, code: 'C', details: { run } });
    expect(error.message).toContain('what happened');
    expect(error.fix).toContain('set a key');
    expect(error.fix).toContain(`renderline resume ${run}`);
    expect(error.fix).toContain(`renderline cancel ${run}`);
  });

  test('a run that waits for approval has the exit code 7, and no command to resume', () => {
    const fix = 'Look; then `renderline approve r-1`, or `renderline cancel r-1`';
    const cause: RunCause = { code: 'CANARY_WAITING', message: 'm', fix, kind: 'later' };
    expect(runPausedError('r-1', cause)).toMatchObject({
      exit: 7,
      code: 'CANARY_WAITING',
      message: 'The run r-1 is waiting for approval: m',
      fix,
      isExpected: true,
    });
  });

  test('a run that a general pause holds has the exit code 6, and the command that ends the pause', () => {
    const fix = 'When the reason no longer applies: renderline resume --all';
    const cause: RunCause = { code: 'ALL_PAUSED', message: 'm', fix, kind: 'later' };
    expect(exitCodeOfRun(report('paused', cause))).toBe(6);
    expect(runPausedError('r-1', cause)).toMatchObject({ exit: 6, code: 'ALL_PAUSED', fix });
  });
});
