// Real workers with one API key: they share one allowance, and one of them polls for all.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allowanceKeyOf } from '../../src/app/worker/coordination/allowance-workflow.ts';
import { workflowIds } from '../../src/plan/contract/contract.ts';
import { connectTemporal, type TemporalConnection } from '../../src/temporal/connection/connect.ts';
import { names, writeModels } from '../system/_models.ts';
import { createPipelineFolder, joined, runToEnd } from '../system/_runs.ts';
import { fastSandbox, type SandboxInUse, startSandbox } from '../system/_sandbox.ts';
import {
  type Env,
  type RunningProcess,
  startWorkerProcess,
  useProcesses,
  waitUntil,
} from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

const perMinute = 24;
let sandbox: SandboxInUse;
let env: Env;
let workers: RunningProcess[];
let connection: TemporalConnection;
let allowance: string;
let pollerContext: string;

beforeAll(async () => {
  const flags = [...fastSandbox, '--rate-limit', String(perMinute)];
  sandbox = await startSandbox(flags);
  env = joined(temporal.env, sandbox.env, { RENDERLINE_RATE_LIMIT: String(perMinute) });
  workers = await Promise.all([1, 2, 3].map(() => startWorkerProcess(env)));
  connection = await connectTemporal({ env: temporal.env });
  const { RENDERLINE_BASE_URL: address = '', RENDERLINE_API_KEY: key = '' } = env;
  allowance = workflowIds.allowance(allowanceKeyOf(address, key));
  pollerContext = workflowIds.pollLeader(env['RENDERLINE_TASK_QUEUE'] ?? '');
});
afterAll(() => connection.close());

/** The worker that polls for all; undefined while there is none. */
async function looker(): Promise<RunningProcess | undefined> {
  const { raw } = await connection.client.workflow.getHandle(pollerContext).describe();
  const [pending] = raw.pendingActivities ?? [];
  // While the activity waits for a worker, its identity is that of the previous worker.
  const started = pending?.lastStartedTime && pending.state === 2;
  const identity = started ? (pending.lastWorkerIdentity ?? '') : '';
  return workers.find(({ pid }) => identity.includes(String(pid)));
}

it('three workers together stay within the allowance, without a refused request', async () => {
  const place = await createPipelineFolder('allowance');
  const keys = names('shoe', 40);
  await writeModels(place.folder, keys);
  const before = await sandbox.stats();
  const report = await runToEnd(place, env);
  const after = await sandbox.stats();
  expect(report.assets).toMatchObject({ complete: keys.length });
  expect(after.rateLimited - before.rateLimited).toBe(0);
  const handle = connection.client.workflow.getHandle(allowance);
  const page = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  expect(page.currentDetails).toContain(`**${perMinute}**`);
  expect(page.currentDetails.match(/^\| \S+-[0-9a-f]{4} \|/gm)).toHaveLength(workers.length);
  expect(JSON.stringify(await handle.fetchHistory())).not.toContain(env['RENDERLINE_API_KEY']);
});

it('one worker polls for all, and another takes over when that worker is killed', async () => {
  await waitUntil('somebody looks', async () => (await looker()) !== undefined);
  const first = await looker();
  await first?.stop('SIGKILL');
  const isAnother = async () => {
    const now = await looker();
    return now !== undefined && now !== first;
  };
  await waitUntil('another one looks', isAnother, 60_000);
});

it('a worker that stops hands over polling immediately', async () => {
  const first = await looker();
  const stopping = first?.stop();
  const isAnother = async () => {
    const now = await looker();
    return now !== undefined && now !== first;
  };
  await waitUntil('another one looks', isAnother, 9_000);
  await stopping;
});

it('the allowance and the poll leader start again after they were terminated', async () => {
  const { workflow } = connection.client;
  const runOf = async (id: string) => (await workflow.getHandle(id).describe()).runId;
  const before = { allowance: await runOf(allowance), pollerContext: await runOf(pollerContext) };
  for (const id of [allowance, pollerContext]) await workflow.getHandle(id).terminate();
  workers.push(await startWorkerProcess(env));
  await waitUntil('both go on', async () => {
    const isOpen = async (id: string) =>
      (await workflow.getHandle(id).describe()).status.name === 'RUNNING';
    return (await isOpen(allowance)) && (await isOpen(pollerContext));
  });
  expect(await runOf(allowance)).not.toBe(before.allowance);
  expect(await runOf(pollerContext)).not.toBe(before.pollerContext);
  await waitUntil('somebody looks', async () => (await looker()) !== undefined);
});
