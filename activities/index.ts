// All activities of a worker: one for each step type of the registry, and the engine activities.
import { Context } from '@temporalio/activity';
import { stepTypes } from '../src/capabilities/index.ts';
import { runFailures } from '../src/failures/runs.ts';
import { RunCauseError } from '../src/machinery/engine-errors.ts';
import type { StepType } from '../src/machinery/node-type.ts';
import type { Activities, AllActivities } from '../src/plan/contract.ts';
import type { StepInput } from '../src/plan/step-contract.ts';
import { cancelRemote } from './cancel-remote.ts';
import type { Deps } from './deps.ts';
import { discover } from './discover.ts';
import { toFailure } from './failures.ts';
import { findHost, probeFolders } from './hosts.ts';
import { holdPollLeadership } from './keep-lookout.ts';
import { workerLoad } from './load.ts';
import { runStep } from './run-step.ts';
import { sendRunNotice } from './send-run-notice.ts';
import { compactPages, finalizeAssets, openShard } from './shards.ts';
import { filterEvents } from './sift-events.ts';
import { countShard, endOrphanedChildren, listClosedShards } from './strays.ts';
import { emitRunNotice } from './tell.ts';
import { withdraw } from './withdraw.ts';
import { guardWorkspace } from './workspace.ts';
import { writeReport } from './write-report.ts';

export function createActivities(deps: Deps): AllActivities {
  const own: Activities = {
    discover: (input) => discover(input, deps),
    openShard: (input) => openShard(input, deps),
    compactPages: (input) => compactPages(input, deps),
    finalizeAssets: (input) => finalizeAssets(input, deps),
    countShard: (input) => countShard(input, deps),
    endOrphanedChildren: (input) => endOrphanedChildren(input, deps),
    listClosedShards: (input) => listClosedShards(input, deps),
    readLoad: async () => workerLoad(deps),
    cancelRemoteJobs: (input) => cancelRemote(input, deps),
    sendNotice: (input) => emitRunNotice(input, () => sendRunNotice(input, deps)),
    writeReport: (input) => writeReport(input, deps),
    withdraw: (input) => withdraw(input, deps),
    filterEvents: (input) => filterEvents(input, deps),
    holdPollLeadership: () => holdPollLeadership(deps),
    probeFolders: (input) => probeFolders(input),
    findHost: (input) => findHost(input, deps),
  };
  // The SDK calls the activity `default` for names that are not registered.
  const others = { default: () => refuseUnknown(deps) };
  return guardWorkspace({ ...stepActivities(stepTypes, deps), ...own, ...others }, deps);
}

/** @throws ApplicationFailure that holds the run, for a step type of a plugin that this worker has not loaded */
async function refuseUnknown(deps: Deps): Promise<never> {
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
