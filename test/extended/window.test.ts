// How many assets a run has in flight: enough for the allowance however long renders take, and no more than the limit
// in the file and the memory and capacity of the worker allow. On a server that skips time.
import { expect, test } from 'vitest';
import { useAllowanceScenarios } from './_allowance-scenario.ts';

const platforms = useAllowanceScenarios();
const minute = 60_000;
const requests = { upload: 10, shots: 10 };
/** On a very busy machine the server may lose a task, and then stops skipping time. */
const patient = { timeout: 150_000, retry: 1 };

test('a limit in the file bounds the window', patient, async () => {
  const run = await platforms.start('limit', {
    assets: 5_000,
    plan: { inFlight: 1_000 },
    allowance: 600,
    requests,
    takesMs: { done: 5 * minute },
  });
  await run.pass(3);
  const { inFlight, openShards } = await run.progress();
  expect(inFlight).toEqual({ assets: 1_000, max: 1_000, heldBy: 'limit' });
  expect(openShards).toHaveLength(4);
});

test(
  'a worker that is short of memory bounds the window until a poll shows free memory',
  patient,
  async () => {
    let memory = 0.8;
    const run = await platforms.start('memory', {
      assets: 3_000,
      allowance: 6_000,
      requests,
      takesMs: { done: 15 * minute },
      memory: () => memory,
    });
    await run.pass(5);
    expect(await run.progress()).toMatchObject({ inFlight: { assets: 2_000, heldBy: 'memory' } });
    expect(run.polls()).toBeGreaterThan(2);
    // Each poll comes later than the one before.
    expect(run.polls()).toBeLessThan(10);
    memory = 0.1;
    await run.pass(4);
    expect(await run.progress()).toMatchObject({ inFlight: { assets: 3_000, heldBy: 'nothing' } });
  },
);

test('assets that are waiting for a worker do not enlarge the window', patient, async () => {
  const run = await platforms.start('hands', {
    assets: 5_000,
    allowance: 60_000,
    requests,
    // Fifty at a time, one request after the other: 600 assets a minute.
    takesMs: { ready: 1_000, shots: 5_000, done: 10_000 },
  });
  await run.pass(3);
  const { openShards, inFlight } = await run.progress();
  expect(openShards.length).toBeLessThanOrEqual(9);
  expect(inFlight?.heldBy).toBe('work');
});

test(
  'with renders that take five minutes, the run uses 90% of an allowance of 240 requests per minute',
  patient,
  async () => {
    const run = await platforms.start('busy', {
      assets: 9_000,
      allowance: 240,
      requests,
      takesMs: { ready: 8_000, done: 5 * minute },
    });
    await run.pass(9);
    const [, , ...later] = run.sent.slice(0, 9);
    // A busy machine, slower than the skipped time, lowers the counts of single minutes.
    expect(later.reduce((sum, sent) => sum + sent, 0) / later.length).toBeGreaterThanOrEqual(216);
    const { inFlight } = await run.progress();
    // At 600 assets a minute about 3,000 are in flight.
    expect(inFlight?.assets).toBeGreaterThan(2_800);
    expect(inFlight?.assets).toBeLessThan(4_800);
  },
);
