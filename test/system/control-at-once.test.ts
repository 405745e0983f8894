// Simultaneous control commands to a run: each reports the truth, even when the run has just ended.
import { expect, test } from 'vitest';
import { signalRun } from '../../src/app/runs/control.ts';
import { withClient } from './_histories.ts';
import { runInProcess, startWorkerInProcess } from './_in-process.ts';
import { names, writeModels } from './_models.ts';
import { createPipelineFolder, errorOf, joined, runIdOf, startRun } from './_runs.ts';
import { fastSandbox, startSandbox } from './_sandbox.ts';
import { useProcesses, waitWhileRunning } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

const temporal = useTemporal();
useProcesses();

const words = ['approve', 'cancel', 'pause', 'resume'] as const;

test('simultaneous commands never report a missing run, and fail with RUN_ENDED after the run ends', async () => {
  const sandbox = await startSandbox(fastSandbox);
  await sandbox.set('faults', [{ render: '**', do: { durationMs: 20_000 } }]);
  const env = joined(temporal.env, sandbox.env);
  const worker = await startWorkerInProcess(env);
  const place = await createPipelineFolder('at-once');
  await writeModels(place.folder, names('at-once', 4));
  const running = startRun(place, env);
  const run = await runIdOf(running);
  await waitWhileRunning(
    running,
    'a model is made',
    async () => (await sandbox.stats()).created.models > 0,
  );
  const round = () => Promise.all(words.map((word) => runInProcess([word, run, '--json'], env)));
  const [first, second] = await Promise.all([round(), round()]);
  await running.finished;
  for (const ended of [...first, ...second, ...(await round())]) {
    expect(ended.stdout + ended.stderr).not.toMatch(/no such run|the run "[^"]*" does not exist/i);
  }
  for (const word of ['approve', 'pause', 'resume']) {
    const { code, message } = errorOf(await runInProcess([word, run, '--json'], env), 2);
    expect(code).toBe('RUN_ENDED');
    expect(message).toMatch(/has ended \(cancelled at 20\d\d-.*Z\)/);
  }
  // This is the case of a client that read the run a moment before it ended.
  await withClient(env, async ({ client }) => {
    for (const word of words) {
      await signalRun(client, word, run);
      const never = signalRun(client, word, `${run}-never`);
      await expect(never).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    }
  });
  await worker.stop();
});
