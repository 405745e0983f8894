// What a worker shares with the other workers of its key and task queue: the allowance, and who looks for all.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import type { Deps } from '../../activities/deps.ts';
import type { Client as PlatformClient } from '../api/client.ts';
import { AllowanceWorkflow, allowanceKey } from './allowance-workflow.ts';
import { keepLookout } from './keep-lookout.ts';
import { SharedAllowance, type Sharing } from './shared-allowance.ts';

export interface ShareOptions {
  client: Pick<PlatformClient, 'budget' | 'baseUrl' | 'clockAheadMs'>;
  apiKey: string;
  taskQueue: string;
  identity?: string;
  onSharing?: (state: Sharing) => void;
}

export interface Share {
  /** The worker is about to stop: the others go on without it. Never rejects. */
  retire(): Promise<void>;
  /** It has stopped. */
  stop(): Promise<void>;
}

/** @param onLookout told whether this worker looks for all of its task queue; until then it looks for itself */
export function shareWithOthers(
  temporal: Client,
  { client, apiKey, taskQueue, identity, onSharing }: ShareOptions,
  { lookoutPost }: Pick<Deps, 'lookoutPost'>,
  onLookout: (isOurs: boolean) => void = () => {},
): Share {
  const allowance = new SharedAllowance({
    workflow: new AllowanceWorkflow(temporal, allowanceKey(client.baseUrl, apiKey), taskQueue),
    budget: client.budget,
    clockAheadMs: () => client.clockAheadMs(),
    // A process that is started again is another worker, whatever its name.
    identity: `${identity ?? `${hostname()}-${process.pid}`}-${randomUUID().slice(0, 4)}`,
    onSharing,
  });
  const leavePost = keepLookout(temporal, taskQueue, lookoutPost, onLookout);
  allowance.start();
  return {
    retire() {
      leavePost();
      return allowance.retire();
    },
    stop() {
      leavePost();
      return allowance.stop();
    },
  };
}
