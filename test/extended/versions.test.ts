// Workers as versions of a deployment: a run ends on the build that started it; people choose the build of new runs.
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

/** Starts a worker. @returns it with the build that it prints */
async function workerOf(args: string[], env: Env, main?: string) {
  const worker: RunningProcess = start(['worker', '--json', ...args], env, undefined, main);
  await worker.waitForOutput('\n', 180_000);
  const [line = ''] = worker.stdout().split('\n');
  return { worker, ...(JSON.parse(line) as { deployment: string | null; buildId: string | null }) };
}

/** The build of a workflow; undefined without a version. */
async function buildOf(workflowId: string): Promise<string | undefined> {
  const connected = await connectTemporal({ env: temporal.env });
  try {
    const { raw } = await connected.client.workflow.getHandle(workflowId).describe();
    return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
  } finally {
    await connected.close();
  }
}

test('runs end on the build that started them, and a newly started worker takes no work from others', async () => {
  const sandbox = await startSandbox(fastSandbox);
  const env = joined(temporal.env, sandbox.env);
  const jobs = async () => (await sandbox.stats()).created.renderJobs;

  // Workers without a version exist already: the first version does not take over from them.
  const { worker: old, deployment } = await workerOf(['--deployment', 'none'], env);
  expect(deployment).toBeNull();
  const { worker: first, buildId: one } = await workerOf(['--deployment', 'shop'], env);
  await first.waitForOutput('is not current');
  const unversioned = await completeRun('boot', env);
  expect(await buildOf(unversioned)).toBeUndefined();
  await answerOf(['deployments', 'set-current', one ?? ''], env);
  await old.stop();

  // A second build gets no run until it is made current, and prints that.
  const main = await otherBuild((code) => code.replace('\n//# sourceMappingURL', ';\n$&'));
  const bad = await otherBuild((code) => code.replaceAll(/\bopenShard\b/g, 'beginShard'));
  const { worker: second, deployment: same, buildId: two } = await workerOf([], env, main);
  expect([same, two === one]).toEqual(['shop', false]);
  await second.waitForOutput(`renderline deployments set-current ${two} --deployment shop`);
  // A worker prints this before the server lists its first poll.
  const doctor = async () => (await runInProcess(['doctor'], env)).stdout;
  await waitUntil('its workers are listed', async () =>
    (await doctor()).includes(`build ${two} is inactive`),
  );

  // A run of the first build waits for its renders while new runs go to the second build.
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

  // Before a release: open runs replay on the second build, but not on one whose activity has another name.
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

  // This run and its shard end on the first build.
  await expectComplete(long, env);
  expect([await buildOf(long), await buildOf(`${long}/shard-0001`)]).toEqual([one, one]);
  expect(await answerOf(['deployments', 'rollback'], env)).toMatchObject({ current: one });
  const again = await completeRun('slip', env);
  expect(await buildOf(again)).toBe(one);

  // A ramp gives the second build its share of new runs, here all of them; a ramp of 0 gives it none.
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

test('`apply --when-current` waits until new runs use its build, so that schedules match the build', async () => {
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

  // The plans of the next build have another version.
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

test('replaying no histories fails unless `--allow-none` is given, and history files can be read', async () => {
  const env = { ...temporal.env, RENDERLINE_TASK_QUEUE: 'nobody-works-here' };
  const nothing = await runInProcess(['replay'], env);
  expect([nothing.code, nothing.stderr]).toEqual([5, expect.stringContaining('NO_HISTORIES')]);
  expect((await runInProcess(['replay', '--allow-none'], env)).code).toBe(0);
  const path = join(await tempFolder('history'), 'none.json');
  await writeFile(path, '{"events":[]}');
  const none = await runInProcess(['replay', path], env);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no events')]);
});
