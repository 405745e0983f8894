// Chooses task queue and workspace for the runs of a command: the queue in the settings, or that of the key's workspace.

import { looseFields } from '../api/loose-fields.ts';
import { workspaceOf } from '../api/workspace.ts';
import { commandFailures } from '../failures/commands.ts';
import { runFailures } from '../failures/runs.ts';
import { workspaceQueue } from '../plan/queues.ts';
import type { Plan } from '../plan/types.ts';
import { CliError } from './exit.ts';
import { withPlatform } from './platform-client.ts';
import type { Session } from './session.ts';

export interface RunPlace {
  taskQueue: string;
  /** Absent where the platform is not set or does not answer; then the worker's key decides. */
  workspace?: string;
}

const answersWithinMs = 8_000;

/**
 * Takes one request, which also shows a wrong key or a silent platform before anything starts.
 * @throws CliError where neither a queue nor the platform is set; the platform's refusals
 */
export async function runPlace(session: Session): Promise<RunPlace> {
  const config = await session.config();
  const taskQueue = config.taskQueue.value;
  const isKnown = config.baseUrl.value !== null && config.apiKey.value !== null;
  if (taskQueue !== null && !isKnown) return { taskQueue };
  const signal = AbortSignal.timeout(answersWithinMs);
  try {
    const { id } = await withPlatform(session, (client) => workspaceOf(client, { signal }));
    return { taskQueue: taskQueue ?? workspaceQueue(id), workspace: id };
  } catch (error) {
    // A run can wait out a passing problem itself.
    if (taskQueue !== null && (isPassing(error) || signal.aborted)) return { taskQueue };
    if (!signal.aborted) throw error;
    const waited = `${answersWithinMs / 1_000} s`;
    throw new CliError(
      commandFailures.API_UNREACHABLE,
      `The platform at ${config.baseUrl.value} has not answered within ${waited}.`,
    );
  }
}

/** The plan with the workspace of its runs. */
export function placed(plan: Plan, { workspace }: RunPlace): Plan {
  return workspace === undefined ? plan : { ...plan, workspace };
}

/** @throws CliError for a run of another workspace, whose ids this key cannot use */
export function refuseOther(run: string, was: string | undefined, { workspace }: RunPlace): void {
  if (was === undefined || workspace === undefined || was === workspace) return;
  throw new CliError(
    runFailures.OTHER_WORKSPACE,
    `${run} was a run of workspace ${was}, and this key is of workspace ${workspace}.`,
    { fix: 'Set RENDERLINE_API_KEY to a key of the workspace that it was made in.' },
  );
}

function isPassing(error: unknown): boolean {
  const { status } = looseFields(error);
  return typeof status === 'number' && (status >= 500 || status === 429);
}
