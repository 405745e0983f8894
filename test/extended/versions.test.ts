// Workers as versions of a deployment: a run ends on the build that began it, new ones go where people say.
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { connectTemporal } from '../../src/temporal/connection/connect.ts';
import { runInProcess } from '../system/_in-process.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  joined,
  type PipelineFolder,
  reportOf,
  runArguments,
} from '../system/_runs.ts';
import { fastSandbox, startSandbox } from '../system/_sandbox.ts';
import {
  type Env,
  type RunningProcess,
  start,
  tempFolder,
  useProcesses,
  waitUntil,
} from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { bundleOf, otherBuild } from './_other-build.ts';

const temporal = useTemporal();
useProcesses();

interface Listed {
  deployments: {
    name: string;
    current: string | null;
    versions: { buildId: string; status: string; workers: number; open: number }[];
  }[];
}

async function answerOf<T>(args: string[], env: Env): Promise<T> {
  const { code, stdout, stderr } = await runInProcess([...args, '--json'], env);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as T;
}

async function placeWith(name: string): Promise<PipelineFolder> {
  const place = await createPipelineFolder(name);
  await writeModels(place.folder, names(name, 2));
  return place;
}

async function startedRun(place: PipelineFolder, env: Env): Promise<string> {
  return (await answerOf<{ run: string }>(runArguments(place), env)).run;
}

async function expectComplete(run: string, env: Env): Promise<void> {
  const shown = await runInProcess(['show', run, '--wait', '--json'], env);
  expect(reportOf(shown).outcome).toBe('complete');
}

async function completeRun(name: string, env: Env): Promise<string> {
  const run = await startedRun(await placeWith(name), env);
  await expectComplete(run, env);
  return run;
}

/** A worker, and the build that it says it is. */
async function workerOf(args: string[], env: Env, main?: string) {
  const worker: RunningProcess = start(['worker', '--json', ...args], env, undefined, main);
  await worker.waitForOutput('\n', 180_000);
  const [line = ''] = worker.stdout().split('\n');
  return { worker, ...(JSON.parse(line) as { deployment: string | null; buildId: string | null }) };
}

/** Build that a workflow is on; undefined where it is on none. */
async function buildOf(workflowId: string): Promise<string | undefined> {
  const connected = await connectTemporal({ env: temporal.env });
  try {
    const { raw } = await connected.client.workflow.getHandle(workflowId).describe();
    return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
  } finally {
    await connected.close();
  }
}

test('runs end on the build that began them, and nobody is left without workers by a start', async () => {
  const sandbox = await startSandbox(fastSandbox);
  const env = joined(temporal.env, sandbox.env);
  const jobs = async () => (await sandbox.stats()).created.renderJobs;

  // Workers without a version are there already: the first version leaves them what they have.
  const { worker: old, deployment } = await workerOf(['--deployment', 'none'], env);
  expect(deployment).toBeNull();
  const { worker: first, buildId: one } = await workerOf(['--deployment', 'shop'], env);
  await first.waitForOutput('is not current');
  const unversioned = await completeRun('boot', env);
  expect(await buildOf(unversioned)).toBeUndefined();
  await answerOf(['deployments', 'set-current', one ?? ''], env);
  await old.stop();

  // A second build gets nothing by itself, and says so.
  const main = await otherBuild((code) => code.replace('\n//# sourceMappingURL', ';\n$&'));
  const bad = await otherBuild((code) => code.replaceAll(/\bopenShard\b/g, 'beginShard'));
  const { worker: second, deployment: same, buildId: two } = await workerOf([], env, main);
  expect([same, two === one]).toEqual(['shop', false]);
  await second.waitForOutput(`renderline deployments set-current ${two} --deployment shop`);
  // A worker says so before its first poll is on the server's list.
  const doctor = async () => (await runInProcess(['doctor'], env)).stdout;
  await waitUntil('its workers are listed', async () =>
    (await doctor()).includes(`build ${two} is inactive`),
  );

  // A run of the first build waits for its pictures while new ones are given to the second.
  await sandbox.set('faults', [{ render: '**', do: { durationMs: 90_000 } }]);
  const before = await jobs();
  const long = await startedRun(await placeWith('shoe'), env);
  await waitUntil('its renders are submitted', async () => (await jobs()) === before + 2);
  await sandbox.set('faults', []);
  const change = await answerOf(['deployments', 'set-current', two ?? '', '--dry-run'], env);
  expect(change).toMatchObject({ current: two, before: { current: one }, done: false });
  await answerOf(['deployments', 'set-current', two ?? ''], env);
  const { deployments } = await answerOf<Listed>(['deployments'], env);
  expect(deployments[0]?.versions).toEqual([
    expect.objectContaining({ buildId: two, status: 'current', workers: 1 }),
    expect.objectContaining({ buildId: one, status: 'draining', workers: 1 }),
  ]);

  // Before a release: what is open goes on with the second build, and not with one that asks for something else.
  expect(await answerOf(['replay', '--bundle', bundleOf(distOf(main))], env)).toMatchObject({
    failed: [],
  });
  const refused = await runInProcess(['replay', '--bundle', bundleOf(distOf(bad)), '--json'], env);
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    failed: [{ workflowId: `${long}/shard-0001`, problem: expect.stringContaining('beginShard') }],
  });
  const short = await completeRun('sock', env);
  expect(await buildOf(short)).toBe(two);

  // Its steps, looks and end are the first build's and everybody's.
  await expectComplete(long, env);
  expect([await buildOf(long), await buildOf(`${long}/shard-0001`)]).toEqual([one, one]);
  expect(await answerOf(['deployments', 'rollback'], env)).toMatchObject({ current: one });
  const again = await completeRun('slip', env);
  expect(await buildOf(again)).toBe(one);

  // A ramp gives the second build its share of new runs, here all of them, and ending it gives none.
  for (const [percent, build, name] of [
    ['100', two, 'sandal'],
    ['0', one, 'boot-low'],
  ] as const) {
    await answerOf(['deployments', 'ramp', percent, two ?? '', '--deployment', 'shop'], env);
    const ramped = await completeRun(name, env);
    expect([percent, await buildOf(ramped)]).toEqual([percent, build]);
  }
});

const distOf = (main: string) => dirname(dirname(dirname(main)));

test('a build applies its pipelines once new runs go to it, so that no schedule brings a plan to a build that cannot read it', async () => {
  const sandbox = await startSandbox(fastSandbox);
  // Named as Temporal's Worker Controller names it.
  const queue = { RENDERLINE_TASK_QUEUE: 'lane', RENDERLINE_DEPLOYMENT: 'prod/lane' };
  const env = { ...joined(temporal.env, sandbox.env), ...queue };
  const place = await placeWith('nightly');
  const text = (await readFile(place.file, 'utf8')).replace('name: pictures', 'name: nightly');
  const parameters = `parameters: { folder: ${place.folder}, out: ${place.out} }`;
  await writeFile(place.file, `${text}\nschedule: { cron: "0 0 1 1 *", ${parameters} }`);
  const triggered = async () => {
    const { run } = await answerOf<{ run: string }>(['schedules', 'trigger', 'nightly'], env);
    const shown = await runInProcess(['show', run, '--wait', '--json'], env);
    return [reportOf(shown).outcome, await buildOf(run)];
  };

  const { worker: first, buildId: one } = await workerOf([], env);
  await first.waitForOutput('is current', 180_000);
  await answerOf(['apply', place.file, '--when-current'], env);
  expect(await triggered()).toEqual(['complete', one]);

  // The next build has plans of another kind.
  const main = await otherBuild((code) => code.replace('renderline/ir/v1', 'renderline/ir/v2'));
  const types = join(distOf(main), 'src', 'plan', 'types.js');
  await writeFile(types, (await readFile(types, 'utf8')).replace('ir/v1', 'ir/v2'));
  const { worker: second, buildId: two } = await workerOf([], env, main);
  await second.waitForOutput('is not current', 180_000);
  const applying = start(['apply', place.file, '--when-current'], env, undefined, main);
  const waiting = `New runs still go to ${one}. Waiting until they go to ${two}.`;
  await applying.waitForOutput(waiting, 180_000);
  expect(await triggered()).toEqual(['complete', one]);

  await answerOf(['deployments', 'set-current', two ?? ''], env);
  expect(await applying.finished).toMatchObject({ code: 0 });
  expect(await triggered()).toEqual(['complete', two]);
}, 600_000);

test('a gate that has nothing to look at says so, and history files are read', async () => {
  const env = { ...temporal.env, RENDERLINE_TASK_QUEUE: 'nobody-works-here' };
  const nothing = await runInProcess(['replay'], env);
  expect([nothing.code, nothing.stderr]).toEqual([5, expect.stringContaining('NO_HISTORIES')]);
  expect((await runInProcess(['replay', '--allow-none'], env)).code).toBe(0);
  const path = join(await tempFolder('history'), 'none.json');
  await writeFile(path, '{"events":[]}');
  const none = await runInProcess(['replay', path], env);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no events')]);
});
