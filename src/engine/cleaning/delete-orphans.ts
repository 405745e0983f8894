// Deletes orphaned resources and reports the outcome for each.
import type { Client } from '../../api/client.ts';
import { findRefusal } from '../../api/errors/refusal.ts';
import type { RequestCounter } from '../../api/request-counter.ts';
import { resourceKinds } from '../../api/resources.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { Orphan } from '../../store/search/find-orphans.ts';
import { deleteResource } from './delete-resources.ts';

const maxConcurrentDeletions = 8;

export interface RefusedDeletion {
  orphan: Orphan;
  code: string;
  message: string;
}

export interface DeletionResult {
  /** Orphans that were deleted by this call or were already missing. */
  deleted: Orphan[];
  refused: RefusedDeletion[];
  /** Orphans that were not processed because the work was interrupted or ended with an error. */
  remaining: Orphan[];
  /** The error that ended the work early. Null if there was none, or if a person interrupted the work. */
  error: unknown;
}

/**
 * Deletes orphans, one kind after another.
 * @param signal stops the work at once. Deletions in flight count as remaining, although they may still succeed
 */
export async function deleteOrphans(
  client: Client,
  orphans: readonly Orphan[],
  { requests, signal, onDeleted }: DeleteOptions,
): Promise<DeletionResult> {
  const deletedOrphans: Orphan[] = [];
  const refusals: RefusedDeletion[] = [];
  let error: unknown = null;
  const deleteOne = async (orphan: Orphan) => {
    if (signal.aborted || error !== null) return;
    try {
      // The deletion has the lowest priority, so that requests of runs with this key go first.
      await deleteResource(client, orphan, {
        priority: 'status',
        requestCounter: requests,
        signal,
      });
      deletedOrphans.push(orphan);
      onDeleted(deletedOrphans.length);
    } catch (thrown) {
      // Only a refusal of this resource is its result. A refused key or a payment due would fail all resources.
      const refusal = findRefusal(thrown, ['content', 'rights']);
      if (refusal && refusal.error.status !== 402)
        refusals.push({ orphan, code: refusal.error.code, message: refusal.error.message });
      else if (!signal.aborted) error ??= thrown;
    }
  };
  for (const kind of resourceKinds) {
    const ofKind = orphans.filter((orphan) => orphan.kind === kind);
    await mapBounded(ofKind, deleteOne, { maxConcurrent: maxConcurrentDeletions });
  }
  const handledOrphans = new Set([...deletedOrphans, ...refusals.map(({ orphan }) => orphan)]);
  const remainingOrphans = orphans.filter((orphan) => !handledOrphans.has(orphan));
  return { deleted: deletedOrphans, refused: refusals, remaining: remainingOrphans, error };
}

interface DeleteOptions {
  requests: RequestCounter;
  signal: AbortSignal;
  /** Called after each deletion with the number of orphans deleted so far. */
  onDeleted: (deleted: number) => void;
}
