// The fastest tests that kill processes; `test/extended/kill.test.ts` has the others.
import { describe, test } from 'vitest';
import { startDurableTemporal } from './_durable-temporal.ts';
import { fileNamesIn, keysOf, killBeforeResponse, slowRenders } from './_kill-helpers.ts';
import {
  createPipelineFolder,
  expectOnce,
  expectPictures,
  joined,
  reportOf,
  startRun,
} from './_runs.ts';
import { fastSandbox, startSandbox } from './_sandbox.ts';
import { type Env, startWorkerProcess, useProcesses, waitWhileRunning } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

const temporal = useTemporal();
useProcesses();

describe.concurrent('a killed process', () => {
  test('killing a worker before the response to createRenders does not repeat the work of the call', () =>
    killBeforeResponse(temporal, 'createRenders'));

  test('killing and restarting the Temporal server loses nothing and repeats nothing', async () => {
    const sandbox = await startSandbox(fastSandbox);
    await sandbox.set('faults', slowRenders);
    const place = await createPipelineFolder('server');
    const server = await startDurableTemporal();
    try {
      const env: Env = joined(server.env, sandbox.env);
      const files = await fileNamesIn(place, 'server', 20);
      const before = await sandbox.stats();
      await startWorkerProcess(env);
      const running = startRun(place, env);
      await waitWhileRunning(running, 'renders are submitted', async () => {
        return (await sandbox.stats()).created.renderJobs === files.length;
      });
      await server.kill();
      await server.restart();
      const report = reportOf(await running.finished);
      await expectPictures(report, keysOf(files));
      expectOnce(before, await sandbox.stats(), files);
    } finally {
      await server.close();
    }
  });
});
