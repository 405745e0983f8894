// Everything is paused and resumed together, on a real server: open runs, schedules, events, and new starts.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PauseAllResult } from '../../src/app/general-pause/pause-all.ts';
import type { ResumeAllResult } from '../../src/app/general-pause/resume-all.ts';
import type { RunsList } from '../../src/app/runs/list-runs.ts';
import type { ScheduleControlResult } from '../../src/app/schedules/control.ts';
import type { SchedulesList } from '../../src/app/schedules/list.ts';
import { workflowIds } from '../../src/plan/contract/contract.ts';
import { mapBounded } from '../../src/store/objects/map-bounded.ts';
import { recordRefusedStart } from '../../src/temporal/audit/refused-starts.ts';
import { signalEventTrigger } from '../../src/temporal/runs/event-triggers.ts';
import { generalPauseIdOf } from '../../src/temporal/runs/general-pause.ts';
import { runInProcess, startWorkerInProcess } from '../system/_in-process.ts';
import { names, writeModels } from '../system/_models.ts';
import { json, Pipelines } from '../system/_pipelines.ts';
import {
  createPipelineFolder,
  errorOf,
  joined,
  reportOf,
  runArguments,
  runToEnd,
  useProduct,
} from '../system/_runs.ts';
import { type Env, tempFolder, useProcesses, waitUntil } from '../system/_stack.ts';
import { useClient, useTemporal } from '../system/_temporal.ts';
import { uploadModel } from '../system/_uploads.ts';

useProcesses();
const temporal = useTemporal();
const product = useProduct(temporal);

const client = useClient(temporal);

const run = (argv: string[], env: Env = product.env) => runInProcess([...argv, '--json'], env);
const pauseAll = async (argv: string[], env?: Env) =>
  json<PauseAllResult>(await run(['pause', '--all', ...argv], env));
const resumeAll = async (argv: string[] = [], env?: Env) =>
  json<ResumeAllResult>(await run(['resume', '--all', ...argv], env));

const yearly = 'cron: "0 0 1 1 *"';

async function trigger(schedule: string): Promise<string> {
  const answer = await run(['schedules', 'trigger', schedule]);
  return json<ScheduleControlResult>(answer).run ?? '';
}

interface Shown {
  outcome: string;
  cause: { code: string; message: string } | null;
}

/** State of a run, with the cause if the run is paused. */
async function stateOf(id: string, env?: Env): Promise<string> {
  const shown = await run(['show', id], env);
  const { outcome, cause } = JSON.parse(shown.stdout) as Shown;
  return outcome === 'paused' ? `paused ${cause?.code ?? 'by hand'}` : outcome;
}

async function untilState(id: string, state: string, env?: Env): Promise<void> {
  await waitUntil(`${id} is ${state}`, async () => (await stateOf(id, env)) === state);
}

async function scheduleStates(): Promise<Record<string, string | null>> {
  const { schedules } = json<SchedulesList>(await run(['schedules']));
  const own = schedules.filter(
    ({ taskQueue }) => taskQueue === product.env['RENDERLINE_TASK_QUEUE'],
  );
  return Object.fromEntries(own.map(({ schedule, paused }) => [schedule, paused]));
}

test('a pause holds open runs and schedules, nothing starts, and resuming leaves earlier pauses in place', async () => {
  await product.sandbox.set('faults', [{ model: 'slow-*', do: { durationMs: 600_000 } }]);
  const files = new Pipelines(await tempFolder('pause-all'), product.env);
  for (const name of ['open', 'by-hand', 'stopped']) {
    const { folder } = await files.write(name, [yearly]);
    await writeModels(folder, names(name === 'stopped' ? 'quick' : 'slow', 1));
  }
  await files.apply();
  await waitUntil('all are listed', async () => Object.keys(await scheduleStates()).length === 3);
  const open = await trigger('open');
  const byHand = await trigger('by-hand');
  await untilState(open, 'running');
  json(await run(['pause', byHand]));
  json(await run(['schedules', 'pause', 'stopped', '--reason', 'stocktaking']));

  const paused = await pauseAll(['--reason', 'wrong colours']);
  expect(paused).toMatchObject({
    pause: { reason: 'wrong colours', pipeline: null },
    isNew: true,
    runs: 2,
    schedules: { held: ['by-hand', 'open'], pausedBefore: ['stopped'] },
    workers: 1,
  });
  await untilState(open, 'paused ALL_PAUSED');
  expect(await stateOf(byHand)).toBe('paused by hand');

  // All commands show the pause.
  const listed = await run(['runs']);
  expect(listed.stderr).toContain(': wrong colours. To continue: renderline resume --all');
  const { pauses } = json<RunsList>(listed);
  expect(pauses).toMatchObject([{ reason: 'wrong colours', by: paused.pause.by }]);
  const planned = await runInProcess(
    ['plan', join(files.folder, 'open.yaml'), ...(await parametersOf('open'))],
    product.env,
  );
  expect(planned.stderr).toContain('has been paused since');
  expect((await run(['doctor'])).stdout).toContain('has been paused since');

  // No command starts or continues anything.
  const place = await createPipelineFolder('refused');
  await writeModels(place.folder, names('refused', 1));
  for (const argv of [
    runArguments(place),
    ['resume', open],
    ['schedules', 'resume', 'open'],
    ['schedules', 'trigger', 'open'],
  ]) {
    const error = errorOf(await run(argv), 6);
    expect([argv[0], error]).toMatchObject([
      argv[0],
      { code: 'ALL_PAUSED', message: expect.stringContaining('wrong colours') },
    ]);
    expect(error.fix).toContain('renderline resume --all');
  }
  // Neither does Temporal itself, nor a new schedule.
  await client().schedule.getHandle('stopped').trigger();
  let started = '';
  await waitUntil('Temporal has started a run', async () => {
    const { runs } = json<RunsList>(await run(['runs', '--pipeline', 'stopped']));
    started = runs[0]?.run ?? '';
    return started !== '';
  });
  await untilState(started, 'paused ALL_PAUSED');
  await files.write('later', [yearly]);
  await files.apply();
  const note = `All paused since ${paused.pause.at} by ${paused.pause.by}: wrong colours`;
  expect((await client().schedule.getHandle('later').describe()).state).toMatchObject({
    paused: true,
    note,
  });
  expect(await files.apply()).toContainEqual(
    expect.objectContaining({ schedule: 'later', change: 'unchanged', paused: note }),
  );

  // A repetition completes the pause, and changes no reason.
  expect(await pauseAll(['--reason', 'something else'])).toMatchObject({
    pause: paused.pause,
    isNew: false,
  });

  await waitUntil('the new schedule is listed', async () => 'later' in (await scheduleStates()));
  const resumed = await resumeAll();
  expect(resumed).toMatchObject({ ended: paused.pause, runs: 3, remaining: [] });
  expect(resumed.schedules).toEqual(
    ['by-hand', 'later', 'open'].map((schedule) => ({ schedule, due: 0, backfill: null })),
  );
  await untilState(open, 'running');
  await untilState(started, 'complete');
  expect(await stateOf(byHand)).toBe('paused by hand');
  expect(await scheduleStates()).toEqual({
    'by-hand': null,
    later: null,
    open: null,
    stopped: 'stocktaking',
  });
  // Repeating the resume finds nothing to resume.
  expect(await resumeAll()).toMatchObject({ ended: null, schedules: [] });
  const { entries } = json<{ entries: { what: string; subject: string; reason: string | null }[] }>(
    await run(['audit', '--since', '1h']),
  );
  const acts = entries.filter(({ subject }) => subject === 'workspace');
  expect(acts.map(({ what, reason }) => [what, reason])).toEqual([
    ['paused', 'wrong colours'],
    ['paused', 'something else'],
    ['resumed', null],
  ]);
  for (const id of [open, byHand]) json(await run(['cancel', id]));
  await product.sandbox.set('faults', []);
});

async function parametersOf(name: string): Promise<string[]> {
  const place = await createPipelineFolder(name);
  return ['--param', `folder=${place.folder}`, '--param', `out=${place.out}`];
}

test('a pause of one pipeline counts the starts that were due and does not affect other pipelines', async () => {
  const files = new Pipelines(await tempFolder('due'), product.env);
  const { folder } = await files.write('ticking', ['every: 1s', 'jitter: 0s']);
  await writeModels(folder, names('hat', 1));
  await files.apply();
  await waitUntil('it is listed', async () => 'ticking' in (await scheduleStates()));
  const { pause, schedules } = await pauseAll(['--pipeline', 'ticking', '--reason', 'new prices']);
  expect(schedules).toEqual({ held: ['ticking'], pausedBefore: [] });

  const other = await createPipelineFolder('other');
  await writeModels(other.folder, names('other', 1));
  await runToEnd(other, product.env);

  await waitUntil('starts were due', async () => Date.now() > Date.parse(pause.at) + 3_500);
  const resumed = await resumeAll(['--pipeline', 'ticking']);
  const [ticking] = resumed.schedules;
  expect(ticking?.due).toBeGreaterThanOrEqual(3);
  expect(ticking?.backfill).toMatch(/^renderline backfill ticking --from \S+Z --to \S+Z$/);
  await client().schedule.getHandle('ticking').delete();
});

test("a pipeline's own pause outlasts the general pause, and both hold a run", async () => {
  await product.sandbox.set('faults', [{ model: 'slow-*', do: { durationMs: 600_000 } }]);
  const files = new Pipelines(await tempFolder('both'), product.env);
  const { folder } = await files.write('both', [yearly]);
  await writeModels(folder, names('slow-both', 1));
  await files.apply();
  await waitUntil('it is listed', async () => 'both' in (await scheduleStates()));
  const id = await trigger('both');
  await untilState(id, 'running');
  await pauseAll(['--reason', 'a bill']);
  const { pause } = await pauseAll(['--pipeline', 'both', '--reason', 'a broken template']);
  await untilState(id, 'paused ALL_PAUSED');

  expect(await resumeAll()).toMatchObject({ remaining: [pause] });
  expect((await scheduleStates())['both']).toContain('a broken template');
  await waitUntil('the run has the other reason', async () => {
    const { cause } = JSON.parse((await run(['show', id])).stdout) as Shown;
    return cause?.message.includes('a broken template') === true;
  });
  await resumeAll(['--pipeline', 'both']);
  await untilState(id, 'running');
  expect((await scheduleStates())['both']).toBeNull();
  json(await run(['cancel', id]));
  await product.sandbox.set('faults', []);
});

test('without a worker, runs are paused by the next worker before they send anything', async () => {
  const env = joined(temporal.env, product.sandbox.env);
  const place = await createPipelineFolder('no-worker');
  await writeModels(place.folder, names('no-worker', 2));
  const { run: id } = json<{ run: string }>(await run(runArguments(place), env));
  expect(await pauseAll(['--reason', 'lunch'], env)).toMatchObject({ runs: 1, workers: 0 });
  const before = await product.sandbox.stats();
  const worker = await startWorkerInProcess(env);
  await untilState(id, 'paused ALL_PAUSED', env);
  expect((await product.sandbox.stats()).created.models).toBe(before.created.models);
  await resumeAll([], env);
  const ended = await run(['show', id, '--wait'], env);
  expect(reportOf(ended).assets).toMatchObject({ complete: 2 });
  await worker.stop();
});

test('the first of two simultaneous pauses sets the reason, and two simultaneous resumes do not interfere', async () => {
  const env = joined(temporal.env, product.sandbox.env);
  const both = await Promise.all([
    pauseAll(['--reason', 'one'], env),
    pauseAll(['--reason', 'two'], env),
  ]);
  const [first, second] = both.map(({ pause }) => pause);
  expect(first).toEqual(second);
  const resumed = await Promise.all([resumeAll([], env), resumeAll([], env)]);
  for (const { remaining } of resumed) expect(remaining).toEqual([]);
  const place = await createPipelineFolder('after');
  await writeModels(place.folder, names('after', 1));
  const { run: id } = json<{ run: string }>(await run(runArguments(place), env));
  json(await run(['cancel', id], env));
});

test('a pause that refuses more than a thousand starts keeps its start time and counts every one', async () => {
  const { pause } = await pauseAll(['--pipeline', 'asked', '--reason', 'new prices']);
  const log = client().workflow.getHandle(generalPauseIdOf(client(), pause));
  const { runId } = await log.describe();
  const runs = Array.from({ length: 1_050 }, (_, n) => `asked-${n}`);
  await mapBounded(
    runs,
    (id) => recordRefusedStart(client(), pause, { run: id, pipeline: 'asked', reason: 'by HTTP' }),
    { maxConcurrent: 50 },
  );
  await waitUntil('its log continues as new', async () => (await log.describe()).runId !== runId);
  expect(await resumeAll(['--pipeline', 'asked'])).toMatchObject({
    ended: pause,
    httpStarts: [{ pipeline: 'asked', refused: runs.length, isHeld: false }],
  });
});

test('events are kept and counted during a pause, and start their runs when everything continues', async () => {
  const out = await tempFolder('kept');
  const folder = await tempFolder('events');
  await writeFile(
    join(folder, 'kept.yaml'),
    [
      'name: kept',
      `connectors: { out: { type: local, path: ${JSON.stringify(out)} } }`,
      'records: out',
      'nodes: [{ id: begin, type: model_ready, config: { on: model.processed, gather: 500ms } }]',
    ].join('\n'),
  );
  json(await run(['apply', folder]));
  const isListed = async () => {
    const { eventTriggers } = json<SchedulesList>(await run(['schedules']));
    return eventTriggers.some(({ pipeline }) => pipeline === 'kept');
  };
  await waitUntil('the trigger is listed', isListed);
  const { eventTriggers } = await pauseAll(['--pipeline', 'kept', '--reason', 'new prices']);
  expect(eventTriggers).toEqual(['kept']);
  await pauseAll(['--reason', 'a bill']);
  const at = new Date().toISOString();
  const id = await uploadModel(product.sandbox, 'lamp');
  await signalEventTrigger(client(), 'event-trigger/kept', [
    { name: 'model.processed', at, objects: [{ id }] },
  ]);
  await waitUntil('a worker waits for the end of the pause', async () => {
    const { raw } = await client().workflow.getHandle(workflowIds.eventTrigger('kept')).describe();
    const [waiting] = raw.pendingActivities ?? [];
    return waiting?.lastFailure?.message?.includes('has been paused since') === true;
  });
  const runsOf = async () =>
    json<RunsList>(await run(['runs', '--pipeline', 'kept'])).runs.map(({ state }) => state);
  const kept = { pipeline: 'kept', objects: 1 };
  expect(await resumeAll()).toMatchObject({ eventTriggers: [{ ...kept, isHeld: true }] });
  expect(await runsOf()).toEqual([]);
  expect(await resumeAll(['--pipeline', 'kept'])).toMatchObject({
    eventTriggers: [{ ...kept, isHeld: false }],
  });
  await waitUntil('its run is complete', async () => (await runsOf()).includes('complete'));
});
