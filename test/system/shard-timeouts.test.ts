// Calls of a shard that time out, as after hours in which no worker runs. The workflow is real; the activities only
// record their input.
import { expect, it } from 'vitest';
import { messages } from '../../src/plan/contract/messages.ts';
import type { Step } from '../../src/plan/types.ts';
import { step } from '../plan/_steps.ts';
import { useShardScenarios } from './_shard-scenario.ts';

const shards = useShardScenarios();
const minuteMs = 60_000;

/** In skipped time, missing heartbeats do not mean a dead worker. */
const quiet = { heartbeatMs: 1_440 * minuteMs, startToCloseMs: 1_440 * minuteMs };

/** Starts a shard with one step, whose first calls hang for longer than the step may take. */
const start = (name: string, hangingCalls: number, more: Partial<Step> = {}) =>
  shards.start(name, {
    steps: [step('a', [], { ...quiet, timeoutMs: 2 * minuteMs, ...more })],
    assets: 2,
    runStep: (_input, nth) => (nth < hangingCalls ? { takesMs: 20 * minuteMs } : {}),
  });

it.each<[string, Partial<Step>]>([
  ['call', {}],
  ['wait', { mode: 'wait', batch: 250 }],
])('a %s that has timed out is repeated once', async (name, more) => {
  const played = await start(`repeated ${name}`, 1, more);
  const { totals } = await played.handle.result();
  expect(played.calls.map(({ assets }) => assets)).toEqual([
    [0, 1],
    [0, 1],
  ]);
  expect(totals).toMatchObject({ complete: 2, failed: 0 });
});

it('the assets of a call that times out twice fail', async () => {
  const played = await start('hopeless', 2);
  const { failures } = await played.handle.result();
  expect(played.calls).toHaveLength(2);
  expect(failures).toMatchObject([{ code: 'TIMED_OUT' }, { code: 'TIMED_OUT' }]);
});

it('an asset that joins the repeated call of another asset is repeated if that call times out too', async () => {
  const played = await shards.start('joined', {
    steps: [
      step('a', [], { ...quiet, timeoutMs: 60 * minuteMs, batch: 1 }),
      step('b', ['a'], { ...quiet, timeoutMs: 2 * minuteMs }),
    ],
    assets: 2,
    runStep({ step: { id }, assets }, nth) {
      if (id === 'a') return { takesMs: assets.includes(1) ? 15 * minuteMs : 0 };
      return nth < 2 ? { takesMs: 30 * minuteMs } : {};
    },
  });
  await played.pass(5);
  await played.handle.signal(messages.pause);
  await played.pass(40);
  await played.handle.signal(messages.resume);
  const { failures } = await played.handle.result();
  const callsOfB = played.calls.filter((call) => call.step === 'b');
  expect(callsOfB.map(({ assets }) => assets)).toEqual([[0], [0, 1], [1]]);
  expect(failures).toMatchObject([{ key: 'a-0', code: 'TIMED_OUT' }]);
});
