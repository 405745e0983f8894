// Shared helpers for tests that kill processes.
import { expect } from 'vitest';
import { names, writeModels } from './_models.ts';
import {
  createPipelineFolder,
  expectOnce,
  expectPictures,
  joined,
  type PipelineFolder,
  reportOf,
  startRun,
} from './_runs.ts';
import { fastSandbox, type SandboxInUse, startSandbox } from './_sandbox.ts';
import { type Env, startWorkerProcess, waitWhileRunning } from './_stack.ts';

/** Renders take long enough for a test to act while all of them are running. */
export const slowRenders = [{ render: '**', do: { durationMs: 5_000 } }];

export async function fileNamesIn(
  place: PipelineFolder,
  prefix: string,
  count: number,
): Promise<string[]> {
  const keys = names(prefix, count);
  await writeModels(place.folder, keys);
  return keys.map((key) => `${key}.glb`);
}

export function keysOf(fileNames: readonly string[]): string[] {
  return fileNames.map((name) => name.replace('.glb', ''));
}

/** Kills a worker after the platform has done the work of a call and before the response. Another worker repeats it. */
export async function killBeforeResponse(
  temporal: { readonly env: Env },
  operation: 'createJob' | 'createProjects' | 'createRenders',
): Promise<void> {
  const sandbox = await startSandbox(fastSandbox);
  await sandbox.set('faults', [{ match: operation, nth: 1, do: { delayMs: 4_000 } }]);
  const env = joined(temporal.env, sandbox.env);
  const place = await createPipelineFolder(operation);
  const files = await fileNamesIn(place, operation, 6);
  const before = await sandbox.stats();
  const worker = await startWorkerProcess(env);
  const running = startRun(place, env);
  const kind = ({ created }: Awaited<ReturnType<SandboxInUse['stats']>>) =>
    ({
      createJob: created.models,
      createProjects: created.projects,
      createRenders: created.renderJobs,
    })[operation];
  await waitWhileRunning(
    running,
    `${operation} works`,
    async () => kind(await sandbox.stats()) === files.length,
  );
  await worker.stop('SIGKILL');
  await startWorkerProcess(env);
  const report = reportOf(await running.finished);
  await expectPictures(report, keysOf(files));
  expectOnce(before, await sandbox.stats(), files);
  const { length } = files;
  expect(report.paid).toMatchObject({
    renders: length,
    models: length,
    possibleDuplicates: { renders: 0 },
  });
}
