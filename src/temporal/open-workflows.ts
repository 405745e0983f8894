// Asks Temporal which runs and shards still go on.
import { type Client, isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { workflowIds } from '../plan/contract.ts';
import type { RunStory } from '../plan/run-story.ts';
import { closeReason } from './close-reason.ts';
import { describeWorkflow } from './codec/tolerant-reader.ts';
import { grpcNotFound } from './grpc-codes.ts';
import { readStory } from './run-story.ts';

const answerMs = 10_000;

export class OpenWorkflows {
  readonly #client: Client;
  readonly namespaceId: string | undefined;

  /** @param namespaceId as `namespaceIdOf` reads it */
  constructor(client: Client, namespaceId: string | undefined) {
    this.#client = client;
    this.namespaceId = namespaceId;
  }

  /** A run that was terminated is closed at once, while its shards clean up. */
  async isAlive({ run, shard }: { run: string; shard: number }): Promise<boolean> {
    if (await workflowIsOpen(this.#client, workflowIds.run(run))) return true;
    return this.shardIsOpen(run, shard);
  }

  shardIsOpen(run: string, shard: number): Promise<boolean> {
    return workflowIsOpen(this.#client, workflowIds.shard(run, shard));
  }

  /** Why a shard was ended by other than itself; null where it was not, or nobody knows. */
  async whyEnded(run: string, shard: number): Promise<string | null> {
    const workflowId = workflowIds.shard(run, shard);
    return closeReason(this.#client, { workflowId }).catch(() => null);
  }

  story(run: string, shards: number): Promise<RunStory> {
    return readStory(this.#client, run, shards);
  }

  /** Asked of the server itself: what this process believes may be old. */
  async isCurrent(taskToken: Uint8Array): Promise<boolean> {
    const { namespace, identity } = this.#client.options;
    try {
      await this.#client.withDeadline(Date.now() + answerMs, () =>
        this.#client.workflowService.recordActivityTaskHeartbeat({
          namespace,
          taskToken,
          identity,
        }),
      );
      return true;
    } catch (error) {
      if (isGrpcServiceError(error) && error.code === grpcNotFound) return false;
      throw error;
    }
  }

  /** Its calls are on record, so the run that takes its assets can do the work again. */
  async endStray(run: string, shard: number): Promise<void> {
    const workflowId = workflowIds.shard(run, shard);
    const handle = this.#client.workflow.getHandle(workflowId);
    try {
      await this.#client.withDeadline(Date.now() + answerMs, () =>
        handle.terminate(`run ${run} was reset, and begins this shard anew`),
      );
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }
}

/** True while the workflow is open; false once it closed or is not known to this server. */
export async function workflowIsOpen(client: Client, workflowId: string): Promise<boolean> {
  try {
    const { status } = await describeWorkflow(client, workflowId);
    return status.name === 'RUNNING' || status.name === 'PAUSED';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** Tells one namespace of one server from all others. */
export async function namespaceIdOf(
  client: Client,
  namespace: string,
): Promise<string | undefined> {
  const { namespaceInfo } = await client.withDeadline(Date.now() + answerMs, () =>
    client.workflowService.describeNamespace({ namespace }),
  );
  return namespaceInfo?.id || undefined;
}
