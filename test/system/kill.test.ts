// The shortest of what is killed; `test/extended/kill.test.ts` has the rest.
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

describe.concurrent('is killed:', () => {
  test('a worker between the work of createRenders and its answer: the same call is met, not made again', () =>
    killBeforeResponse(temporal, 'createRenders'));

  test('the Temporal server, and started again: nothing is lost, nothing is done twice', async () => {
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
