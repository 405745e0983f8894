// Workers whose code does not fit the open runs: all commands report it, and a rollback repairs it.
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { workflowIds } from '../../src/plan/contract/contract.ts';
import { connectTemporal } from '../../src/temporal/connection/connect.ts';
import { cancelOrphans } from '../../src/temporal/runs/orphaned-shards.ts';
import { FailingWorkflowsCounter } from '../../src/temporal/status/failing-workflows.ts';
import { runInProcess } from '../system/_in-process.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  expectOnce,
  expectPictures,
  joined,
  reportOf,
  runArguments,
  runToEnd,
} from '../system/_runs.ts';
import { fastSandbox, startSandbox } from '../system/_sandbox.ts';
import { start, startWorkerProcess, useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { otherBuild } from './_other-build.ts';

const temporal = useTemporal();
useProcesses();

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The program with workflows that call an unknown activity. */
const badBuild = () => otherBuild((code) => code.replaceAll(/\bopenShard\b/g, 'beginShard'));

test('a bad deploy is reported by show, logs and readyz, and a rollback fixes it', async () => {
  const sandbox = await startSandbox(fastSandbox);
  await sandbox.set('faults', [{ render: '**', do: { durationMs: 4_000 } }]);
  const env = joined(temporal.env, sandbox.env);
  const place = await createPipelineFolder('bad-deploy');
  const keys = names('shoe', 3);
  await writeModels(place.folder, keys);
  const before = await sandbox.stats();
  const good = await startWorkerProcess(env);
  const started = await runInProcess(runArguments(place, '--json'), env);
  const { run: id } = JSON.parse(started.stdout) as { run: string };
  await waitUntil('renders are submitted', async () => {
    return (await sandbox.stats()).created.renderJobs === before.created.renderJobs + keys.length;
  });
  await good.stop('SIGKILL');

  const bad = start(['worker', '--health-port', '0', '--json'], env, root, await badBuild());
  await bad.waitForOutput('healthPort');
  const { healthPort } = JSON.parse(bad.stdout().split('\n')[0] ?? '') as { healthPort: number };
  const ready = async () => fetch(`http://127.0.0.1:${healthPort}/readyz`);
  await waitUntil('the worker is not ready', async () => (await ready()).status === 503);
  expect(await (await ready()).text()).toMatch(/failed \d+ workflow tasks?.*Nondeterminism/);
  expect(bad.output()).toMatch(/"level":40.*Failing workflow task/);
  await waitUntil('show tells', async () => {
    return (await runInProcess(['show', id], env)).stdout.includes('fail on its workflow task');
  });
  const connection = await connectTemporal({ env: temporal.env });
  const { raw } = await connection.client.workflow.getHandle(id).describe();
  const taskQueue = raw.executionConfig?.taskQueue?.name ?? '';
  // Any worker finds failing workflows by the attempts that the server counts, even if it started later.
  const failing = new FailingWorkflowsCounter(connection.client, taskQueue);
  await failing.count();
  expect(await failing.count()).toBeGreaterThanOrEqual(1);
  const shown = await runInProcess(['show', id], env);
  expect(shown.stdout).toMatch(
    /shard-0001: its workers fail.*Nondeterminism.*Roll back.*the workflow then continues/s,
  );
  await bad.stop();

  await sandbox.set('faults', []);
  await startWorkerProcess(env);
  const report = reportOf(await runInProcess(['show', id, '--wait', '--json'], env));
  expect(report).toMatchObject({ outcome: 'complete' });
  await waitUntil('nothing fails any more', async () => (await failing.count()) === 0);
  await connection.close();
  await expectPictures(report, keys);
  expectOnce(
    before,
    await sandbox.stats(),
    keys.map((key) => `${key}.glb`),
  );
});

test('after a bad deploy, a terminated run keeps no asset from the next run, although its shard cannot replay', async () => {
  const sandbox = await startSandbox(fastSandbox);
  await sandbox.set('faults', [{ render: '**', do: { durationMs: 4_000 } }]);
  const env = joined(temporal.env, sandbox.env);
  const place = await createPipelineFolder('terminated-on-bad');
  const keys = names('shoe', 2);
  await writeModels(place.folder, keys);
  const before = await sandbox.stats();
  const good = await startWorkerProcess(env);
  const started = await runInProcess(runArguments(place, '--json'), env);
  const { run: id } = JSON.parse(started.stdout) as { run: string };
  await waitUntil('renders are submitted', async () => {
    return (await sandbox.stats()).created.renderJobs === before.created.renderJobs + keys.length;
  });
  await good.stop('SIGKILL');
  const bad = start(['worker', '--json'], env, root, await badBuild());
  const connection = await connectTemporal({ env: temporal.env });
  const shard = connection.client.workflow.getHandle(workflowIds.shard(id, 0));
  await waitUntil('its task fails', async () => {
    return ((await shard.describe()).raw.pendingWorkflowTask?.attempt ?? 0) > 2;
  });
  await connection.client.workflow.getHandle(id).terminate('by hand');
  const { taskQueue } = await shard.describe();
  const stalledSinceMs = new Map<string, number>();
  const searchAfter = (minutes: number) =>
    cancelOrphans(connection.client, taskQueue, stalledSinceMs, minutes * 60_000);
  await searchAfter(0);
  expect((await shard.describe()).status.name).toBe('RUNNING');
  await searchAfter(10);
  await waitUntil('the shard is closed', async () => {
    return (await shard.describe()).status.name === 'TERMINATED';
  });
  await connection.close();
  await bad.stop();
  await startWorkerProcess(env);
  const report = await runToEnd(place, env);
  await expectPictures(report, keys);
  expectOnce(
    before,
    await sandbox.stats(),
    keys.map((key) => `${key}.glb`),
  );
});

test('after a rollback, a run that the bad build started has to be moved, and all lists show the command', async () => {
  const sandbox = await startSandbox(fastSandbox);
  const env = joined(temporal.env, sandbox.env);
  const place = await createPipelineFolder('pinned-to-bad');
  const keys = names('shoe', 2);
  await writeModels(place.folder, keys);
  const before = await sandbox.stats();
  const said = async (...args: string[]) => {
    const { code, stdout, stderr } = await runInProcess(args, env);
    expect(code, stderr).toBe(0);
    return stdout + stderr;
  };
  const good = start(['worker', '--deployment', 'shop'], env);
  await good.waitForOutput('is current');
  // Its shards are opened and rendered, but never finalized.
  const buggy = await otherBuild((code) =>
    code.replace(
      'return this.#outcomes.splice(0, maxBatchSize)',
      "throw new Error('a bug of this build')",
    ),
  );
  const bad = start(['worker', '--json'], env, root, buggy);
  await bad.waitForOutput('"buildId"');
  const { buildId } = JSON.parse(bad.stdout().split('\n')[0] ?? '') as { buildId: string };
  await bad.waitForOutput('is not current');
  // The server lists its task queues a moment after its first poll.
  await waitUntil('it can be current', async () => {
    const { code } = await runInProcess(['deployments', 'set-current', buildId], env);
    return code === 0;
  });
  const { run: id } = JSON.parse(await said(...runArguments(place, '--json'))) as { run: string };
  const move = `renderline deployments move ${buildId} --deployment shop`;

  // While the bad build is current, a moved run would return to it.
  const both = `renderline deployments rollback --deployment shop, then ${move}`;
  await waitUntil('its tasks fail', async () =>
    (await said('show', id)).includes('a bug of this build'),
  );
  expect(await said('show', id)).toMatch(new RegExp(`does not continue on its own.*${both}`, 's'));
  expect(await said('doctor')).toMatch(new RegExp(`tasks .*a bug of this build.*${both}`, 's'));

  // After the rollback its workers still poll, so only a move helps.
  expect(await said('deployments', 'rollback')).toContain(move);
  const shown = await said('show', id);
  expect(shown).toMatch(new RegExp(`does not continue on its own.*${move}`, 's'));
  expect(shown).not.toMatch(/rollback --deployment|the workflow then continues/);

  // Its workers are gone.
  await bad.stop('SIGKILL');
  const noBuild = `no worker of that build has polled for \\d+ min: it is stranded`;
  await waitUntil(
    'its workers are forgotten',
    async () => new RegExp(noBuild).test(await said('show', id)),
    150_000,
  );
  expect(await said('show', id)).toMatch(
    new RegExp(
      `pinned to build ${buildId} of deployment shop.*does not continue on its own.*${move}`,
      's',
    ),
  );
  expect(await said('runs')).toMatch(
    new RegExp(
      `^${id} +running .*stranded: build ${buildId} of deployment shop has no workers$.*${move}`,
      'ms',
    ),
  );
  expect(await said('doctor')).toMatch(
    new RegExp(`pinned to build ${buildId}.*stranded.*${move}`, 's'),
  );
  expect(await said('deployments')).toMatch(new RegExp(`stranded .*${move}`));
  const followed = await runInProcess(['show', id, '--wait', '--json'], env);
  expect(JSON.parse(followed.stdout)).toMatchObject({
    code: 'NO_WORKER',
    message: expect.stringContaining('does not continue on its own'),
    fix: expect.stringContaining(move),
  });

  await said('deployments', 'move', buildId);
  const report = reportOf(await runInProcess(['show', id, '--wait', '--json'], env));
  expect(report).toMatchObject({ outcome: 'complete' });
  expectOnce(
    before,
    await sandbox.stats(),
    keys.map((key) => `${key}.glb`),
  );
  await good.stop();
}, 400_000);
