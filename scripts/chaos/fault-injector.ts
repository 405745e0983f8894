// Injects the planned faults of a round at their times, independently of each other.
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { intervene } from './interventions.ts';
import type { Action, FaultKind, RoundPlan } from './plan.ts';
import type { Platform } from './platform.ts';
import type { Proxy } from './proxy.ts';
import { type Commands, findRunningRun } from './runs.ts';
import { keyOf, pipelinePaths, type SourceHashes, writeModel } from './sources.ts';
import type { DurableTemporal } from './temporal.ts';
import type { Workers } from './workers.ts';

export interface RoundContext {
  folder: string;
  plan: RoundPlan;
  temporal: DurableTemporal;
  platform: Platform;
  workers: Workers;
  commands: Commands;
  sources: SourceHashes;
  /** The proxy, which can hold a call of the workers. */
  proxy: Proxy;
  countFault: (kind: FaultKind) => void;
  signal: AbortSignal;
}

/** Resolves when all actions are done and everything that was stopped is running again. */
export async function injectFaults(context: RoundContext): Promise<void> {
  const { plan, signal } = context;
  await Promise.all(
    plan.actions.map(async (action) => {
      await delay(action.atMs, undefined, { signal });
      if (await applyAction(action, context)) context.countFault(action.kind);
    }),
  );
}

/** Performs an action. @returns whether it had an effect */
async function applyAction(action: Action, context: RoundContext): Promise<boolean> {
  const { temporal, platform, workers, signal } = context;
  const wait = (ms: number) => delay(ms, undefined, { signal });
  switch (action.do) {
    case 'kill-worker':
      await workers.replace(action.worker);
      return true;
    case 'freeze-worker':
      await workers.freeze(action.worker);
      await wait(action.forMs);
      await workers.thaw(action.worker);
      return true;
    case 'limit-worker': {
      // With no more files than these, the worker can neither open a file nor connect to a server.
      const value = action.resource === 'nofile' ? '20' : '0';
      const previous = await workers.limit(action.worker, action.resource, value);
      if (previous === null) return false;
      await wait(action.forMs);
      // Node aborts a process that needs a file for the time limit of workflow code, and then a service restarts it.
      const isAlive = (await workers.limit(action.worker, action.resource, previous)) !== null;
      if (!isAlive) await workers.replace(action.worker);
      return true;
    }
    case 'restart-temporal':
      await temporal.kill();
      await wait(action.downMs);
      await temporal.restart();
      return true;
    case 'restart-platform':
      await platform.stop(action.isGraceful ? 'SIGTERM' : 'SIGKILL');
      await wait(action.downMs);
      await platform.start();
      return true;
    default:
      return applyOperatorAction(action, context);
  }
}

/** Performs an action of a person. A command that fails is not repeated. */
async function applyOperatorAction(
  action: Extract<Action, { pipeline: string }>,
  context: RoundContext,
): Promise<boolean> {
  const { plan, folder, commands, sources, signal } = context;
  const pipeline = plan.pipelines.find(({ name }) => name === action.pipeline);
  if (!pipeline) return false;
  if (action.do === 'terminate' || action.do === 'reset')
    return intervene(action, pipeline, context);
  if (action.do === 'second-run') return (await commands.start(pipeline)).code === 0;
  if (action.do === 'replace-file') {
    const writeContext = { seed: plan.seed, hashes: sources };
    await writeModel(
      pipelinePaths(folder, pipeline).folder,
      keyOf(pipeline.folder, 0),
      writeContext,
    );
    return true;
  }
  if (action.do === 'unmount' || action.do === 'unplug') {
    const paths = pipelinePaths(folder, pipeline);
    const mounted = action.do === 'unmount' ? paths.out : paths.folder;
    const unmounted = `${mounted}.unmounted`;
    await rename(mounted, unmounted);
    await mkdir(mounted);
    await delay(action.forMs, undefined, { signal });
    // A source file that was replaced meanwhile stays replaced.
    if (action.do === 'unplug') await cp(mounted, unmounted, { recursive: true });
    await rm(mounted, { recursive: true });
    await rename(unmounted, mounted);
    return true;
  }
  const run = await findRunningRun(commands, pipeline);
  if (run === null) return false;
  const { code } = await commands.run(action.do, run);
  if (action.do !== 'pause') return code === 0;
  await delay(action.forMs, undefined, { signal });
  await commands.run('resume', run);
  return code === 0;
}
