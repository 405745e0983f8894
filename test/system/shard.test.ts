// Which activities a shard calls, and when: sizes of calls and of results pages, pauses and cancels. The workflow is
// real; the activities only record their input.
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { runCauseType } from '../../src/plan/contract/contract.ts';
import { messages } from '../../src/plan/contract/messages.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import type { ShardProgress } from '../../src/plan/shard/totals.ts';
import type { Plan, Step } from '../../src/plan/types.ts';
import { step } from '../plan/_steps.ts';
import {
  type FakeStepResult,
  type ShardScenario,
  type ShardScenarioRun,
  useShardScenarios,
} from './_shard-scenario.ts';

const shards = useShardScenarios();
const hourMs = 3_600_000;

/** In skipped time, missing heartbeats do not mean a dead worker. */
const quiet = { startToCloseMs: 24 * hourMs, heartbeatMs: 24 * hourMs, timeoutMs: 24 * hourMs };
const call = (id: string, parents: string[] = [], more: Partial<Step> = {}) =>
  step(id, parents, { ...quiet, ...more });
const wait = (id: string, parents: string[], more: Partial<Step> = {}) =>
  call(id, parents, { mode: 'wait', batch: 250, ...more });

/** The nth call of the step takes the nth number of seconds; other steps take none. */
const taking =
  (id: string, ...seconds: number[]): NonNullable<ShardScenario['runStep']> =>
  ({ step }, nth): FakeStepResult =>
    step.id === id ? { takesMs: 1_000 * (seconds[nth] ?? 0) } : {};

const sizesOf = ({ calls }: ShardScenarioRun, id: string) =>
  calls.filter((one) => one.step === id).map(({ assets }) => assets.length);
const timesOf = ({ calls }: ShardScenarioRun, id: string) =>
  calls.filter((one) => one.step === id).map(({ at }) => at);
const written = ({ finalized }: ShardScenarioRun) =>
  finalized.map((one) => Object.keys(one.outcomes).length);
const outcomes = ({ finalized }: ShardScenarioRun) =>
  Object.assign({}, ...finalized.map((one) => one.outcomes)) as Record<number, string>;

const cause: RunCause = { code: 'LIMIT', message: 'full', fix: 'more', kind: 'later' };
const causeFailure = () =>
  ApplicationFailure.create({ type: runCauseType, nonRetryable: true, details: [cause] });

describe('calls of a shard', () => {
  it.each([
    [50, 25, [50, 50, 20], [25, 25, 25, 25, 20]],
    [200, 50, [120], [50, 50, 20]],
    [1_000, 1_000, [120], [120]],
  ])(
    'calls take at most the batch size of their step (%i, %i)',
    async (first, second, firsts, seconds) => {
      const steps = [call('a', [], { batch: first }), call('b', ['a'], { batch: second })];
      const played = await shards.start(`sizes-${first}`, { steps, assets: 120 });
      const { totals, requests } = await played.handle.result();
      const downwards = (sizes: number[]) => sizes.toSorted((one, other) => other - one);
      expect(downwards(sizesOf(played, 'a'))).toEqual(firsts);
      expect(downwards(sizesOf(played, 'b'))).toEqual(seconds);
      expect(totals).toEqual({ total: 120, complete: 120, failed: 0, skipped: 0 });
      expect(requests).toEqual({ a: firsts.length, b: seconds.length });
    },
  );

  it('a call of a join is sent once, after all of its parents', async () => {
    const steps = [
      call('a'),
      call('left', ['a']),
      call('right', ['a']),
      call('c', ['left', 'right']),
    ];
    const played = await shards.start('diamond', {
      steps,
      assets: 2,
      runStep: taking('right', 300),
    });
    await played.handle.result();
    expect(played.calls.map(({ step, at }) => `${step} ${at}`).toSorted()).toEqual([
      'a 0',
      'c 5',
      'left 0',
      'right 0',
    ]);
  });
});

describe('ended assets', () => {
  it.each<[string, number, number, number[], number[]]>([
    ['by the hundred, immediately', 250, 50, [4, 8, 12, 16, 20], [100, 100, 50]],
    ['after ten seconds, together with those that end in that time', 3, 1, [1, 8.5, 60], [2, 1]],
    ['after ten seconds, without what ends later', 3, 1, [1, 18.5, 60], [1, 1, 1]],
    ['with the last one, when that is sooner', 2, 1, [1, 9], [2]],
    ['after five minutes, if the shard takes hours', 3, 1, [7_200, 7_400, 10_800], [2, 1]],
    ['no more than 250 together', 600, 600, [1], [250, 250, 100]],
  ])('ended assets are finalized %s', async (name, assets, batch, seconds, expected) => {
    const steps = [call('a', [], { batch })];
    const played = await shards.start(name, { steps, assets, runStep: taking('a', ...seconds) });
    await played.handle.result();
    expect(written(played)).toEqual(expected);
    expect(played.finalized.map(({ part }) => part)).toEqual(expected.map((_, index) => index));
  });

  it('ended assets are finalized after a resume if a run cause has prevented this before', async () => {
    const played = await shards.start('settle-held', {
      steps: [call('a')],
      assets: 2,
      onFinalize: (nth) => {
        if (nth === 0) throw causeFailure();
      },
    });
    await played.pass(2);
    expect(played.finalized).toEqual([]);
    await played.handle.signal(messages.resume);
    await played.handle.result();
    expect(played.finalized).toEqual([
      { part: 0, outcomes: { 0: 'complete', 1: 'complete' }, at: 2 },
    ]);
  });
});

describe('waits', () => {
  it.each([
    [20, 20],
    [80, 50],
  ])('waits have the batch size of the next step, at most 50 (%i)', async (batch, gather) => {
    const steps = [wait('w', []), call('b', ['w'], { batch })];
    const played = await shards.start(`gather-${batch}`, { steps, assets: 2 });
    await played.handle.result();
    expect(played.calls[0]?.wait?.batchAssets).toBe(gather);
  });

  it('waits include assets that arrive a little later, with the arrival time of each', async () => {
    const steps = [call('a', [], { batch: 1 }), wait('w', ['a'])];
    const seconds = [1, 2, 2, 2];
    const played = await shards.start('merged', {
      steps,
      assets: 4,
      runStep: ({ step }, nth) => ({
        takesMs: step.id === 'w' ? 60_000 : 1_000 * (seconds[nth] ?? 0),
      }),
    });
    const { totals } = await played.handle.result();
    expect(totals.complete).toBe(4);
    expect(sizesOf(played, 'w')).toEqual([1, 4]);
    const [first, merged] = played.calls.filter((one) => one.step === 'w');
    const came = (merged?.wait?.enteredAtMs ?? []).toSorted((one, other) => one - other);
    expect(came[0]).toBe(first?.wait?.enteredAtMs[0]);
    expect((came[1] ?? 0) - (came[0] ?? 0)).toBeGreaterThanOrEqual(900);
  });
});

describe('waits for people', () => {
  const asks = (more: Partial<Step> = {}) => [wait('w', [], { asksPeople: true, ...more })];
  const notify = [{ url: 'https://a.example', secretFrom: 'HOOK', on: ['waiting'] }];

  it('waits for people are polled immediately when the run signals a decision', async () => {
    const steps = [...asks(), wait('other', [])];
    const played = await shards.start('decided', {
      steps,
      assets: 2,
      runStep: (_input, nth) => ({ takesMs: nth === 0 ? 2 * hourMs : 0 }),
    });
    await played.pass(5);
    await played.handle.signal(messages.recheck, ['w']);
    await played.handle.result();
    expect([timesOf(played, 'w'), timesOf(played, 'other')]).toEqual([[0, 5], [0]]);
    expect(sizesOf(played, 'w')).toEqual([2, 2]);
  });

  it('waits for people are reported to the run once the shard has nothing else to do', async () => {
    const steps = [call('a'), { ...asks()[0], parents: ['a'] } as Step];
    const played = await shards.start('reported', {
      steps,
      assets: 2,
      runStep: ({ step }, nth) => ({ takesMs: step.id === 'w' && nth === 0 ? 3 * hourMs : 0 }),
    });
    await played.pass(2);
    const reports = (await played.sentSignals()).filter((one) => one === messages.shardReport);
    expect(reports).toHaveLength(1);
    await played.handle.signal(messages.recheck, ['w']);
    await played.handle.result();
  });

  it.each<[string, Partial<Plan>, Partial<Step>, number]>([
    ['are announced to the run once', { notify }, {}, 1],
    ['are not announced where nobody is notified', {}, {}, 0],
    [
      'are not announced where no person decides',
      { notify },
      { asksPeople: undefined as never },
      0,
    ],
  ])('waits for people %s', async (name, plan, more, times) => {
    const steps = [call('a', [], { batch: 1 }), { ...asks(more)[0], parents: ['a'] } as Step];
    const played = await shards.start(name, { steps, plan, assets: 3 });
    await played.handle.result();
    const signals = await played.sentSignals();
    expect(signals.filter((signal) => signal === messages.shardAwaitsApproval)).toHaveLength(times);
  });
});

describe('a pause', () => {
  it('a pause lets open calls end and waits start, but starts no other call until a resume', async () => {
    const steps = [call('a'), wait('w', ['a']), call('b', ['w'])];
    const played = await shards.start('paused', { steps, assets: 2, runStep: taking('a', 600) });
    await played.pass(5);
    await played.handle.signal(messages.pause);
    await played.pass(15);
    expect([timesOf(played, 'w'), timesOf(played, 'b')]).toEqual([[10], []]);
    await played.handle.signal(messages.resume);
    await played.handle.result();
    expect(timesOf(played, 'b')).toEqual([20]);
  });

  it('a pause that arrives after a later resume is ignored, since signals may arrive in any order', async () => {
    const steps = [call('a'), call('b', ['a'])];
    const played = await shards.start('overtaken', { steps, assets: 2, runStep: taking('a', 600) });
    await played.pass(5);
    await played.handle.signal(messages.resume, 2_000);
    await played.handle.signal(messages.pause, 1_000);
    await played.handle.result();
    expect(timesOf(played, 'b')).toEqual([10]);
  });

  it('a pause that a run cause triggers is reported to the run, and a resume repeats the same assets', async () => {
    const played = await shards.start('cause', {
      steps: [call('a')],
      assets: 3,
      runStep: (_input, nth) => {
        if (nth === 0) throw causeFailure();
        return {};
      },
    });
    await played.pass(2);
    expect(sizesOf(played, 'a')).toEqual([3]);
    expect(await played.sentSignals()).toContain(messages.shardBlocked);
    await played.handle.signal(messages.resume);
    const { totals } = await played.handle.result();
    expect(sizesOf(played, 'a')).toEqual([3, 3]);
    expect(totals).toMatchObject({ complete: 3, failed: 0 });
  });
});

describe('a hold', () => {
  /** All calls are held until the same time: twenty days from the first, by the clock of the server that skips time. */
  const holder = () => {
    let untilMs: number | undefined;
    return () => {
      untilMs ??= Context.current().info.currentAttemptScheduledTimestampMs + 480 * hourMs;
      return { hold: { untilMs, until: 'the first', for: 'the quota' } };
    };
  };

  it('a hold keeps a step from taking assets until the hold ends, while all other steps continue', async () => {
    const steps = [call('a', [], { batch: 2 }), call('b', ['a'])];
    const held = holder();
    const played = await shards.start('held', {
      steps,
      assets: 4,
      runStep: ({ step, assets }, nth) =>
        step.id === 'a' && nth === 0
          ? { done: assets.slice(0, 1), ...held() }
          : step.id === 'a' && nth === 1
            ? { done: [], ...held() }
            : {},
    });
    await played.pass(2);
    expect([sizesOf(played, 'a'), sizesOf(played, 'b')]).toEqual([[2, 2], [1]]);
    expect(written(played)).toEqual([1]);
    const { totals } = await played.handle.result();
    expect(totals).toMatchObject({ complete: 4, failed: 0 });
    expect(sizesOf(played, 'a').toSorted((a, b) => a - b)).toEqual([1, 2, 2, 2]);
    const again = timesOf(played, 'a').slice(2);
    expect(again).toEqual([480 * 60, 480 * 60]);
    const { events } = await played.handle.fetchHistory();
    const timers = (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) =>
      Number(timer?.startToFireTimeout?.seconds ?? 0),
    );
    expect(timers.filter((seconds) => seconds > 3_600)).toHaveLength(1);
  });

  it('a hold ends when the run is resumed', async () => {
    const held = holder();
    const played = await shards.start('held-resumed', {
      steps: [call('a')],
      assets: 2,
      runStep: (_input, nth) => (nth === 0 ? { done: [], ...held() } : {}),
    });
    await played.pass(2);
    await played.handle.signal(messages.resume);
    await played.handle.result();
    expect(timesOf(played, 'a')).toEqual([0, 2]);
  });

  it('the progress of a shard contains its hold', async () => {
    const held = holder();
    const played = await shards.start('held-asked', {
      steps: [call('a')],
      assets: 2,
      runStep: (_input, nth) => (nth === 0 ? { done: [0], ...held() } : {}),
    });
    await played.pass(2);
    const { waits } = await played.handle.query<ShardProgress, []>(messages.progress);
    expect(waits?.['a']).toMatchObject({
      assets: 1,
      hold: { until: 'the first', for: 'the quota' },
    });
    await played.handle.cancel();
  });
});

describe('a cancellation', () => {
  it('a cancellation waits for open calls, cancels the platform’s jobs, and finalizes all assets', async () => {
    const steps = [call('a', [], { batch: 1 }), call('b', ['a'])];
    const played = await shards.start('cancelled', {
      steps,
      assets: 3,
      runStep: ({ step, assets }) => ({
        takesMs: step.id === 'a' && assets[0] !== 0 ? 240_000 : 0,
      }),
    });
    await played.pass(2);
    expect(written(played)).toEqual([1]);
    await played.handle.cancel();
    await expect(played.handle.result()).rejects.toThrow(/cancelled/i);
    expect(sizesOf(played, 'b')).toEqual([1]);
    expect(outcomes(played)).toEqual({ 0: 'complete', 1: 'cancelled', 2: 'cancelled' });
    expect(played.cancelled).toEqual([1, 2]);
    expect(played.finalized.map(({ at }) => at)).toEqual([0, 4]);
    expect((await played.sentSignals()).at(-1)).toBe(messages.shardReport);
  });
});

describe('a step', () => {
  it('a step may fail, retry and prune single assets', async () => {
    const redo = { step: 'a', max: 1 };
    const steps = [call('a'), call('b', ['a'], { retry: redo }), call('c', ['b'])];
    const played = await shards.start('some', {
      steps,
      assets: 5,
      runStep: ({ step, assets }) => {
        if (step.id !== 'b') return {};
        return { failed: [1], pruned: [2], retry: assets.includes(0) ? [3, 4] : [4] };
      },
    });
    const { totals } = await played.handle.result();
    expect(outcomes(played)).toEqual({
      0: 'complete',
      1: 'failed',
      2: 'skipped',
      3: 'complete',
      4: 'failed',
    });
    expect(played.calls.map(({ step, assets }) => [step, assets])).toEqual(
      expect.arrayContaining([
        ['a', [3, 4]],
        ['b', [3, 4]],
        ['c', [0]],
        ['c', [3]],
      ]),
    );
    expect(totals).toEqual({ total: 5, complete: 2, failed: 2, skipped: 1 });
  });

  it('a step that fails as a whole fails each of its assets with its code', async () => {
    const played = await shards.start('broken', {
      steps: [call('a', [], { batch: 2 })],
      assets: 3,
      runStep: ({ assets }) => {
        if (assets.includes(2)) return {};
        throw ApplicationFailure.nonRetryable('no such template', 'TEMPLATE_MISSING');
      },
    });
    const { failures, totals } = await played.handle.result();
    const failure = {
      node: 'a',
      code: 'TEMPLATE_MISSING',
      message: 'no such template',
      attempts: 1,
    };
    expect(failures).toEqual([
      { key: 'a-0', ...failure },
      { key: 'a-1', ...failure },
    ]);
    expect(totals).toMatchObject({ complete: 1, failed: 2 });
  });

  it('a step that a stopped run does not start leaves its assets cancelled, and the other assets complete', async () => {
    const steps = [call('a', [], { batch: 1 }), call('b', ['a'])];
    const played = await shards.start('stopped', {
      steps,
      assets: 2,
      runStep: ({ step, assets }) => ({
        takesMs: step.id !== 'a' ? 0 : assets[0] === 0 ? 1_000 : 600_000,
      }),
      plan: { tolerate: { failures: 0, of: 'count', onBreach: 'stop', submits: ['b'] } },
    });
    await played.pass(5);
    await played.handle.signal(messages.stop);
    const { totals } = await played.handle.result();
    expect(outcomes(played)).toEqual({ 0: 'complete', 1: 'cancelled' });
    expect(totals).toMatchObject({ complete: 1, skipped: 1 });
  });
});

describe('a shard that opens', () => {
  it('a shard that opens counts assets of other runs, and assets that it has delivered before', async () => {
    const opened = {
      assets: [1],
      complete: [0],
      keys: ['b', 'a'],
      takenByOtherRuns: [{ run: 'other', assets: 2 }],
    };
    const played = await shards.start('opened', { steps: [call('a')], assets: 0, opened });
    const { totals, takenByOtherRuns: taken } = await played.handle.result();
    expect(totals).toEqual({ total: 4, complete: 2, failed: 0, skipped: 2 });
    expect(taken).toEqual(opened.takenByOtherRuns);
    expect(sizesOf(played, 'a')).toEqual([1]);
  });
});
