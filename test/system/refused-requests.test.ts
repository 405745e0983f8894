// What a run says while the platform refuses requests because of its rate limit.
import { expect, test } from 'vitest';
import { runInProcess } from './_in-process.ts';
import { names, writeModels } from './_models.ts';
import { createPipelineFolder, joined, runIdOf, startRun } from './_runs.ts';
import { startSandbox } from './_sandbox.ts';
import { startWorkerProcess, useProcesses } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

const temporal = useTemporal();
useProcesses();

test('while requests wait out a 429 response, show says what the run waits for', async () => {
  const sandbox = await startSandbox();
  const env = joined(temporal.env, sandbox.env);
  // Its requests must not wait together with those of the commands below.
  const worker = await startWorkerProcess(env);
  await sandbox.set('faults', [{ match: 'createJob', nth: 1, do: { rateLimited: true } }]);
  const begin = async (prefix: string) => {
    const place = await createPipelineFolder(prefix);
    await writeModels(place.folder, names(prefix, 3));
    return runIdOf(startRun(place, env));
  };
  await begin('refused');
  await expect.poll(async () => (await sandbox.stats()).rateLimited).toBe(1);
  // Nothing of this run is refused, but it waits until the platform's window of a minute ends.
  const waiting = await begin('waiting');
  await expect
    .poll(async () => (await runInProcess(['show', waiting], env)).stdout, { timeout: 50_000 })
    .toContain('requests wait, because the platform refuses them for now (rate limit)');
  await worker.stop();
  await sandbox.stop();
});
