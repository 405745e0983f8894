// A run belongs to a workspace, so a worker with a key of another workspace refuses its work.

import { OtherWorkspaceError, RunCauseError } from '../../src/engine/engine-errors.ts';
import { runFailures } from '../../src/failures/runs.ts';
import type { Activities, AllActivities } from '../../src/plan/contract/contract.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import type { Deps } from '../deps.ts';
import { toFailure } from '../failures.ts';

/**
 * Activities that Temporal retries until a worker of the right workspace takes the task. Most of their callers cannot
 * pause a run. `compactPages` and `finalizeAssets` only write what was done, and a run that is being cancelled must not
 * wait until somebody resumes it.
 */
const retriedActivities: ReadonlySet<string> = new Set<keyof Activities>([
  'compactPages',
  'finalizeAssets',
  'countShard',
  'endOrphanedChildren',
  'listClosedShards',
  'readLoad',
  'cancelRemoteJobs',
  'filterEvents',
  'withdraw',
  'writeManifests',
  'writeReport',
]);

export function guardWorkspace(activities: AllActivities, deps: Deps): AllActivities {
  const guardedEntries = Object.entries(activities).map(([name, implementation]) => {
    const activity = implementation as (input: { context?: RunContext }) => Promise<unknown>;
    const guardedWork: typeof activity = async (input) => {
      assertOwnWorkspace(name, input.context?.workspace, deps);
      return activity(input);
    };
    return [name, guardedWork];
  });
  return Object.fromEntries(guardedEntries);
}

/**
 * Throws if the run belongs to a workspace other than that of this worker's key. An input without a workspace, such as
 * the input of a notice, is accepted by any worker.
 */
function assertOwnWorkspace(name: string, runWorkspaceId: string | undefined, deps: Deps): void {
  if (runWorkspaceId === undefined || deps.workspace === null) return;
  const { id, name: workspaceName } = deps.workspace;
  if (runWorkspaceId === id) return;
  const message = `the run belongs to workspace ${runWorkspaceId}, but the key of this worker belongs to workspace ${id}${workspaceName === null ? '' : ` ("${workspaceName}")`}`;
  const error = retriedActivities.has(name)
    ? new OtherWorkspaceError(message)
    : new RunCauseError(runFailures.OTHER_WORKSPACE, message);
  throw toFailure(error, 1, deps.secrets);
}
