// No worker runs for longer than a wait may take: the run then continues where it was.
import { expect, test } from 'vitest';
import { runInProcess, startWorkerInProcess } from '../system/_in-process.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  expectOnce,
  expectPictures,
  joined,
  reportOf,
  runArguments,
} from '../system/_runs.ts';
import { fastSandbox, startSandbox } from '../system/_sandbox.ts';
import { useProcesses, waitUntil } from '../system/_stack.ts';
import { useMovedClock } from './_moved-clock.ts';

const clock = useMovedClock('2027-03-01T22:00:00Z');
useProcesses();

test('a run whose workers are away overnight delivers the renders that finished in the meantime', async () => {
  const sandbox = await startSandbox(fastSandbox);
  await sandbox.set('faults', [{ render: '**', do: { durationMs: 1_800_000 } }]);
  const env = joined(clock.env, sandbox.env);
  const place = await createPipelineFolder('away', { renderTimeout: '1h' });
  const keys = names('shoe', 3);
  await writeModels(place.folder, keys);
  const before = await sandbox.stats();
  const worker = await startWorkerInProcess(env);
  const started = await runInProcess(runArguments(place, '--json'), env);
  const { run: id } = JSON.parse(started.stdout) as { run: string };
  await waitUntil('renders are submitted', async () => {
    return (await sandbox.stats()).created.renderJobs === before.created.renderJobs + keys.length;
  });
  // The renders are submitted, and their wait begins.
  await waitUntil('the run waits for them', async () => {
    return (await runInProcess(['show', id], env)).stdout.includes('for the platform to render');
  });
  await worker.stop();
  await clock.moveTo('2027-03-02T08:00:00Z');
  await startWorkerInProcess(env);
  const report = reportOf(await runInProcess(['show', id, '--wait', '--json'], env));
  await expectPictures(report, keys);
  expectOnce(
    before,
    await sandbox.stats(),
    keys.map((key) => `${key}.glb`),
  );
  expect(report.outcome).toBe('complete');
});
