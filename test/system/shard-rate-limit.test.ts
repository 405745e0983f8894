// How long an attempt of a shard's activities may wait for the rate limit. The workflow is real; the activities only
// record their input.
import { expect, it } from 'vitest';
import { step } from '../plan/_steps.ts';
import { useShardScenarios } from './_shard-scenario.ts';

const shards = useShardScenarios();
const hourMs = 3_600_000;

/** In skipped time, missing heartbeats do not mean a dead worker. */
const quiet = { heartbeatMs: 24 * hourMs, timeoutMs: 24 * hourMs };

it('a call whose requests wait for the rate limit for an hour is not started again', async () => {
  const steps = [step('a', [], { ...quiet, startToCloseMs: 5 * 60_000 })];
  const played = await shards.start('patient', {
    steps,
    assets: 2,
    runStep: () => ({ takesMs: hourMs }),
  });
  await played.handle.result();
  expect(played.calls.map(({ step: id }) => id)).toEqual(['a']);
});

it('the checks of a rerun may wait for the rate limit for an hour when a shard is opened', async () => {
  const played = await shards.start('opened', { steps: [step('a', [])], assets: 1 });
  await played.handle.result();
  const { events } = await played.handle.fetchHistory();
  const [opening] = (events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes: activity }) => activity ?? [],
  );
  expect(opening?.activityType?.name).toBe('openShard');
  expect(Number(opening?.startToCloseTimeout?.seconds)).toBeGreaterThan(3_600);
  expect(Number(opening?.heartbeatTimeout?.seconds)).toBe(30);
});
