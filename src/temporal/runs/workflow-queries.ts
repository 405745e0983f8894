// Asks Temporal which runs and shards are still open.

import type { Client } from '@temporalio/client';
import { workflowIds } from '../../plan/contract/contract.ts';
import type { RunTimeline } from '../../plan/run/run-timeline.ts';
import { callWithTimeout, ignoreNotFound, responseTimeoutMs } from '../call-with-timeout.ts';
import { findWorkflow } from '../codec/tolerant-reader.ts';
import { isOpenStatus } from './open-workflows.ts';
import { readCloseReason } from './read-close-reason.ts';
import { findCompletedRun, type RecordsOwner } from './records-locations.ts';
import { readTimeline } from './run-timeline.ts';

export class TemporalWorkflowQueries {
  readonly #client: Client;
  readonly namespaceId: string | undefined;

  /** @param namespaceId the result of `readNamespaceId` */
  constructor(client: Client, namespaceId: string | undefined) {
    this.#client = client;
    this.namespaceId = namespaceId;
  }

  /** True if the run or the shard is open. A terminated run closes at once, while its shards still clean up. */
  async isAlive({ run, shard }: { run: string; shard: number }): Promise<boolean> {
    if (await isWorkflowOpen(this.#client, workflowIds.run(run))) return true;
    return this.isShardOpen(run, shard);
  }

  isShardOpen(run: string, shard: number): Promise<boolean> {
    return isWorkflowOpen(this.#client, workflowIds.shard(run, shard));
  }

  /** Returns why a shard was closed from outside, or null if it was not, or if the reason is not known. */
  async readShardCloseReason(run: string, shard: number): Promise<string | null> {
    const workflowId = workflowIds.shard(run, shard);
    return readCloseReason(this.#client, { workflowId }).catch(() => null);
  }

  findCompletedRun(owner: RecordsOwner): Promise<string | null> {
    return findCompletedRun(this.#client, owner);
  }

  readTimeline(run: string, shards: number): Promise<RunTimeline> {
    return readTimeline(this.#client, run, shards);
  }

  /**
   * Asks the server whether the activity attempt is still current, because the state of this process may be outdated.
   */
  async isAttemptCurrent(taskToken: Uint8Array): Promise<boolean> {
    const { namespace, identity } = this.#client.options;
    const request = { namespace, taskToken, identity };
    const heartbeat = await callWithTimeout(this.#client, responseTimeoutMs.usual, () =>
      this.#client.workflowService.recordActivityTaskHeartbeat(request),
    ).catch(ignoreNotFound);
    return heartbeat !== null;
  }

  /**
   * Terminates an orphaned shard. Its calls are recorded, so the run that takes over its assets can repeat the work.
   */
  async terminateOrphan(run: string, shard: number): Promise<void> {
    const workflowId = workflowIds.shard(run, shard);
    const handle = this.#client.workflow.getHandle(workflowId);
    await callWithTimeout(this.#client, responseTimeoutMs.usual, () =>
      handle.terminate(`run ${run} was reset and starts this shard again`).catch(ignoreNotFound),
    );
  }
}

/** True while the workflow is open. Returns false if it is closed or unknown to this server. */
export async function isWorkflowOpen(client: Client, workflowId: string): Promise<boolean> {
  const workflow = await findWorkflow(client, workflowId);
  return workflow !== null && isOpenStatus(workflow.status);
}

/** Reads the unique id of a namespace, which also distinguishes servers. */
export async function readNamespaceId(
  client: Client,
  namespace: string,
): Promise<string | undefined> {
  const { namespaceInfo } = await callWithTimeout(client, responseTimeoutMs.usual, () =>
    client.workflowService.describeNamespace({ namespace }),
  );
  return namespaceInfo?.id || undefined;
}
