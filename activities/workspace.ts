// A run belongs to a workspace: a worker whose key is of another one does nothing for it.
import { runFailures } from '../src/failures/runs.ts';
import { OtherWorkspaceError, RunCauseError } from '../src/machinery/engine-errors.ts';
import type { Activities, AllActivities } from '../src/plan/contract.ts';
import type { RunContext } from '../src/plan/run-context.ts';
import type { Deps } from './deps.ts';
import { toFailure } from './failures.ts';

/** Their workflows know no cause that holds a run, so they are tried again until a worker of the workspace takes them. */
const triedAgain: ReadonlySet<string> = new Set<keyof Activities>([
  'fold',
  'settle',
  'count_shard',
  'end_strays',
  'closed_shards',
  'read_load',
  'cancel_remote',
  'sift_events',
]);

export function ofItsWorkspace(activities: AllActivities, deps: Deps): AllActivities {
  const guarded = Object.entries(activities).map(([name, work]) => {
    const activity = work as (input: { context?: RunContext }) => Promise<unknown>;
    const guardedWork: typeof activity = async (input) => {
      refuseOther(name, input.context?.workspace, deps);
      return activity(input);
    };
    return [name, guardedWork];
  });
  return Object.fromEntries(guarded);
}

/** Notices have no workspace, and are anybody's to send. */
function refuseOther(name: string, wanted: string | undefined, deps: Deps): void {
  const { workspace: own } = deps;
  if (wanted === undefined || own === null || wanted === own.id) return;
  const message = `the run belongs to workspace ${wanted}, and a worker with a key of workspace ${own.id}${own.name === null ? '' : ` ("${own.name}")`} was given it`;
  const error = triedAgain.has(name)
    ? new OtherWorkspaceError(message)
    : new RunCauseError(runFailures.OTHER_WORKSPACE, message);
  throw toFailure(error, 1, deps.secrets);
}
