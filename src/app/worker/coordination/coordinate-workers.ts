// Coordinates workers. Those with the same API key share its allowance, and those on a task queue elect a poll leader.

import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { PollLeader } from '../../../../activities/poll-leader.ts';
import type { Client as PlatformClient } from '../../../api/client.ts';
import { workflowIds, workflowNames } from '../../../plan/contract/contract.ts';
import { callWithTimeout, responseTimeoutMs } from '../../../temporal/call-with-timeout.ts';
import type { RoutingStatus } from '../../../temporal/deployments/routing-status.ts';
import { watchVersion } from '../../../temporal/deployments/watch-version.ts';
import type { WorkerVersion } from '../../../temporal/deployments/worker-version.ts';
import { AllowanceWorkflow, allowanceKeyOf } from './allowance-workflow.ts';
import { SharedAllowance, type SharingState } from './shared-allowance.ts';

export interface CoordinationOptions {
  client: Pick<PlatformClient, 'budget' | 'baseUrl' | 'clockAheadMs'>;
  apiKey: string;
  taskQueue: string;
  identity: string;
  version?: WorkerVersion;
  takesOver?: boolean;
  onSharing?: (state: SharingState) => void;
  onRoutingStatus?: (status: RoutingStatus) => void;
}

interface Coordination {
  /** Resigns the poll leadership. Call before the worker stops. */
  resign(): void;
  /** Call after the worker has stopped. Returns its whole share of the allowance. */
  stop(): Promise<void>;
}

/**
 * @param setPolling called with whether this worker should poll for all workers: if it was elected leader, or if its
 * version is not current and the current version has no workers. Until called, it polls for itself
 */
export function coordinateWorkers(
  temporal: Client,
  options: CoordinationOptions,
  pollLeader: PollLeader,
  setPolling: (isPolling: boolean) => void,
): Coordination {
  const { client, apiKey, taskQueue, identity, version, takesOver = false, onSharing } = options;
  const allowance = new SharedAllowance({
    workflow: new AllowanceWorkflow(temporal, allowanceKeyOf(client.baseUrl, apiKey), taskQueue),
    budget: client.budget,
    clockAheadMs: () => client.clockAheadMs(),
    // The random suffix makes a restarted process a different worker, even if its name is the same.
    identity: `${identity}-${randomUUID().slice(0, 4)}`,
    onSharing,
  });
  let isLeader: boolean | null = null;
  // Without workers of the current version, no leader is elected, but runs pinned to this version need polls too.
  let hasNoOtherPoller = false;
  const decide = () => {
    if (isLeader !== null) setPolling(isLeader || hasNoOtherPoller);
  };
  const stopWatching =
    version &&
    watchVersion(temporal, taskQueue, { version, takesOver }, (status) => {
      hasNoOtherPoller = status.kind === 'not-current' && !status.currentHasWorkers;
      // A worker of the new build should poll, because polls for new runs may need its code.
      if (status.kind === 'not-current' && status.currentHasWorkers) pollLeader.stepDown();
      decide();
      options.onRoutingStatus?.(status);
    });
  const stopLeading = joinPollLeaderElection(temporal, taskQueue, pollLeader, (isElected) => {
    isLeader = isElected;
    decide();
  });
  allowance.start();
  return {
    resign: stopLeading,
    stop() {
      stopWatching?.();
      stopLeading();
      return allowance.stop();
    },
  };
}

/** Interval at which workers restart the workflow if it is not open, for example because somebody terminated it. */
const ensureIntervalMs = 30_000;
/**
 * A single worker becomes leader within this time, even if the previous leader was killed a moment ago. Until then,
 * each worker polls for itself: two pollers cost requests, but no poller costs time.
 */
const electionTimeoutMs = 13_000;

/**
 * Keeps the election workflow open.
 * @param onLeadership called with true if this worker is the leader. Until then, the worker polls for itself
 * @returns a function that stops the interval and resigns the leadership
 */
function joinPollLeaderElection(
  client: Client,
  taskQueue: string,
  pollLeader: PollLeader,
  onLeadership: (isLeader: boolean) => void,
): () => void {
  let isDecided = false;
  let electionTimer: NodeJS.Timeout | undefined;
  const decide = () => {
    isDecided = true;
    onLeadership(pollLeader.isLeader);
  };
  const ensureWorkflow = async () => {
    try {
      await callWithTimeout(client, responseTimeoutMs.short, () =>
        client.workflow.start(workflowNames.pollLeader, {
          workflowId: workflowIds.pollLeader(taskQueue),
          taskQueue,
          workflowIdConflictPolicy: 'USE_EXISTING',
          staticSummary: 'Elects the worker that polls for all',
        }),
      );
      if (!isDecided) electionTimer ??= setTimeout(decide, electionTimeoutMs);
    } catch {
      // The start is retried at the next interval. Without a Temporal server, there is nothing to poll for.
    }
  };
  pollLeader.onChange = (isLeader) => {
    if (isDecided || isLeader) decide();
    // The workflow may not be open, because somebody may have terminated it.
    if (!isLeader) void ensureWorkflow();
  };
  const timer = setInterval(() => void ensureWorkflow(), ensureIntervalMs);
  void ensureWorkflow();
  return () => {
    clearInterval(timer);
    clearTimeout(electionTimer);
    pollLeader.resign();
  };
}
