// All activities of a worker: one for each step type of the registry, and the engine activities.
import { Context } from '@temporalio/activity';
import { RunCauseError } from '../src/engine/engine-errors.ts';
import type { StepType } from '../src/engine/node-type.ts';
import { runFailures } from '../src/failures/runs.ts';
import { stepTypes } from '../src/features/index.ts';
import type { Activities, AllActivities } from '../src/plan/contract/contract.ts';
import type { StepInput } from '../src/plan/shard/step-contract.ts';
import type { Deps } from './deps.ts';
import { emitRunNotice } from './emit-events.ts';
import { toFailure } from './failures.ts';
import { withHeartbeats } from './heartbeats.ts';
import { holdPollLeadership } from './poll-leader.ts';
import { discover } from './run/discover.ts';
import { filterEvents } from './run/filter-events.ts';
import { guardWorkspace } from './run/guard-workspace.ts';
import { findHost, probeFolders } from './run/hosts.ts';
import { countShard, endOrphanedChildren, listClosedShards } from './run/orphaned-shards.ts';
import { sendRunNotice } from './run/send-run-notice.ts';
import { withdraw } from './run/withdraw.ts';
import { writeManifests } from './run/write-manifests.ts';
import { writeReport } from './run/write-report.ts';
import { cancelRemote } from './shard/cancel-remote.ts';
import { runStep } from './shard/run-step.ts';
import { compactPages, finalizeAssets, openShard } from './shard/shards.ts';
import { readWorkerLoad } from './worker-load.ts';

export function createActivities(deps: Deps): AllActivities {
  const engineActivities: Activities = {
    discover: (input) => discover(input, deps),
    openShard: (input) => openShard(input, deps),
    compactPages: (input) => compactPages(input, deps),
    finalizeAssets: (input) => finalizeAssets(input, deps),
    countShard: (input) => countShard(input, deps),
    endOrphanedChildren: (input) => endOrphanedChildren(input, deps),
    listClosedShards: (input) => listClosedShards(input, deps),
    readLoad: async () => readWorkerLoad(deps),
    cancelRemoteJobs: (input) => cancelRemote(input, deps),
    sendNotice: (input) =>
      emitRunNotice(input, () => withHeartbeats(() => sendRunNotice(input, deps))),
    writeReport: (input) => writeReport(input, deps),
    withdraw: (input) => withdraw(input, deps),
    writeManifests: (input) => writeManifests(input, deps),
    filterEvents: (input) => filterEvents(input, deps),
    holdPollLeadership: () => holdPollLeadership(deps.pollLeader),
    probeFolders: (input) => probeFolders(input),
    findHost: (input) => findHost(input, deps),
  };
  // The SDK calls the activity `default` for names that are not registered.
  const others = { default: () => failUnknownNodeType(deps) };
  return guardWorkspace(
    { ...stepActivities(stepTypes, deps), ...engineActivities, ...others },
    deps,
  );
}

/**
 * Refuses an activity that this worker does not have, such as a step type of a plugin that is not loaded.
 * @throws ApplicationFailure that holds the run
 */
async function failUnknownNodeType(deps: Deps): Promise<never> {
  const { activityType, attempt } = Context.current().info;
  const message = `this worker has no node type "${activityType}"; load the plugin that provides it`;
  throw toFailure(new RunCauseError(runFailures.NODE_TYPE_UNKNOWN, message), attempt, deps.secrets);
}

function stepActivities(types: readonly StepType[], deps: Deps): AllActivities {
  const typeOf = (activity: string) => types.find(({ type }) => type === activity);
  return Object.fromEntries(
    types.map((type) => [type.type, (input: StepInput) => runStep(type, input, deps, typeOf)]),
  );
}
