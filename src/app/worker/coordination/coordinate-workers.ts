// Coordinates a worker with the other workers of its key and task queue: they share the allowance and elect a poll leader.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import type { Deps } from '../../../../activities/deps.ts';
import type { Client as PlatformClient } from '../../../api/client.ts';
import { AllowanceWorkflow, allowanceKey } from './allowance-workflow.ts';
import { joinPollLeaderElection } from './hold-poll-leadership.ts';
import { SharedAllowance, type SharingState } from './shared-allowance.ts';

export interface CoordinationOptions {
  client: Pick<PlatformClient, 'budget' | 'baseUrl' | 'clockAheadMs'>;
  apiKey: string;
  taskQueue: string;
  identity?: string;
  onSharing?: (state: SharingState) => void;
}

export interface Coordination {
  /** Call before the worker stops: resigns the poll leadership and returns the unused share. Never rejects. */
  retire(): Promise<void>;
  /** Call after the worker has stopped: returns its whole share of the allowance. */
  stop(): Promise<void>;
}

/** @param onLeadership called with whether this worker polls for all workers; before that, it polls for itself */
export function coordinateWorkers(
  temporal: Client,
  { client, apiKey, taskQueue, identity, onSharing }: CoordinationOptions,
  { pollLeader }: Pick<Deps, 'pollLeader'>,
  onLeadership: (isLeader: boolean) => void = () => {},
): Coordination {
  const allowance = new SharedAllowance({
    workflow: new AllowanceWorkflow(temporal, allowanceKey(client.baseUrl, apiKey), taskQueue),
    budget: client.budget,
    clockAheadMs: () => client.clockAheadMs(),
    // The random suffix makes a restarted process a different worker, even if its name is the same.
    identity: `${identity ?? `${hostname()}-${process.pid}`}-${randomUUID().slice(0, 4)}`,
    onSharing,
  });
  const stopLeading = joinPollLeaderElection(temporal, taskQueue, pollLeader, onLeadership);
  allowance.start();
  return {
    retire() {
      stopLeading();
      return allowance.retire();
    },
    stop() {
      stopLeading();
      return allowance.stop();
    },
  };
}
