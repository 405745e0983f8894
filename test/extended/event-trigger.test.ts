// Pipelines that begin with events, on a real server: applied, notified by the platform, and started without losses.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { compileText } from '../../src/compile/compile.ts';
import { formatEvents } from '../../src/compile/starters/events.ts';
import { type DiscoverInput, workflowIds } from '../../src/plan/contract/contract.ts';
import type { FilterEventsInput } from '../../src/plan/contract/filter-contract.ts';
import { connectTemporal, connectWorker } from '../../src/temporal/connection/connect.ts';
import {
  applyEventTrigger,
  findEventTrigger,
  signalEventTrigger,
  stopEventTrigger,
} from '../../src/temporal/runs/event-triggers.ts';
import { AllQueues } from '../system/_all-queues.ts';
import { runInProcess } from '../system/_in-process.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  joined,
  type PipelineFolder,
  reportOf,
  startRun,
} from '../system/_runs.ts';
import { fastSandbox, type SandboxInUse, startSandbox } from '../system/_sandbox.ts';
import {
  type Env,
  type RunningProcess,
  start,
  startWorkerProcess,
  tempFolder,
  useProcesses,
  waitUntil,
} from '../system/_stack.ts';
import { useDevServer } from '../system/_temporal.ts';
import { uploadModel } from '../system/_uploads.ts';

// Event triggers continue as new here after a few platform events instead of several thousand.
const temporal = useDevServer({
  dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 60 },
});
useProcesses();

const small = 'imageCustomResolution: true, imageCustomWidth: 64, imageCustomHeight: 36';

let sandbox: SandboxInUse;
let env: Env;
let worker: RunningProcess;
let receiver: RunningProcess;
const run = (argv: string[]) => runInProcess(argv, env);
/** Pipeline files. */
let folder: string;
beforeAll(async () => {
  sandbox = await startSandbox([...fastSandbox, '--allow-private-urls']);
  env = joined(temporal.env, sandbox.env);
  folder = await tempFolder('events');
  [worker, receiver] = await Promise.all([startWorkerProcess(env), receive()]);
});

async function receive(): Promise<RunningProcess> {
  const { secret } = (await sandbox.api('PUT', '/webhooks', {
    url: 'http://127.0.0.1:9/nobody',
  })) as { secret: string };
  const started = start(['webhooks', '--port', '0', '--json'], {
    ...env,
    RENDERLINE_WEBHOOK_SECRET: secret,
  });
  await started.waitForOutput('}');
  const { url } = JSON.parse(started.stdout()) as { url: string };
  await sandbox.api('PUT', '/webhooks', { url });
  return started;
}

interface Applied {
  eventTriggers: {
    pipeline: string;
    change: string;
    fields: { field: string; is: string | null }[];
  }[];
}

/** Applies all files, and returns the change of each event trigger. */
async function apply(...flags: string[]): Promise<Record<string, string>> {
  const { stdout, stderr } = await run(['apply', folder, '--json', ...flags]);
  if (stdout === '') throw new Error(stderr);
  const { eventTriggers } = JSON.parse(stdout) as Applied;
  return Object.fromEntries(eventTriggers.map(({ pipeline, change }) => [pipeline, change]));
}

/** Applies the file of `init --for events` under this name, and returns the folder of its pictures. */
async function rendering(name: string, out?: string): Promise<string> {
  const pictures = out ?? join(await tempFolder(name), 'out');
  const text = formatEvents(`${name}.yaml`)
    .replace('name: events', `name: ${name}`)
    .replace('default: event-pictures', `default: ${pictures}`)
    .replace('gather: 5s', 'gather: 1s')
    .replace('settings: { renderShots: false }', `settings: { renderShots: false, ${small} }`)
    .replace('{{ key }}.{{ ext }}', '{{ key }}/{{ name }}.{{ ext }}');
  return applied(name, text, pictures);
}

async function applied(name: string, text: string, pictures: string): Promise<string> {
  await writeFile(join(folder, `${name}.yaml`), text);
  expect((await apply())[name]).toBe('create');
  return pictures;
}

/** Removes the event trigger, so that events of other tests do not concern it. */
async function end(name: string): Promise<void> {
  await rm(join(folder, `${name}.yaml`));
  await waitUntil(`${name} is listed`, async () => (await apply('--prune'))[name] === 'remove');
}

async function untilReady(modelId: string): Promise<void> {
  await waitUntil('the model is ready', async () => {
    const answer = await sandbox.api('POST', '/models/status', { modelIds: [modelId] });
    return (answer as { allReady: boolean }).allReady;
  });
}

async function pictures(out: string): Promise<string[]> {
  // The first run creates the folder.
  const all = await readdir(out, { recursive: true }).catch((): string[] => []);
  return all.filter((path) => path.endsWith('.png') && !path.includes('.renderline'));
}

async function runsOf(pipeline: string): Promise<{ run: string; state: string }[]> {
  const { stdout } = await run(['runs', '--json']);
  const { runs } = JSON.parse(stdout) as {
    runs: { run: string; pipeline: string; state: string }[];
  };
  return runs.filter((one) => one.pipeline === pipeline);
}

async function untilEnded(pipeline: string): Promise<{ run: string; state: string }[]> {
  let runs = await runsOf(pipeline);
  await waitUntil(`runs of ${pipeline} have ended`, async () => {
    runs = await runsOf(pipeline);
    return runs.length > 0 && runs.every(({ state }) => state !== 'running');
  });
  return runs;
}

describe('applying an event trigger', () => {
  test('apply creates and updates an event trigger, keeps it if unchanged, and ends it when its file is gone', async () => {
    await rendering('applied');
    expect(await apply()).toEqual({ applied: 'unchanged' });
    const file = join(folder, 'applied.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('gather: 1s', 'gather: 2s'));
    expect(await apply('--dry-run')).toEqual({ applied: 'update' });
    expect(await apply()).toEqual({ applied: 'update' });
    await waitUntil(
      'a worker has taken it up',
      async () => (await apply())['applied'] === 'unchanged',
    );
    await rm(file);
    await waitUntil('it is listed', async () => (await apply())['applied'] === 'undeclared');
    expect(await apply('--prune')).toEqual({ applied: 'remove' });
    await waitUntil('it has ended', async () => Object.keys(await apply()).length === 0);
  });
});

describe('an uploaded model', () => {
  test('an uploaded model is rendered once, however often its notification is sent, and a forged event starts nothing', async () => {
    const out = await rendering('told');
    await sandbox.set('faults', [
      { event: 'model.*', do: { repeat: 5 } },
      { event: 'model.*', every: 2, do: { forge: 'wrong-secret' } },
    ]);
    await uploadModel(sandbox, 'lamp');
    await waitUntil('the picture is there', async () => (await pictures(out)).length > 0);
    expect(await untilEnded('told')).toMatchObject([{ state: 'complete' }]);
    await sandbox.set('faults', []);
    await end('told');
  });

  test('a model uploaded while there is no receiver is found as soon as one starts, even after the worker was killed', async () => {
    const out = await rendering('swept');
    await receiver.stop('SIGKILL');
    await untilReady(await uploadModel(sandbox, 'chair'));
    await worker.stop('SIGKILL');
    [worker, receiver] = await Promise.all([startWorkerProcess(env), receive()]);
    await waitUntil('the sweep found it', async () => (await pictures(out)).length > 0);
    await end('swept');
  });

  test('a model that is not in the workspace fails with MODEL_NOT_FOUND', async () => {
    await rendering('strange');
    // No sweep finds the model, and a receiver learns of a new trigger a little later, so the event is repeated.
    await waitUntil('a run has begun', async () => {
      await sandbox.set('events', { event: 'model.processed', data: { modelId: 'not-there' } });
      return (await runsOf('strange')).length > 0;
    });
    const [ended] = await untilEnded('strange');
    const shown = await run(['show', ended?.run ?? '', '--json']);
    expect(shown.stdout).toContain('MODEL_NOT_FOUND');
    await end('strange');
  });
});

describe('models that Renderline uploads', () => {
  const makesTwo = async (place: PipelineFolder) => {
    await writeModels(place.folder, names('mine', 2));
    reportOf(await startRun(place, env).finished);
  };
  const rendersOfMine = async () => {
    const { renders } = (await sandbox.api('GET', '/renders?limit=100')) as {
      renders: { name: string; projectId: string }[];
    };
    const { projects } = (await sandbox.api('GET', '/projects?limit=100')) as {
      projects: { projectId: string; name: string }[];
    };
    const mine = new Set(
      projects.filter(({ name }) => name.startsWith('mine')).map(({ projectId }) => projectId),
    );
    return renders.filter(({ projectId }) => mine.has(projectId)).length;
  };

  test.each([
    ['in the same location', 'own', (place: PipelineFolder) => place.out],
    ['in another location', 'beside', () => undefined],
  ])(
    'models that Renderline uploads start no run and are paid for once, with records %s',
    async (_where, name, outOf) => {
      const place = await createPipelineFolder(name);
      const out = await rendering(name, outOf(place));
      await makesTwo(place);
      const paid = await rendersOfMine();
      // The other client's model comes later, so once it is rendered the own ones have been passed over.
      await uploadModel(sandbox, `theirs-${name}`);
      await waitUntil('theirs is there', async () =>
        (await pictures(out)).some((path) => path.startsWith('theirs')),
      );
      await untilEnded(name);
      expect(await runsOf(name)).toHaveLength(1);
      expect((await pictures(out)).some((path) => path.startsWith('mine-01/'))).toBe(false);
      expect(await rendersOfMine()).toBe(paid);
      await end(name);
    },
  );
});

describe('new projects and completed renders', () => {
  test("new projects and completed renders start runs, but Renderline's own renders do so only with `own: true`", async () => {
    const out = join(await tempFolder('chain'), 'out');
    await mkdir(out, { recursive: true });
    const file = (name: string, nodes: string[]) =>
      [
        `name: ${name}`,
        `connectors: { pictures: { type: local, path: ${JSON.stringify(out)} } }`,
        'nodes:',
        ...nodes.map((node) => `  - ${node}`),
      ].join('\n');
    const deliver = (name: string) =>
      `{ id: deliver, type: export, parentIds: [begin], config: { connector: pictures, naming: "${name}/{{ key }}.{{ ext }}" } }`;
    const ended = (more: string) =>
      `{ id: begin, type: render_complete, config: { on: render.complete, gather: 1s${more} } }`;
    const rendersProjects = file('projects', [
      '{ id: begin, type: project_created, config: { on: project.created, gather: 1s } }',
      `{ id: shots, type: render, parentIds: [begin], config: { settings: { renderShots: false, ${small} } } }`,
      deliver('projects').replace('[begin]', '[shots]'),
    ]);
    await applied('theirs', file('theirs', [ended(''), deliver('theirs')]), out);
    await applied('all', file('all', [ended(', own: true'), deliver('all')]), out);
    await applied('projects', rendersProjects, out);
    const modelId = await uploadModel(sandbox, 'vase');
    await untilReady(modelId);
    await sandbox.api('POST', '/projects', { modelIds: [modelId], name: 'vase' });
    await waitUntil('ours was delivered, and again', async () => {
      const all = await pictures(out);
      return ['projects', 'all'].every((name) =>
        all.some((path) => path.startsWith(`${name}/vase`)),
      );
    });
    expect(await runsOf('theirs')).toEqual([]);
    const { projects } = (await sandbox.api('GET', '/projects')) as {
      projects: { projectId: string; name: string }[];
    };
    const vase = projects.find(({ name }) => name === 'vase')?.projectId;
    const settings = { renderShots: false, renderVariants: false, imageQuality: 0 };
    await sandbox.api('POST', '/renders', { projectIds: [vase], settings });
    expect(await untilEnded('theirs')).toMatchObject([{ state: 'complete' }]);
    expect((await pictures(out)).filter((path) => path.startsWith('theirs/vase'))).toHaveLength(1);
  });
});

/** Starts a worker in this process, with fake activities. */
async function playedWorker(taskQueue: string, activities: object): Promise<void> {
  const connected = await connectWorker({ env: temporal.env });
  const { connection, namespace } = connected;
  const worker = await AllQueues.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle: { codePath: inject('workflowBundle') },
    // Each task replays everything before it.
    maxCachedWorkflows: 0,
    activities,
  });
  const done = worker.run();
  onTestFinished(async () => {
    worker.shutdown();
    await done;
    await connected.close();
  });
}

function triggerOf(pipeline: string) {
  const { plan } = compileText(
    [
      `name: ${pipeline}`,
      'connectors: { out: { type: local, path: out } }',
      'records: out',
      'nodes: [{ id: begin, type: model_ready, config: { on: model.processed, gather: 500ms } }]',
    ].join('\n'),
    `${pipeline}.yaml`,
    { cwd: '/', fileFolder: '/', environment: {}, parameters: {} },
  );
  if (plan === null) throw new Error('the pipeline is wrong');
  return { plan, runName: pipeline, memo: {}, facts: {} };
}

describe('an event trigger that does not work', () => {
  test('`schedules` and `doctor` report why an event trigger does not work: no worker, a retried error, a permanent error', async () => {
    const connected = await connectTemporal({ env: temporal.env });
    const { client } = connected;
    onTestFinished(() => connected.close());
    const place = { taskQueue: 'failing', searchable: false };
    await applyEventTrigger(client, triggerOf('failing'), place);
    onTestFinished(() => stopEventTrigger(client, workflowIds.eventTrigger('failing')));
    const at = '2026-01-02T03:04:05Z';
    const about = [{ id: 'm' }];
    await signalEventTrigger(client, 'event-trigger/failing', [
      { name: 'model.processed', at, objects: about },
    ]);
    await untilTold('no worker of its task queue responds');
    let error: Error = new Error('the bucket does not answer');
    await playedWorker('failing', {
      filterEvents: async () => {
        throw error;
      },
    });
    await untilTold('the bucket does not answer');
    expect((await run(['doctor'])).stdout).toContain(
      'failing on model.processed: the bucket does not answer',
    );
    error = ApplicationFailure.nonRetryable('the key is refused');
    await untilTold('the key is refused');
  });

  const untilTold = (message: string) =>
    waitUntil(message, async () => {
      const { stdout } = await run(['schedules', '--json']);
      const { eventTriggers } = JSON.parse(stdout) as {
        eventTriggers: { pipeline: string; trouble: { message: string } | null }[];
      };
      return (
        eventTriggers.find(({ pipeline }) => pipeline === 'failing')?.trouble?.message === message
      );
    });
});

describe('thousands of events', () => {
  const taskQueue = 'load';
  const all = Array.from({ length: 4_000 }, (_, index) => `model-${index}`);
  /** The ids for which runs were started, in their order. */
  const begun: string[] = [];

  /** Starts a worker whose fake activities find everything at once, and only record what is started. */
  async function startWorker(): Promise<void> {
    await playedWorker(taskQueue, {
      filterEvents: async ({ objects: told }: FilterEventsInput) => {
        const known = new Set(begun);
        const ids = told?.map(({ id }) => id) ?? all.filter((id) => !known.has(id));
        return { ids, needsAnotherSweep: false };
      },
      discover: async ({ ids = [] }: DiscoverInput) => {
        begun.push(...ids);
        return { pages: 0, total: 0, new: 0, changed: 0, unchanged: 0, refused: [] };
      },
    });
  }

  test('thousands of events, repeated and in any order, start one run per object, across continuations and a changed file', async () => {
    const connected = await connectTemporal({ env: temporal.env });
    const { client } = connected;
    onTestFinished(() => connected.close());
    await startWorker();
    const made = triggerOf('load');
    const place = { taskQueue, searchable: false };
    const changed = { plan: 'another' };
    await applyEventTrigger(client, made, place);
    const at = '2026-01-02T03:04:05Z';
    for (let first = 0; first < all.length; first += 50) {
      const some = all.slice(first, first + 50).reverse();
      const events = some.map((id) => ({ name: 'model.processed', at, objects: [{ id }] }));
      await signalEventTrigger(client, 'event-trigger/load', events);
      if (first % 200 === 0) await signalEventTrigger(client, 'event-trigger/load', events);
      if (first === all.length / 2)
        await applyEventTrigger(client, { ...made, facts: changed }, place);
    }
    await waitUntil('all were taken', () => new Set(begun).size === all.length);
    expect(begun).toHaveLength(all.length);
    const handle = client.workflow.getHandle(workflowIds.eventTrigger('load'));
    const { events } = await handle.fetchHistory();
    const started = events?.[0]?.workflowExecutionStartedEventAttributes;
    expect(started?.continuedExecutionRunId).toBeTruthy();
    expect(await findEventTrigger(client, 'load')).toMatchObject({ facts: changed, taskQueue });
    await handle.terminate();
  });
});
