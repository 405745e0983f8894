// Decides what a general pause covers.
import type { PauseScope } from '../../plan/run/general-pause.ts';
import { toTemporalName } from '../../temporal/private-names.ts';
import type { App } from '../app.ts';
import { chooseRunTarget } from '../run-target.ts';

/** Chooses the scope of `--all`. If a task queue is configured, the platform is not called, because it may be down. */
export async function chooseScope(app: App, pipeline: string | undefined): Promise<PauseScope> {
  const taskQueue = (await app.config()).taskQueue.value ?? (await chooseRunTarget(app)).taskQueue;
  return { taskQueue, pipeline: pipeline ?? null };
}

/** True if the scope covers a pipeline of its task queue. `name` is a hash if it cannot be decrypted here. */
export function isPipelineInScope({ pipeline }: PauseScope, name: string): boolean {
  return pipeline === null || [pipeline, toTemporalName(true, pipeline)].includes(name);
}
