// Decides what a general pause covers.
import type { PauseScope } from '../../plan/run/general-pause.ts';
import { temporalName } from '../../temporal/private-names.ts';
import type { App } from '../app.ts';
import { chooseRunTarget } from '../run-target.ts';

/** The scope of `--all`. A configured task queue needs no answer of the platform, which may be what is broken. */
export async function chooseScope(app: App, pipeline: string | undefined): Promise<PauseScope> {
  const taskQueue = (await app.config()).taskQueue.value ?? (await chooseRunTarget(app)).taskQueue;
  return { taskQueue, pipeline: pipeline ?? null };
}

/** True if the scope covers a pipeline of its task queue. A name that cannot be decrypted here is a hash. */
export function coversPipeline({ pipeline }: PauseScope, name: string): boolean {
  return pipeline === null || [pipeline, temporalName(true, pipeline)].includes(name);
}
