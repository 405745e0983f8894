// Measures the workflows of a large run on their own, with a dev server and activities that do nothing.
// npm run large-run -- --assets 1000000
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { BaseVMWorkflow } from '@temporalio/worker/lib/workflow/vm-shared.js';
import { type RunInput, workflowIds, workflowNames } from '../src/plan/contract/contract.ts';
import { sizeOfShard } from '../src/plan/contract/sharding.ts';
import { pollQueue, urgentQueueOf } from '../src/plan/run/queues.ts';
import type { OpenedShard, StepInput, StepOutput } from '../src/plan/shard/step-contract.ts';
import { defaultInFlight } from '../src/plan/shard/window.ts';
import { type Plan, planSchema, type Step } from '../src/plan/types.ts';
import { startDevServer } from '../src/temporal/server/dev-server.ts';
import { findTemporalServer } from '../src/temporal/server/find-server.ts';
import { wholeNumber } from './whole-number.ts';

const taskQueue = 'large-run';
const shardSize = 250;

const step = (id: string, parents: string[], mode: Step['mode'], activity: string): Step => ({
  id,
  node: id,
  activity,
  mode,
  parents,
  when: null,
  config: {},
  batch: mode === 'call' ? 50 : shardSize,
  startToCloseMs: 60_000,
  heartbeatMs: null,
  timeoutMs: 3_600_000,
  retry: null,
});

const connectorSpec = { type: 'local', path: '/nowhere' };
const plan: Plan = {
  schema: planSchema,
  hash: 'large',
  pipeline: 'large',
  file: 'large.yaml',
  parameters: {},
  connectors: {},
  records: connectorSpec,
  destination: connectorSpec,
  recipe: 'large',
  stages: { source: '', composition: '', render: '', sheet: '', deliveries: {} },
  discovery: { node: 'take', activity: 'connector_poll', config: {}, key: null },
  steps: [
    step('upload', [], 'call', 'connector_poll'),
    step('ready', ['upload'], 'wait', 'model_ready'),
    step('shots', ['ready'], 'call', 'render'),
    step('done', ['shots'], 'wait', 'render_complete'),
    step('deliver', ['done'], 'call', 'export'),
  ],
  shardSize,
  window: 8,
  inFlight: defaultInFlight,
  route: [],
};

const totalsOf = (total: number) => ({
  pages: Math.ceil(total / shardSize),
  total,
  new: total,
  changed: 0,
  unchanged: 0,
  refused: 0,
});

const runStep = async ({ assets }: StepInput): Promise<StepOutput> => ({
  done: assets,
  pruned: [],
  failed: [],
  retry: [],
  pages: [],
  reportedFailures: [],
  requests: { any: 1 },
});

function activitiesFor(assets: number) {
  return {
    discover: async () => totalsOf(assets),
    openShard: async ({ shard }: { shard: number }): Promise<OpenedShard> => {
      const size = sizeOfShard(totalsOf(assets), plan, shard);
      const positions = Array.from({ length: size }, (_, index) => index);
      const keys = positions.map((index) => `folder/asset-${shard}-${index}`);
      return { assets: positions, keys, complete: [], takenByOtherRuns: [], pages: [] };
    },
    connector_poll: runStep,
    model_ready: runStep,
    render: runStep,
    render_complete: runStep,
    export: runStep,
    finalizeAssets: async () => undefined,
    compactPages: async () => ({ pages: [] }),
    listClosedShards: async () => [],
    readLoad: async () => ({ pressure: 0, memory: 0 }),
  };
}

/** @returns a list to which the duration of each workflow task's code is added, ms. Workflows run in this thread */
function timeTasks(): number[] {
  const times: number[] = [];
  const { prototype } = BaseVMWorkflow;
  const activate: typeof prototype.activate = Reflect.get(prototype, 'activate');
  prototype.activate = async function timed(activation) {
    const startedMs = performance.now();
    try {
      return await activate.call(this, activation);
    } finally {
      times.push(performance.now() - startedMs);
    }
  };
  return times;
}

function spread(times: readonly number[]) {
  const sorted = [...times].sort((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.floor(share * (sorted.length - 1))];
  return {
    tasks: sorted.length,
    median: percentile(0.5),
    p99: percentile(0.99),
    p999: percentile(0.999),
    longest: percentile(1),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Returns the events and bytes of a workflow over all of its executions. */
async function costOf(client: Client, workflowId: string) {
  const cost = { events: 0, bytes: 0, longest: 0, largestEvent: 0, executions: 0 };
  let runId: string | undefined = (await client.workflow.getHandle(workflowId).describe()).runId;
  while (runId) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const sizes = (events ?? []).map((event) => JSON.stringify(event).length);
    cost.executions += 1;
    cost.events += sizes.length;
    cost.longest = Math.max(cost.longest, sizes.length);
    cost.bytes += sum(sizes);
    cost.largestEvent = Math.max(cost.largestEvent, ...sizes);
    runId =
      events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? undefined;
  }
  return cost;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { assets: { type: 'string', default: '20000' } } });
  const assets = wholeNumber('--assets', values.assets, 0, 'npm run large-run -- --assets 1000000');
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const { path } = await findTemporalServer({ env: process.env, onProgress: () => undefined });
  const server = await startDevServer({ ui: false, binary: path });
  const connection = await NativeConnection.connect({ address: server.address });
  const client = new Client({
    connection: await Connection.connect({ address: server.address }),
  });
  const activities = activitiesFor(assets);
  const workers = [
    await Worker.create({
      connection,
      taskQueue,
      workflowBundle: { codePath: new URL('../workflow-bundle.js', import.meta.url).pathname },
      activities,
      debugMode: true,
      maxCachedWorkflows: 200,
    }),
    ...(await Promise.all(
      [pollQueue(taskQueue), urgentQueueOf(taskQueue)].map((queue) =>
        Worker.create({ connection, taskQueue: queue, activities }),
      ),
    )),
  ];
  const working = Promise.all(workers.map((worker) => worker.run()));
  const times = timeTasks();
  let rssMb = 0;
  const watch = setInterval(() => {
    rssMb = Math.max(rssMb, process.memoryUsage().rss / 1e6);
  }, 500);
  try {
    const input: RunInput = { plan, run: 'large', lineage: 'large', epoch: 0, searchable: false };
    const startedMs = Date.now();
    const result = await client.workflow.execute(workflowNames.run, {
      taskQueue,
      workflowId: 'large',
      args: [input],
    });
    const seconds = Math.round((Date.now() - startedMs) / 1_000);
    const { historyEvents, assets: counts } = result as { historyEvents: number; assets: object };
    const firstShard = await costOf(client, workflowIds.shard('large', 0));
    const report = {
      assets: counts,
      seconds,
      eventsAnAsset: historyEvents / assets,
      // On a busy machine, the maximum mostly measures other work.
      taskMs: { ...spread(times), anAsset: sum(times) / assets },
      rssMb: Math.round(rssMb),
      run: await costOf(client, 'large'),
      firstShard,
    };
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  } finally {
    clearInterval(watch);
    for (const worker of workers) worker.shutdown();
    await working;
    await connection.close();
    await server.stop();
  }
}

await main();
