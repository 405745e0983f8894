// A worker whose clock is wrong by more than a day takes over started work: nothing times out or is paid for twice.
import { describe, expect, test } from 'vitest';
import { runInProcess } from '../system/_in-process.ts';
import { fileNamesIn, keysOf } from '../system/_kill-helpers.ts';
import {
  createPipelineFolder,
  expectOnce,
  expectPictures,
  joined,
  reportOf,
  startRun,
} from '../system/_runs.ts';
import { fastSandbox, startSandbox } from '../system/_sandbox.ts';
import { type Env, startWorkerProcess, useProcesses, waitWhileRunning } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { shiftedClock } from './_moved-clock.ts';

const temporal = useTemporal();
useProcesses();

const dayAndHourMs = 25 * 3_600_000;

function apart(env: Env, aheadMs: number): Env {
  return {
    ...env,
    NODE_OPTIONS: `--require ${shiftedClock}`,
    TEST_CLOCK_AHEAD_MS: String(aheadMs),
  };
}

describe.concurrent('a worker with a wrong clock', () => {
  test.each([
    ['25 hours ahead', dayAndHourMs, 'ahead of'],
    ['25 hours behind', -dayAndHourMs, 'behind'],
  ])('a worker whose clock is %s takes over paid calls', async (_, aheadMs, said) => {
    const sandbox = await startSandbox(fastSandbox);
    const lateAnswer = { match: 'createRenders', nth: 1, do: { delayMs: 4_000 } };
    // The renders continue while the other worker waits for them.
    const slowRenders = { render: '**', do: { durationMs: 15_000 } };
    await sandbox.set('faults', [lateAnswer, slowRenders]);
    const env = joined(temporal.env, sandbox.env);
    const place = await createPipelineFolder('clock', { renderTimeout: '30m' });
    const files = await fileNamesIn(place, 'clock', 8);
    const before = await sandbox.stats();
    const worker = await startWorkerProcess(env);
    const running = startRun(place, env);
    await waitWhileRunning(running, 'renders are submitted', async () => {
      return (await sandbox.stats()).created.renderJobs === files.length;
    });
    await worker.stop('SIGKILL');
    const wrong = await startWorkerProcess(apart(env, aheadMs));
    const report = reportOf(await running.finished);
    await expectPictures(report, keysOf(files));
    expectOnce(before, await sandbox.stats(), files);
    const { length } = files;
    const possibleDuplicates = { renders: 0, models: 0 };
    expect(report.paid).toMatchObject({ renders: length, models: length, possibleDuplicates });
    expect(wrong.output()).toContain(`this machine's clock is 25 h ${said} the platform's`);
    const { stdout } = await runInProcess(['doctor'], env);
    expect(stdout).toMatch(
      new RegExp(`clock +the clock of worker \\S+ is 25 h ${said} the platform`),
    );
    expect(stdout).toMatch(/workers +\d on/);
  });
});
