// One measurement: the work of one contender in its own environment, and the cost of this work.
import { opendir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Actions } from './billed-actions.ts';
import type { ContenderRunner, Task } from './contender.ts';
import { countsSince } from './counts-since.ts';
import { type BenchEnvironment, withEnvironment } from './environment.ts';
import { readHistories } from './histories.ts';
import { fewestRequests, idealMs } from './ideal.ts';
import { killDuring } from './kills.ts';
import { timeSingle, waitUntilUnderWay } from './mix.ts';
import type { Case } from './options.ts';
import { cpuMs, peakMemoryMib } from './process-times.ts';
import type { BenchSandbox, RateWindow, Stats } from './sandbox.ts';
import { type Use, windowUse } from './window-use.ts';
import type { WorkerFigures } from './worker-pool.ts';
import { writeSingle, writeWorkload } from './workload.ts';

export interface Measurement extends Case {
  route: string;
  outputs: number;
  failed: number;
  requests: number;
  /** Number of requests by operation. They add up to `requests`. */
  byOperation: Record<string, number>;
  rateLimited: number;
  /** Resources that the platform created, which are what a user pays for. */
  created: Stats['created'];
  windows: RateWindow[];
  /** Null if no window had closed when the work ended. */
  windowUse: Use | null;
  /** Actions by kind, as Temporal Cloud bills them. */
  actions: Actions;
  events: number;
  historyBytes: number;
  largestEventBytes: number;
  longestTaskMs: number;
  wallMs: number;
  idealMs: number;
  fewestRequests: number;
  perWorker: WorkerFigures[];
  /** Total CPU time of all workers. */
  workerCpuMs: number;
  /** Highest peak memory of any worker. */
  workerPeakMib: number;
  /** Numbers of activity tasks of the busiest and of the least busy worker. */
  tasks: { max: number; min: number } | null;
  serverCpuMs: number;
  serverPeakMib: number;
  sandboxCpuMs: number;
  sandboxPeakMib: number;
  /**
   * Time from ready to first seen, 95th percentile. With `--mix`, it includes the run of one asset before the others.
   */
  noticedP95Ms: number;
  single: { aloneMs: number; behindMs: number } | null;
}

export function measure(
  benchCase: Case,
  runner: ContenderRunner,
  binary: string,
  seed: number,
): Promise<Measurement> {
  return withEnvironment(benchCase, runner, binary, seed, (environment) =>
    measureOn(environment, benchCase, runner, seed),
  );
}

/** Waits for an unused rate window, so that requests of workers that are starting do not count. */
async function untilWindowOver(
  sandbox: BenchSandbox,
  { limit, windowSeconds }: Pick<Case, 'limit' | 'windowSeconds'>,
): Promise<void> {
  const { windows } = await sandbox.stats();
  const last = windows.at(-1);
  if (limit === 0 || last === undefined) return;
  await sleep(Math.max(0, last.openedAt + windowSeconds * 1_000 - Date.now()));
}

async function measureOn(
  environment: BenchEnvironment,
  benchCase: Case,
  runner: ContenderRunner,
  seed: number,
): Promise<Measurement> {
  const { sandbox, pool, serverPid } = environment;
  const serverCpu = () => (serverPid === undefined ? 0 : cpuMs(serverPid));
  const task = await environment.task('all', (folder) =>
    writeWorkload(folder, benchCase.assets, seed),
  );
  const aloneMs = benchCase.mix
    ? await timeSingle(
        runner,
        pool.contenderEnvironment,
        await createSingleTask(environment, 'alone'),
      )
    : undefined;
  await untilWindowOver(sandbox, benchCase);
  const before = {
    server: serverCpu(),
    sandbox: cpuMs(sandbox.child.pid),
    stats: await sandbox.stats(),
    actions: await environment.actions(),
  };
  pool.begin();
  const startedAtMs = Date.now();
  await runner.start(pool.contenderEnvironment, task);
  const endOfRun = new AbortController();
  const [span, behindMs] = await Promise.all([
    runner.waitForEnd(pool.contenderEnvironment, task, startedAtMs).finally(() => endOfRun.abort()),
    benchCase.mix ? timeBehind(environment, runner, benchCase, before.stats) : undefined,
    killDuring(pool, sandbox, { ...benchCase, seed, over: endOfRun.signal }),
  ]);
  const perWorker = pool.figures();
  const after = { server: serverCpu(), sandbox: cpuMs(sandbox.child.pid) };
  const stats = await sandbox.stats();
  const actions = countsSince(before.actions, await environment.actions());
  const { temporal } = pool.contenderEnvironment;
  const histories = await readHistories(temporal, runner.workflowTypes, startedAtMs);
  const outputs = await countPictures(task.out);
  const windows = stats.windows.slice(before.stats.windows.length);
  return {
    ...benchCase,
    route: runner.description,
    outputs,
    failed: benchCase.assets - outputs,
    requests: stats.totalRequests - before.stats.totalRequests,
    byOperation: countsSince(before.stats.requests, stats.requests),
    rateLimited: stats.rateLimited - before.stats.rateLimited,
    created: {
      models: stats.created.models - before.stats.created.models,
      projects: stats.created.projects - before.stats.created.projects,
      renderJobs: stats.created.renderJobs - before.stats.created.renderJobs,
    },
    windows,
    windowUse: windowUse(windows, benchCase, span.closedAtMs),
    actions,
    events: histories.events,
    historyBytes: histories.bytes,
    largestEventBytes: histories.largestEventBytes,
    longestTaskMs: histories.longestTaskMs,
    wallMs: span.closedAtMs - span.startedAtMs,
    idealMs: idealMs(task.workload.slowestMs, benchCase),
    fewestRequests: fewestRequests(benchCase.assets),
    perWorker,
    workerCpuMs: perWorker.reduce((sum, worker) => sum + worker.cpuMs, 0),
    workerPeakMib: Math.max(...perWorker.map((worker) => worker.peakMib)),
    tasks: taskShares(histories.tasks, benchCase.workers),
    serverCpuMs: after.server - before.server,
    serverPeakMib: serverPid === undefined ? 0 : peakMemoryMib(serverPid),
    sandboxCpuMs: after.sandbox - before.sandbox,
    sandboxPeakMib: peakMemoryMib(sandbox.child.pid),
    noticedP95Ms: await sandbox.noticedP95Ms(),
    single: aloneMs === undefined || behindMs === undefined ? null : { aloneMs, behindMs },
  };
}

function createSingleTask(environment: BenchEnvironment, name: string): Promise<Task> {
  return environment.task(name, (folder) => writeSingle(folder, name));
}

/** Returns the duration, in ms, of a run with one asset while other runs are in progress. */
async function timeBehind(
  environment: BenchEnvironment,
  runner: ContenderRunner,
  benchCase: Case,
  statsBefore: Stats,
): Promise<number> {
  const task = await createSingleTask(environment, 'behind');
  await waitUntilUnderWay(
    environment.pool.contenderEnvironment,
    statsBefore.created.models,
    benchCase.assets,
  );
  return timeSingle(runner, environment.pool.contenderEnvironment, task);
}

/**
 * Returns the numbers of tasks of the busiest and least busy worker. Null for one worker, and for contenders without
 * activity tasks.
 */
function taskShares(tasks: ReadonlyMap<string, number>, workers: number): Measurement['tasks'] {
  if (workers === 1 || tasks.size === 0) return null;
  const counts = [...tasks.values()];
  const idle = tasks.size < workers;
  return { max: Math.max(...counts), min: idle ? 0 : Math.min(...counts) };
}

/** Counts the pictures of a run without collecting their names, because there may be 100,000. */
async function countPictures(folder: string): Promise<number> {
  let pictures = 0;
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (entry.isFile() && entry.name.endsWith('.png')) pictures += 1;
  }
  return pictures;
}
