// The environment for recording one scenario: platform, Temporal server and worker in this process, on loopback.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startSandbox } from '@renderline/sandbox';
import type { Client, WorkflowClient, WorkflowHandle } from '@temporalio/client';
import { boxModel } from '../../bench/box-model.ts';
import { createClient, type Client as PlatformClient } from '../../src/api/client.ts';
import { startRun } from '../../src/app/runs/start-run.ts';
import { readScheduleDays } from '../../src/app/schedules/calendars.ts';
import { triggerThrough } from '../../src/app/schedules/control.ts';
import {
  type DeclaredSchedule,
  scheduleOptions,
} from '../../src/app/schedules/schedule-options.ts';
import { allowanceKeyOf } from '../../src/app/worker/coordination/allowance-workflow.ts';
import { startWorker } from '../../src/app/worker/worker.ts';
import { compileText } from '../../src/compile/compile.ts';
import type { ScheduleDeclaration } from '../../src/compile/schedule.ts';
import { openConnector } from '../../src/connectors/index.ts';
// Declares the ids of models. In compiled declarations, an unused type import would be left out.
import type {} from '../../src/features/models/platform-ids.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import { type RunProgress, type RunResult, workflowIds } from '../../src/plan/contract/contract.ts';
import { messages } from '../../src/plan/contract/messages.ts';
import type { Outcome } from '../../src/plan/shard/totals.ts';
import type { EventRules, Plan } from '../../src/plan/types.ts';
import type { DecisionPage } from '../../src/store/runs/pictures/approvals.ts';
import { withAuditRecord } from '../../src/temporal/audit/record-action.ts';
import { connectTemporal, connectWorker } from '../../src/temporal/connection/connect.ts';
import {
  applyEventTrigger,
  eventTriggerIdOf,
  signalEventTrigger,
} from '../../src/temporal/runs/event-triggers.ts';
import { startDevServer } from '../../src/temporal/server/dev-server.ts';
import type { Scenario } from './scenario.ts';
import { pipelineOf } from './scenario-pipeline.ts';

const pollIntervalMs = 50;
const patienceMs = 180_000;
const taskQueue = 'renderline';

export interface RecordingEnvironment {
  /** Path of a folder that must not appear in a recording. */
  folder: string;
  apiKey: string;
  run: string;
  /** The event trigger that started the run. Null if there is none. */
  eventTrigger: string | null;
  /** The audit log workflow. */
  audit: string;
  /** Writes an entry about a schedule to the audit log. */
  act(number: number): Promise<void>;
  /** Shared workflows of workers, by short name. */
  shared: Record<'allowance' | 'pollLeader', string>;
  workflows: WorkflowClient;
  untilState(state: RunProgress['state']): Promise<void>;
  untilRequests(operation: string): Promise<void>;
  signal(name: 'pause' | 'resume' | 'approve'): Promise<void>;
  /** Waits until this many assets wait at the approval node. */
  untilShown(node: string, assets: number): Promise<void>;
  /** Decides about assets at the approval node, as a person does. */
  decide(node: string, keys: Partial<Pick<DecisionPage, 'approved' | 'rejected'>>): Promise<void>;
  /** Waits until the result of the asset has been written. */
  untilEnded(key: string): Promise<void>;
  cancel(): Promise<void>;
  /** Sends POST /_sandbox/{path}. */
  control(path: string, body: unknown): Promise<void>;
  /** Waits for the end of the run and returns its outcome. */
  ended(): Promise<Outcome>;
}

/** Sets up the environment, starts the scenario's run, and calls `task`. */
export async function withRecordingEnvironment<T>(
  scenario: Scenario,
  binary: string,
  task: (recording: RecordingEnvironment) => Promise<T>,
): Promise<T> {
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const folder = await mkdtemp(join(tmpdir(), 'renderline-record-'));
    stops.unshift(() => rm(folder, { recursive: true, force: true }));
    const plan = await preparePlan(scenario, folder);
    const sandbox = await startSandbox({ speed: 20, pictureScale: 0, rateLimit: 0, seed: 1 });
    stops.unshift(() => sandbox.stop());
    const control = async (path: string, body: unknown) => {
      const answer = await fetch(`${sandbox.origin}/_sandbox/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`the sandbox refused ${path}: ${await answer.text()}`);
    };
    await control('faults', scenario.faults ?? []);
    if (scenario.name === 'paused-by-cause') await control('limits', { projects: 0 });
    const server = await startDevServer({
      binary,
      ui: false,
      dynamicConfig:
        scenario.continueAsNewAt === undefined
          ? {}
          : { 'limit.historyCount.suggestContinueAsNew': scenario.continueAsNewAt },
    });
    stops.unshift(() => server.stop());
    const env = { TEMPORAL_ADDRESS: server.address };
    const temporal = await connectTemporal({ env });
    stops.unshift(() => temporal.close());
    const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    stops.unshift(() => client.close());
    const hosts = ['worker', ...(scenario.otherHost === undefined ? [] : [scenario.otherHost])];
    for (const host of hosts) {
      const connected = await connectWorker({ env });
      const worker = await startWorker({
        connection: connected.connection,
        namespace: connected.namespace,
        client,
        apiKey: sandbox.apiKey,
        taskQueue,
        host,
        shutdownGraceMs: 1_000,
      });
      stops.unshift(async () => {
        worker.shutdown();
        await worker.done;
        await connected.close();
      });
    }
    await seedWorkspace(client, scenario);
    const run = scenario.onEvent
      ? await startByEvent(temporal.client, plan, client, scenario.onEvent)
      : scenario.scheduled === true
        ? await startBySchedule(temporal.client, plan)
        : await startRun(temporal, plan, taskQueue, Date.now());
    const handle = temporal.client.workflow.getHandle(run);
    return await task({
      folder,
      apiKey: sandbox.apiKey,
      run,
      eventTrigger: scenario.onEvent ? workflowIds.eventTrigger(plan.pipeline) : null,
      audit: workflowIds.audit(taskQueue),
      act: (number) => {
        const schedule = { subject: 'schedule', name: 'pictures', pipeline: 'pictures' } as const;
        const act = { what: 'paused', ...schedule, reason: `reason ${number}` };
        return withAuditRecord({ client: temporal.client, taskQueue }, act, async () => {});
      },
      shared: {
        allowance: workflowIds.allowance(allowanceKeyOf(client.baseUrl, sandbox.apiKey)),
        pollLeader: workflowIds.pollLeader(taskQueue),
      },
      workflows: temporal.client.workflow,
      control,
      untilState: (state) =>
        until(`the run is ${state}`, async () => {
          const progress = await handle.query<RunProgress>(messages.progress);
          return progress.state === state;
        }),
      untilRequests: (operation) =>
        until(`${operation} was sent`, async () => {
          const answer = await fetch(`${sandbox.origin}/_sandbox/stats`);
          const { requests } = (await answer.json()) as { requests: Record<string, number> };
          return (requests[operation] ?? 0) > 0;
        }),
      signal: (name) => handle.signal(messages[name]),
      ...decisionsOf(plan, handle),
      cancel: async () => {
        await handle.cancel();
      },
      ended: () => outcomeOf(handle),
    });
  } finally {
    for (const stop of stops) await stop();
  }
}

function decisionsOf(
  { records, pipeline }: Plan,
  handle: WorkflowHandle,
): Pick<RecordingEnvironment, 'untilShown' | 'decide' | 'untilEnded'> {
  const run = handle.workflowId;
  const store = openRunStore(openConnector(records), { run, lineage: run, pipeline, recipe: '' });
  const readShownPages = async (node: string) => {
    const pages = await store.approvals.shown();
    return pages.filter((page) => page.node === node);
  };
  return {
    untilShown: (node, assets) =>
      until(`${assets} assets wait`, async () => {
        const pages = await readShownPages(node);
        return pages.flatMap((page) => page.assets).length === assets;
      }),
    async decide(node, { approved = [], rejected = [] }) {
      for (const { shard, assets } of await readShownPages(node)) {
        const pageKeys = new Set(assets.map(({ key }) => key));
        await store.approvals.decide({
          shard,
          node,
          by: 'anna@studio',
          at: new Date().toISOString(),
          reason: 'too dark',
          approved: approved.filter((key) => pageKeys.has(key)),
          rejected: rejected.filter((key) => pageKeys.has(key)),
        });
      }
      const counts = { approved: approved.length, rejected: rejected.length };
      await handle.signal(messages.decide, { steps: [node], ...counts, reason: 'too dark' });
    },
    untilEnded: (key) =>
      until(`${key} has ended`, async () => {
        for await (const asset of store.results.read(run)) if (asset.key === key) return true;
        return false;
      }),
  };
}

/** Creates the resources that must exist before the run starts. */
async function seedWorkspace(
  platform: PlatformClient,
  { onPlatform = [], materials = [], properties = [] }: Scenario,
): Promise<void> {
  for (const name of properties) await platform.createProperty({ body: { name, type: 'TEXT' } });
  for (const name of materials) {
    await platform.createPantoneMaterial({ body: { name, pantoneCode: '186 C', hex: '#c8102e' } });
  }
  const modelIds: string[] = [];
  for (const name of onPlatform) modelIds.push(await uploadModel(platform, name));
  if (modelIds.length === 0) return;
  await until(
    'the models are ready',
    async () => (await platform.checkModelStatus({ body: { modelIds } })).allReady === true,
  );
}

/** Uploads a model as another client. @returns its id */
async function uploadModel(platform: PlatformClient, name: string): Promise<string> {
  const response = await platform.createModels({ body: { models: [{ name, fileType: 'glb' }] } });
  const [model] = response.models;
  if (!model?.uploadUrl) throw new Error('the sandbox made no model');
  await fetch(model.uploadUrl, { method: 'PUT', body: new Uint8Array(boxModel()) });
  const { modelId } = model;
  await platform.confirmModel({ params: { modelId }, body: { fileType: 'glb' } });
  return modelId;
}

/** Returns the first execution of a workflow, before continue-as-new. */
export async function firstOf(
  workflows: WorkflowClient,
  workflowId: string,
): Promise<WorkflowHandle> {
  const { events } = await workflows.getHandle(workflowId).fetchHistory();
  const startEvent = events?.[0]?.workflowExecutionStartedEventAttributes;
  return workflows.getHandle(workflowId, startEvent?.firstExecutionRunId ?? undefined);
}

async function startBySchedule(client: Client, plan: Plan): Promise<string> {
  const declaration: ScheduleDeclaration = {
    name: null,
    cron: ['@yearly'],
    interval: null,
    timezone: 'UTC',
    overlap: 'skip',
    catchUpMs: 3_600_000,
    jitterMs: 0,
    paused: null,
    parameters: plan.parameters,
    from: null,
    until: null,
    except: { days: [], weekdays: [], calendars: [] },
    onExcept: 'skip',
    clockChange: null,
  };
  const schedule: DeclaredSchedule = {
    path: '/recorded/pictures.yaml',
    declaration,
    ...(await readScheduleDays(declaration, plan, Date.now())),
    plan,
    limits: {},
    taskQueue,
    searchable: true,
  };
  await client.schedule.create(scheduleOptions(schedule, { paused: false, note: '' }));
  const { run } = await triggerThrough(client, plan.pipeline, Date.now);
  if (run === null) throw new Error('the schedule started nothing');
  return run;
}

/** Creates a resource as another client, notifies the event trigger, and returns the run that the trigger starts. */
async function startByEvent(
  temporal: Client,
  plan: Plan,
  platform: PlatformClient,
  name: EventRules['event'],
): Promise<string> {
  const trigger = { plan, runName: plan.pipeline, memo: {}, facts: {} };
  await applyEventTrigger(temporal, trigger, { taskQueue, searchable: true });
  const modelId = await uploadModel(platform, 'lamp');
  const about = name === 'model.processed' ? [{ id: modelId }] : [];
  if (name === 'project.created') {
    const isReady = async () =>
      (await platform.checkModelStatus({ body: { modelIds: [modelId] } })).allReady === true;
    await until('the model is ready', isReady);
    await platform.createProjects({ body: { modelIds: [modelId] } });
  }
  await signalEventTrigger(temporal, eventTriggerIdOf(temporal, plan.pipeline), [
    { name, at: '2026-01-02T03:04:05Z', objects: about },
  ]);
  const handle = await firstOf(temporal.workflow, workflowIds.eventTrigger(plan.pipeline));
  let run = '';
  await until('the event trigger starts a run', async () => {
    const { events } = await handle.fetchHistory();
    for (const { childWorkflowExecutionStartedEventAttributes: childStart } of events ?? []) {
      run = childStart?.workflowExecution?.workflowId ?? run;
    }
    return run !== '';
  });
  return run;
}

async function preparePlan(scenario: Scenario, folder: string): Promise<Plan> {
  const models = join(folder, 'models');
  const out = join(folder, 'pictures');
  await mkdir(models);
  await mkdir(out);
  for (const name of scenario.models) {
    const bytes = boxModel();
    const content = name.startsWith('broken-') ? bytes.subarray(0, bytes.length - 40) : bytes;
    await writeFile(join(models, `${name}.glb`), content);
  }
  const { plan, problems } = compileText(pipelineOf(scenario), 'recorded.yaml', {
    cwd: folder,
    fileFolder: folder,
    parameters: { folder: models, out },
    environment: {},
  });
  if (!plan)
    throw new Error(`${scenario.name}: ${problems.map(({ message }) => message).join('; ')}`);
  await deliverBefore(plan, scenario);
  const { shardSize = plan.shardSize, window = plan.window } = scenario;
  return { ...plan, shardSize, window };
}

/** Writes the records of an earlier run with other versions of the files. */
async function deliverBefore(plan: Plan, { changed = [] }: Scenario): Promise<void> {
  const earlierRun = { run: 'recorded-before', lineage: 'recorded-before', recipe: plan.recipe };
  const connector = openConnector(plan.records);
  const { records } = openRunStore(connector, { ...earlierRun, pipeline: plan.pipeline });
  for (const key of changed) {
    await records.write({
      ...earlierRun,
      key,
      source: { path: `${key}.glb`, bytes: 1, mtimeMs: 1, version: '1-1' },
      platformIds: { modelId: `old-${key}` },
      files: [],
      finishedAt: '2026-01-02T03:04:05.000Z',
    });
  }
}

async function outcomeOf(handle: WorkflowHandle): Promise<Outcome> {
  await until('the run ends', async () => (await handle.describe()).status.name !== 'RUNNING');
  try {
    const result = (await handle.result()) as RunResult;
    return result.outcome;
  } catch {
    const { status } = await handle.describe();
    return status.name === 'CANCELLED' ? 'cancelled' : 'failed';
  }
}

async function until(condition: string, check: () => Promise<boolean>): Promise<void> {
  const lastMs = Date.now() + patienceMs;
  // A query fails until a worker has picked up the run.
  while (!(await check().catch(() => false))) {
    if (Date.now() > lastMs)
      throw new Error(`timed out after ${patienceMs / 1_000} s while waiting until ${condition}`);
    await delay(pollIntervalMs);
  }
}
