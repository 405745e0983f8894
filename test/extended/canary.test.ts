// `canary:`: the first assets of a run, then an approval. The timing is tested on the time-skipping server with
// activities that do nothing, the commands on a real one.

import { appendFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { RunInput, RunProgress, RunResult } from '../../src/plan/contract/contract.ts';
import { workflowNames } from '../../src/plan/contract/contract.ts';
import { messages } from '../../src/plan/contract/messages.ts';
import type { NoticeInput } from '../../src/plan/contract/notice-contract.ts';
import { sizeOfShard } from '../../src/plan/contract/sharding.ts';
import type { ShardAddress, StepInput } from '../../src/plan/shard/step-contract.ts';
import { type Plan, planSchema } from '../../src/plan/types.ts';
import { failure, noStages, step } from '../plan/_steps.ts';
import { AllQueues } from '../system/_all-queues.ts';
import type { FakeActivities } from '../system/_fake-activities.ts';
import { runInProcess } from '../system/_in-process.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  errorOf,
  expectPictures,
  reportOf,
  startRun,
  useProductWith,
} from '../system/_runs.ts';
import { fastSandbox } from '../system/_sandbox.ts';
import { startWorkerProcess, useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal, useTimeSkipping } from '../system/_temporal.ts';

const hourMs = 3_600_000;
const folder = { type: 'local', path: '/nowhere' };

function planOf(more: Partial<Plan>): Plan {
  return {
    schema: planSchema,
    hash: 'h',
    pipeline: 'trial',
    file: 'trial.yaml',
    parameters: {},
    connectors: {},
    records: folder,
    destination: folder,
    recipe: 'r',
    stages: noStages,
    discovery: { node: 'take', activity: 'connector_poll', config: {}, key: null },
    steps: [step('look')],
    shardSize: 2,
    window: 8,
    inFlight: 25_000,
    canary: { assets: 3, timeoutMs: 10 * hourMs },
    route: [],
    ...more,
  };
}

function times(): void {
  const inUse = useTimeSkipping();
  let worker: AllQueues;
  let working: Promise<void>;

  const found = { total: 7, new: 7, changed: 0, unchanged: 0 };
  const told: object[] = [];
  const activities: FakeActivities = {
    discover: async ({ context }) => {
      const refusals = context.run.includes('broken') ? [failure('broken', 'take')] : [];
      return { ...found, refused: refusals.length, refusals, pages: 4 };
    },
    openShard: async ({ shard, context }: ShardAddress) => {
      const few = { ...found, pages: 4, refused: 0 };
      const assets = Array.from({ length: sizeOfShard(few, planOf({}), shard) }, (_, at) => at);
      const keys = assets.map((at) => `${context.run}-${shard}-${at}`);
      return { assets, complete: [], keys, takenByOtherRuns: [], pages: [] };
    },
    template_match: async ({ assets, context }: StepInput) => {
      const nothing = { done: [], pruned: [], failed: [], retry: [], pages: [], requests: {} };
      if (!context.run.includes('failing'))
        return { ...nothing, done: assets, reportedFailures: [] };
      const told = assets.map((at) => ({
        assetIndex: at,
        key: `${at}`,
        code: 'E',
        message: 'm',
        attempts: 1,
      }));
      return { ...nothing, failed: assets, reportedFailures: told };
    },
    finalizeAssets: async () => undefined,
    sendNotice: async ({ id, notice: { run, outcome, cause, assets } }: NoticeInput) => {
      told.push({ id, run, outcome, cause: cause?.code ?? null, assets });
      return { status: 200, attempts: 1 };
    },
  };

  beforeAll(async () => {
    worker = await AllQueues.create({
      connection: inUse.environment.nativeConnection,
      taskQueue: 'canary',
      workflowBundle: { codePath: inject('workflowBundle') },
      activities,
    });
    working = worker.run();
  }, 120_000);
  afterAll(async () => {
    worker.shutdown();
    await working;
  });

  async function begin(name: string, more: Partial<Plan> = {}) {
    const input: RunInput = {
      plan: planOf(more),
      run: name,
      lineage: name,
      epoch: 0,
      searchable: false,
    };
    const handle = await inUse.environment.client.workflow.start(workflowNames.run, {
      taskQueue: 'canary',
      workflowId: name,
      args: [input],
    });
    const look = () => handle.query<RunProgress>(messages.progress);
    const untilCause = (code: string | null) =>
      waitUntil(`the cause is ${code}`, async () => {
        const { state, cause } = await look();
        return (code === null || state === 'paused') && (cause?.code ?? null) === code;
      });
    return {
      look,
      untilCause,
      tell: (name: 'pause' | 'resume' | 'approve') => handle.signal(messages[name]),
      cancel: () => handle.cancel(),
      /** Passes hours of the server's time. */
      pass: (hours: number) => inUse.environment.sleep(hours * hourMs),
      /** Skips time to the end of the run. */
      result: () => handle.result() as Promise<RunResult>,
    };
  }

  test('a run with a canary continues after approval and asks only once', async () => {
    const it = await begin('approved');
    await it.untilCause('CANARY_WAITING');
    expect(await it.look()).toMatchObject({
      canary: { assets: 3, state: 'waiting' },
      totals: { total: 7, complete: 3 },
      shardsDone: 2,
    });
    await it.pass(9);
    await it.tell('approve');
    await it.tell('approve');
    expect(await it.result()).toMatchObject({ outcome: 'complete', assets: { complete: 7 } });
    expect(await it.look()).toMatchObject({ canary: { state: 'approved', until: null } });
  });

  test('a run with a canary starts nothing more if nobody approves in time', async () => {
    const it = await begin('forgotten');
    await it.untilCause('CANARY_WAITING');
    await expect(it.result()).rejects.toMatchObject({
      cause: {
        type: 'RunFailed',
        details: [
          {
            outcome: 'failed',
            assets: { total: 7, complete: 3, failed: 0, skipped: 4 },
            cause: { code: 'CANARY_NOT_APPROVED' },
          },
        ],
      },
    });
  });

  test('a run with a canary keeps its approval deadline during a pause, and resuming does not approve the run', async () => {
    const it = await begin('paused');
    await it.untilCause('CANARY_WAITING');
    const { canary } = await it.look();
    await it.tell('pause');
    await it.untilCause(null);
    await it.pass(6);
    expect((await it.look()).canary).toEqual(canary);
    await it.tell('resume');
    await it.untilCause('CANARY_WAITING');
    expect((await it.look()).canary).toEqual(canary);
    await it.tell('pause');
    // Even while it is paused, the run ends at the same time.
    await expect(it.result()).rejects.toMatchObject({ cause: { type: 'RunFailed' } });
  });

  test('a run with a canary that was approved during a pause continues when it is resumed', async () => {
    const it = await begin('paused-approved');
    await it.untilCause('CANARY_WAITING');
    await it.tell('pause');
    await it.tell('approve');
    const held = { state: 'paused', cause: null, canary: { state: 'approved' }, shardsDone: 2 };
    expect(await it.look()).toMatchObject(held);
    // No deadline remains.
    await it.pass(20);
    expect(await it.look()).toMatchObject(held);
    await it.tell('resume');
    expect(await it.result()).toMatchObject({ outcome: 'complete' });
  });

  test('a run needs no approval if the canary covers all assets', async () => {
    const it = await begin('few', { canary: { assets: 7, timeoutMs: hourMs } });
    expect(await it.result()).toMatchObject({ outcome: 'complete', assets: { complete: 7 } });
    expect(await it.look()).not.toHaveProperty('canary');
  });

  test('a run with a canary ignores an approval that arrives before it asks', async () => {
    const it = await begin('early');
    await it.tell('approve');
    await it.untilCause('CANARY_WAITING');
    await it.tell('approve');
    expect(await it.result()).toMatchObject({ outcome: 'complete' });
  });

  test('a run pauses because of too many failures before it asks for approval, and each pause needs its own command', async () => {
    const it = await begin('failing', {
      tolerate: { failures: 2, of: 'count', onBreach: 'pause', submits: [] },
    });
    await it.untilCause('TOO_MANY_FAILURES');
    await it.tell('resume');
    await it.untilCause('CANARY_WAITING');
    await it.tell('approve');
    await expect(it.result()).rejects.toMatchObject({ cause: { type: 'RunFailed' } });
  });

  test("a run needs no approval if the canary's failures stop it", async () => {
    const it = await begin('broken', {
      tolerate: { failures: 0, of: 'count', onBreach: 'stop', submits: ['look'] },
    });
    await expect(it.result()).rejects.toMatchObject({
      cause: { details: [{ cause: { code: 'TOO_MANY_FAILURES' } }] },
    });
  });

  test('a run that waits for approval is cancelled immediately', async () => {
    const it = await begin('cancelled');
    await it.untilCause('CANARY_WAITING');
    await it.cancel();
    await expect(it.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    expect(await it.look()).toMatchObject({
      canary: { state: 'refused' },
      totals: { total: 7, complete: 3 },
    });
  });

  test('a run that waits for approval reports its deadline before and after it passes, and then continues', async () => {
    const target = { url: 'https://a.example/in', secretFrom: 'HOOK' };
    const it = await begin('late', {
      deadline: { withinMs: 4 * hourMs },
      notify: [{ ...target, on: ['late'] }],
    });
    await it.untilCause('CANARY_WAITING');
    const lateness = async () => (await it.look()).deadline?.lateness;
    const notices = () => told.flatMap((one) => ('run' in one && one.run === 'late' ? [one] : []));
    expect(await lateness()).toBeNull();
    await it.pass(2.1);
    expect(await lateness()).toBe('expected');
    await it.pass(2);
    expect(await lateness()).toBe('late');
    await it.tell('approve');
    expect(await it.result()).toMatchObject({ outcome: 'complete' });
    const notice = { outcome: 'late', cause: 'CANARY_WAITING' };
    expect(notices()).toMatchObject([
      { id: 'late/expected-late-1', ...notice },
      { id: 'late/late-1', ...notice },
    ]);
    told.length = 0;
  });

  test('a run that ends before its deadline sends no notice', async () => {
    const it = await begin('in-time', {
      deadline: { withinMs: 4 * hourMs },
      notify: [{ url: 'https://a.example/in', secretFrom: 'HOOK', on: ['late'] }],
    });
    await it.untilCause('CANARY_WAITING');
    await it.tell('approve');
    expect(await it.result()).toMatchObject({ outcome: 'complete' });
    expect((await it.look()).deadline?.lateness).toBeNull();
    expect(told).not.toContainEqual(expect.objectContaining({ run: 'in-time' }));
  });

  // This test is the last one: the server skips no more time once a child has outlived its run.
  test('a run with a canary notifies its receivers of the wait and of the end, with a different id each time', async () => {
    const target = { url: 'https://a.example/in', secretFrom: 'HOOK' };
    const notify = [
      { ...target, on: ['complete'] },
      { ...target, on: ['waiting', 'complete'] },
    ];
    const it = await begin('told', { notify });
    const waiting = {
      id: 'told/approval-1',
      run: 'told',
      outcome: 'waiting',
      cause: 'CANARY_WAITING',
      assets: { total: 7, complete: 3, failed: 0, skipped: 0 },
    };
    await waitUntil('somebody is told', () => told.length > 0);
    expect(told).toEqual([waiting]);
    await it.tell('approve');
    await it.result();
    await waitUntil('all are told', () => told.length === 3);
    const assets = { total: 7, complete: 7, failed: 0, skipped: 0 };
    const ended = { run: 'told', outcome: 'complete', cause: null, assets };
    expect(told.slice(1)).toEqual(
      expect.arrayContaining([
        { id: 'told/notice-1', ...ended },
        { id: 'told/notice-2', ...ended },
      ]),
    );
  });
}

function commands(): void {
  const temporal = useTemporal();
  useProcesses();
  const product = useProductWith(temporal, fastSandbox, startWorkerProcess);

  test('a run with a canary shows its first assets, survives the death of its worker, and continues after approval', async () => {
    const { env } = product;
    const place = await createPipelineFolder('canary');
    await appendFile(place.file, 'canary: { assets: 2, timeout: 1h }\n');
    const keys = names('canary', 5);
    await writeModels(place.folder, keys);
    const before = await product.sandbox.stats();
    const asked = errorOf(await startRun(place, env).finished, 7);
    expect(asked.code).toBe('CANARY_WAITING');
    expect(asked.message).toMatch(
      /the first 2 of 5 assets are done: 2 complete; the others are waiting/,
    );
    const id = asked.run ?? '';
    expect(asked.fix).toBe(
      `Check the results in ${place.out}; then run \`renderline approve ${id}\` or \`renderline cancel ${id}\``,
    );
    // A choice among the first assets must not approve them all.
    const chosen = ['approve', id, '--only', keys[0] ?? '', '--yes', '--json'];
    expect(errorOf(await runInProcess(chosen, env), 5).code).toBe('NOTHING_TO_CHOOSE');
    const made = (await product.sandbox.stats()).created.models - before.created.models;
    expect(made).toBe(2);

    await product.worker.stop('SIGKILL');
    const worker = await startWorkerProcess(env);
    const shown = reportOf(await runInProcess(['show', id, '--json'], env));
    expect(shown).toMatchObject({
      outcome: 'paused',
      cause: { code: 'CANARY_WAITING' },
      canary: { assets: 2, state: 'waiting' },
    });
    await expectPictures(shown, keys.slice(0, 2));
    expect(errorOf(await runInProcess(['resume', id, '--json'], env), 2).code).toBe(
      'WAITS_FOR_APPROVAL',
    );

    const approved = await runInProcess(['approve', id, '--yes', '--json'], env);
    expect(JSON.parse(approved.stdout), approved.stderr).toMatchObject({
      schema: 'renderline/approve/v1',
      run: id,
      approved: 'now',
      canary: { total: 2, complete: 2, failed: 0, skipped: 0 },
      remaining: 3,
      requests: expect.any(Number),
      destination: place.out,
      files: 2,
    });
    const report = reportOf(await runInProcess(['show', id, '--wait', '--json'], env));
    await expectPictures(report, keys);
    await worker.stop();
  });
}

// The two suites use separate servers.
describe.concurrent('a run with a canary', () => {
  describe.sequential('with skipped time', times);
  describe.sequential('on the command line', commands);
});
