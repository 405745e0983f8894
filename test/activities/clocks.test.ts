// Tests a worker whose clock is wrong or is set while it works. Times of other machines are compared only by clocks
// that all machines share.
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AttemptLease } from '../../activities/attempt-lease.ts';
import { createDeps, type Deps } from '../../activities/deps.ts';
import { runClock } from '../../activities/run-clock.ts';
import { removeLeftovers } from '../../src/connectors/disk/temp-names.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { isInConsistencyWindow } from '../../src/engine/consistency-window.ts';
import { finishCall } from '../../src/engine/submit/submit-once.ts';
import { failIfOverdue } from '../../src/engine/wait-results.ts';
import { waitAtGate } from '../../src/features/gates/gate.ts';
import { modelFailures } from '../../src/features/models/failures.ts';
import { renderCreation } from '../../src/features/renders/creations.ts';
import type { Intent } from '../../src/store/calls/intents.ts';
import { splitStableFiles } from '../../src/store/discovery/stable-files.ts';
import { estimateServerTime } from '../../src/temporal/worker-presence.ts';
import { collect, putFile, tempFolder } from '../connectors/_temp-folder.ts';
import { nodeContext, noWorkflows, runContext } from '../engine/_context.ts';
import { ScriptedPlatform } from '../engine/_platform.ts';
import { asset } from '../plan/_steps.ts';
import { storesOver } from '../store/_store.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const jumps = [
  ['25 h ahead', 25 * hourMs],
  ['25 h behind', -25 * hourMs],
] as const;
const moments = ['from the beginning', 'while it works'] as const;
const all = jumps.flatMap(([jump, aheadMs]) =>
  moments.map((moment) => ({ name: `${jump} ${moment}`, aheadMs, moment })),
);

let platform: ScriptedPlatform;
let deps: Deps;
/** The true time, captured before the machine's clock is set. */
let trueMs: number;
let asked: number;

beforeEach(async () => {
  platform = await ScriptedPlatform.start();
  trueMs = Date.now();
  asked = 0;
  const isCurrent = async () => {
    asked += 1;
    return true;
  };
  deps = createDeps({
    client: platform.client,
    workflows: { ...noWorkflows, isAttemptCurrent: isCurrent },
    secrets: [],
  });
});
afterEach(async () => {
  vi.useRealTimers();
  await platform.stop();
});

/** Sets the clock of this module only: the platform in the same process uses Node's own clock. */
async function setClock({ aheadMs, moment }: (typeof all)[number]): Promise<void> {
  if (moment === 'while it works') await platform.client.listTemplates({});
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + aheadMs });
  if (moment === 'from the beginning') await platform.client.listTemplates({});
}

/** An attempt that the server scheduled a moment ago. */
function inAttempt<T>(work: () => Promise<T>, agoMs = 0): Promise<T> {
  const info = { currentAttemptScheduledTimestampMs: trueMs - agoMs };
  return new MockActivityEnvironment(info).run(work) as Promise<T>;
}

const context = (epoch = 0) =>
  nodeContext({
    run: runContext({ epoch }),
    client: platform.client,
    store: storesOver()('run'),
    now: deps.now,
    runNow: runClock(deps),
  });

describe.each(all)('a clock that is $name', (jump) => {
  beforeEach(() => setClock(jump));

  it.each([
    [30 * minuteMs, false],
    [-1_000, true],
  ])('a deadline %d ms from now has passed: %s', async (leftMs, isOver) => {
    const waiting = { ...asset('x'), enteredAtMs: trueMs, deadlineMs: trueMs + leftMs };
    const why = { failure: modelFailures.MODEL_TIMEOUT, what: 'x', status: undefined };
    const late = await inAttempt(async () => failIfOverdue(waiting, context().runNow(), why));
    expect(late !== null).toBe(isOver);
  });

  it.each([
    [hourMs, 0],
    [-hourMs, 1],
  ])('a gate that opens in %d ms lets %d assets through', async (leftMs, count) => {
    const gate = { notBeforeMs: trueMs + leftMs };
    const waiting = { ...asset('x'), enteredAtMs: trueMs, deadlineMs: trueMs + 2 * hourMs };
    expect(await inAttempt(async () => waitAtGate(gate, [waiting], context()))).toHaveLength(count);
  });

  it.each([
    [minuteMs, 'of this run', 0, 'sent'],
    [24 * hourMs, 'of this run', 0, 'OUTCOME_UNKNOWN'],
    [24 * hourMs, 'of an earlier run', 0, 'OUTCOME_UNKNOWN'],
    // A person has checked the platform, and started the rerun.
    [24 * hourMs, 'of an earlier run', 1, 'sent'],
    [24 * hourMs, 'of this run', 1, 'OUTCOME_UNKNOWN'],
  ])(
    'a paid call, %d ms old and %s, is resolved in rerun %d as %s',
    async (agoMs, of, epoch, expected) => {
      const createdAt = new Date(trueMs - agoMs).toISOString();
      const intent = {
        operation: 'createRenders',
        key: 'k',
        bodyText: '{}',
        assets: ['x'],
        createdAt,
        ambiguousSince: createdAt,
        state: 'open',
        isInherited: of === 'of an earlier run',
      } as unknown as Intent;
      platform.intercept = (request) =>
        request.startsWith('POST')
          ? { status: 500, body: { error: { code: 'X', message: 'x' } } }
          : undefined;
      const error = await inAttempt(() =>
        finishCall(intent, renderCreation, context(epoch)).catch((thrown: unknown) => thrown),
      );
      const isSent = platform.requests.some((request) => request.startsWith('POST'));
      expect(
        isSent ? 'sent' : (error as { code?: string; failure?: { code: string } }).failure?.code,
      ).toBe(expected);
    },
  );

  it.each([
    [1_000, true],
    [10 * minuteMs, false],
  ])('an object created %d ms ago may not be visible yet: %s', (agoMs, young) => {
    expect(
      isInConsistencyWindow(
        { lastCreatedAtMs: trueMs - agoMs },
        { client: platform.client, now: deps.now },
      ),
    ).toBe(young);
  });

  it.each([
    [0, 0],
    [24_000, 1],
  ])('an attempt scheduled %d ms ago checks its lease at least %d times', async (agoMs, times) => {
    await inAttempt(() => new AttemptLease(deps).assertLease(), agoMs);
    // A machine that may have been suspended sends one more query than needed.
    expect(asked).toBeGreaterThanOrEqual(times);
    if (times === 0) expect(asked).toBe(0);
  });

  it('a file that is being written is read twice', async () => {
    const folder = await tempFolder();
    await putFile(folder, 'half.obj');
    await utimes(join(folder, 'half.obj'), trueMs / 1_000, trueMs / 1_000);
    const connector = openConnector({ type: 'local', path: folder });
    const entries = await collect(connector.list(''));
    let waits = 0;
    const wait = async () => {
      waits += 1;
    };
    const marksOf = () => ({ changedMs: trueMs });
    await splitStableFiles(entries, {
      connector,
      stableForMs: 500,
      now: deps.now,
      entryFieldsOf: marksOf,
      wait,
    });
    expect(waits).toBe(1);
  });

  it('a claim that is being written does not count as dead', async () => {
    const folder = await tempFolder();
    const store = deps.storeOf(runContext({ records: { type: 'local', path: folder } }));
    await store.claims.claim(wish, { isAlive: async () => false });
    const names = await readdir(folder, { recursive: true });
    const claim = names.find((name) => name.endsWith('x.json')) ?? '';
    await putFile(folder, claim, '{ "half');
    const other = deps.storeOf(
      runContext({ run: 'run-2', records: { type: 'local', path: folder } }),
    );
    const taken = await other.claims.claim(wish, { isAlive: async () => false });
    expect(taken.isOurs).toBe(false);
  });

  it('a temporary file that another machine is writing is not deleted', async () => {
    const folder = await tempFolder();
    const name = '.rl-00000000-1-0123456789abcdef.tmp';
    await putFile(folder, name);
    await removeLeftovers(folder);
    expect(await readdir(folder)).toEqual([name]);
  });

  it('the server time is estimated from recent polls of workers', () => {
    const nowMs = estimateServerTime(Date.now(), [trueMs - 200_000, trueMs - 1_000]);
    expect(Math.abs(nowMs - trueMs)).toBeLessThan(2_000);
  });
});

const wish = { key: 'x', version: 'v', shard: 0, platformIds: {} };
