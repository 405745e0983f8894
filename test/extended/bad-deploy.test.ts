// Workers whose code does not fit the runs that are open: said wherever people look, and mended by going back.
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { connectTemporal } from '../../src/temporal/connect.ts';
import { FailingWorkflowsReader } from '../../src/temporal/status/failing-workflows.ts';
import { runHere } from '../system/_here.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  expectOnce,
  expectPictures,
  joined,
  makePlace,
  reportOf,
  runArguments,
} from '../system/_runs.ts';
import { fastSandbox, startSandbox } from '../system/_sandbox.ts';
import { start, startWorkerProcess, until, useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { otherBuild } from './_other-build.ts';

const temporal = useTemporal();
useProcesses();

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The program with workflows that ask for an activity of another name. */
const badBuild = () => otherBuild((code) => code.replaceAll('open_shard', 'begin_shard'));

test('a bad deploy is called one by show, by what follows the run and by readyz; going back mends it', async () => {
  const sandbox = await startSandbox(fastSandbox);
  await sandbox.set('faults', [{ render: '**', do: { durationMs: 4_000 } }]);
  const env = joined(temporal.env, sandbox.env);
  const place = await makePlace('bad-deploy');
  const keys = names('shoe', 3);
  await writeModels(place.folder, keys);
  const before = await sandbox.stats();
  const good = await startWorkerProcess(env);
  const started = await runHere(runArguments(place, '--json'), env);
  const { run: id } = JSON.parse(started.stdout) as { run: string };
  await until('renders are submitted', async () => {
    return (await sandbox.stats()).created.renderJobs === before.created.renderJobs + keys.length;
  });
  await good.stop('SIGKILL');

  const bad = start(['worker', '--health-port', '0', '--json'], env, root, await badBuild());
  await bad.says('healthPort');
  const { healthPort } = JSON.parse(bad.stdout().split('\n')[0] ?? '') as { healthPort: number };
  const ready = async () => fetch(`http://127.0.0.1:${healthPort}/readyz`);
  await until('the worker is not ready', async () => (await ready()).status === 503);
  expect(await (await ready()).text()).toMatch(/failed on the workflow tasks.*Nondeterminism/);
  expect(bad.output()).toMatch(/"level":40.*Failing workflow task/);
  await until('show tells', async () => {
    return (await runHere(['show', id], env)).stdout.includes('fail on it again and again');
  });
  const connection = await connectTemporal({ env: temporal.env });
  const { raw } = await connection.client.workflow.getHandle(id).describe();
  const taskQueue = raw.executionConfig?.taskQueue?.name ?? '';
  // Any worker finds what fails, also one that was started since: by the server's own attempts.
  const failing = new FailingWorkflowsReader(connection.client, taskQueue);
  await failing.read();
  expect(await failing.read()).toBeGreaterThanOrEqual(1);
  const shown = await runHere(['show', id], env);
  expect(shown.stdout).toMatch(/shard-0001: its workers fail.*Nondeterminism.*go back/s);
  await bad.stop();

  await sandbox.set('faults', []);
  await startWorkerProcess(env);
  const report = reportOf(await runHere(['show', id, '--wait', '--json'], env));
  expect(report).toMatchObject({ outcome: 'complete' });
  await until('nothing fails any more', async () => (await failing.read()) === 0);
  await connection.close();
  await expectPictures(report, keys);
  expectOnce(
    before,
    await sandbox.stats(),
    keys.map((key) => `${key}.glb`),
  );
}, 180_000);
