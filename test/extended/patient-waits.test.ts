// The cost of waits that take hours: the real workflows on a server that skips time.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunResult, workflowIds } from '../../src/plan/contract/contract.ts';
import { messages } from '../../src/plan/contract/messages.ts';
import { step } from '../plan/_steps.ts';
import { costOf, planOf, useRunScenarios } from '../system/_run-scenario.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const keys = Array.from({ length: 250 }, (_, at) => `shoe-${String(at).padStart(3, '0')}`);
const numberOf = (key: string) => Number(key.slice(5));

const played = useRunScenarios(
  {
    ready: { takesMs: (key) => (key === 'shoe-000' ? 10 * hourMs : 2_000 + 40 * numberOf(key)) },
    // The renders end at different times.
    wait: { takesMs: (key) => 6 * hourMs + numberOf(key) * 5_000 },
  },
  () => ({ keys }),
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renderline-patient-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Long timeouts, since skipped time without heartbeats does not mean a dead worker. */
const patient = {
  mode: 'wait',
  batch: 250,
  timeoutMs: 24 * hourMs,
  startToCloseMs: 24 * hourMs,
  heartbeatMs: 24 * hourMs,
} as const;
const steps = [
  step('take', [], { activity: 'connector_poll' }),
  step('ready', ['take'], { activity: 'model_ready', ...patient }),
  step('shots', ['ready'], { activity: 'render' }),
  step('wait', ['shots'], { activity: 'render_complete', ...patient }),
  step('deliver', ['wait'], { activity: 'export' }),
];

test('ten hours of processing, six hours of rendering and a pause in between leave a small history of the shard', async () => {
  const handle = await played.start('patient', planOf(folder, steps));
  await played.environment.sleep(3 * hourMs);
  await handle.signal(messages.pause);
  await played.environment.sleep(4 * hourMs);
  await handle.signal(messages.resume);
  const result: RunResult = await handle.result();
  expect(result.assets).toMatchObject({ total: 250, complete: 250 });
  expect(result.seconds).toBeGreaterThan(16 * 3_600);
  const cost = await costOf(played.environment, workflowIds.shard('patient', 0));
  expect(cost.events).toBeLessThanOrEqual(600);
  expect(cost.bytes).toBeLessThanOrEqual(200_000);
  expect(cost.largest).toBeLessThanOrEqual(11_000);
}, 300_000);
