// Injects the planned faults of a round at their times, independently of each other.
import { setTimeout as delay } from 'node:timers/promises';
import { press } from './buttons.ts';
import type { Action, FaultKind, RoundPlan } from './plan.ts';
import type { Platform } from './platform.ts';
import type { Proxy } from './proxy.ts';
import { type Commands, runningOf } from './runs.ts';
import { keyOf, placesOf, type SourceHashes, writeModel } from './sources.ts';
import type { DurableTemporal } from './temporal.ts';
import type { Workers } from './workers.ts';

export interface Victims {
  folder: string;
  plan: RoundPlan;
  temporal: DurableTemporal;
  platform: Platform;
  workers: Workers;
  commands: Commands;
  sources: SourceHashes;
  /** The proxy can hold a call of the workers. */
  proxy: Proxy;
  /** Counts an injected fault. */
  count: (kind: FaultKind) => void;
  signal: AbortSignal;
}

/** Resolves when all actions are done and everything that was stopped runs again. */
export async function haunt(victims: Victims): Promise<void> {
  const { plan, signal } = victims;
  await Promise.all(
    plan.actions.map(async (action) => {
      await delay(action.atMs, undefined, { signal });
      if (await act(action, victims)) victims.count(action.kind);
    }),
  );
}

/** @returns whether the action had a target */
async function act(action: Action, victims: Victims): Promise<boolean> {
  const { temporal, platform, workers, signal } = victims;
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
    case 'restart-temporal':
      await temporal.kill();
      await wait(action.downMs);
      await temporal.startAgain();
      return true;
    case 'restart-platform':
      await platform.stop(action.gently ? 'SIGTERM' : 'SIGKILL');
      await wait(action.downMs);
      await platform.start();
      return true;
    default:
      return operate(action, victims);
  }
}

/** Actions of a person. A command that fails is not repeated. */
async function operate(
  action: Extract<Action, { pipeline: string }>,
  victims: Victims,
): Promise<boolean> {
  const { plan, folder, commands, sources, signal } = victims;
  const pipeline = plan.pipelines.find(({ name }) => name === action.pipeline);
  if (!pipeline) return false;
  if (action.do === 'terminate' || action.do === 'reset') return press(action, pipeline, victims);
  if (action.do === 'second-run') return (await commands.start(pipeline)).code === 0;
  if (action.do === 'replace-file') {
    const at = { seed: plan.seed, hashes: sources };
    await writeModel(placesOf(folder, pipeline).folder, keyOf(pipeline.folder, 0), at);
    return true;
  }
  const run = await runningOf(commands, pipeline);
  if (run === null) return false;
  const { code } = await commands.run(action.do, run);
  if (action.do !== 'pause') return code === 0;
  await delay(action.forMs, undefined, { signal });
  await commands.run('resume', run);
  return code === 0;
}
