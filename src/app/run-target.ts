// Chooses the task queue and the workspace of runs. The queue is the configured one or that of the API key's workspace.

import { asRecord } from '../api/unknown-values.ts';
import { readWorkspace } from '../api/workspace.ts';
import { commandFailures } from '../failures/commands.ts';
import { runFailures } from '../failures/runs.ts';
import { workspaceQueueOf } from '../plan/run/queues.ts';
import type { Plan } from '../plan/types.ts';
import type { App } from './app.ts';
import { withPlatform } from './platform-client.ts';
import { RenderlineError } from './renderline-error.ts';

export interface RunTarget {
  taskQueue: string;
  /** Id of the workspace. Absent if the platform cannot be reached. The worker's API key then decides. */
  workspace?: string;
}

const responseTimeoutMs = 8_000;

/**
 * Returns the configured task queue, or the queue of the API key's workspace. If the platform is configured, sends one
 * request, which also detects a wrong API key before anything starts.
 * @throws RenderlineError if neither a queue nor the platform is configured, or if the platform does not respond and no
 *   queue is configured; other errors of the platform unchanged
 */
export async function chooseRunTarget(app: App): Promise<RunTarget> {
  const config = await app.config();
  const taskQueue = config.taskQueue.value;
  if (taskQueue !== null && !(await app.isPlatformSet())) return { taskQueue };
  const signal = AbortSignal.timeout(responseTimeoutMs);
  try {
    const { id } = await withPlatform(app, (client) => readWorkspace(client, { signal }));
    return { taskQueue: taskQueue ?? workspaceQueueOf(id), workspace: id };
  } catch (error) {
    // If a queue is configured, a transient problem does not prevent the start, because the run itself retries.
    if (taskQueue !== null && (isTransientError(error) || signal.aborted)) return { taskQueue };
    if (!signal.aborted) throw error;
    const message = `The platform at ${config.baseUrl.value} did not respond within ${responseTimeoutMs / 1_000} s.`;
    throw new RenderlineError(commandFailures.API_UNREACHABLE, message);
  }
}

/** Adds the workspace of its runs to a plan, if the workspace is known. */
export function withWorkspace(plan: Plan, { workspace }: RunTarget): Plan {
  return workspace === undefined ? plan : { ...plan, workspace };
}

/** @throws RenderlineError for a run of another workspace, because this key cannot use the run's platform ids */
export function assertSameWorkspace(
  run: string,
  was: string | undefined,
  { workspace }: RunTarget,
): void {
  if (was === undefined || workspace === undefined || was === workspace) return;
  throw new RenderlineError(
    runFailures.OTHER_WORKSPACE,
    `The run ${run} belongs to workspace ${was}, but this key belongs to workspace ${workspace}.`,
    { fix: 'Set RENDERLINE_API_KEY to a key of the workspace of this run.' },
  );
}

function isTransientError(error: unknown): boolean {
  const { status } = asRecord(error);
  return typeof status === 'number' && (status >= 500 || status === 429);
}
