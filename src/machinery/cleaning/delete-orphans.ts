// Deletes orphans, and reports on each.
import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { refusalOf } from '../../api/refusal.ts';
import { thingKinds } from '../../api/things.ts';
import { mapBounded } from '../../store/objects/bounded.ts';
import type { Orphan } from '../../store/search/find-orphans.ts';
import { removeThing } from './remove-thing.ts';

const deletesAtOnce = 8;

export interface Refused {
  orphan: Orphan;
  code: string;
  message: string;
}

export interface Deleted {
  /** Deleted now, or gone meanwhile. */
  deleted: Orphan[];
  refused: Refused[];
  /** Not come to: interrupted, or the platform could not be asked any more. */
  left: Orphan[];
  /** The error that ended it before all were done; null where there was none, or a person ended it. */
  error: unknown;
}

/** @param signal ends it at once; what was under way then counts as left, and may be gone. */
export async function deleteOrphans(
  client: Client,
  orphans: readonly Orphan[],
  { requests, signal, onDeleted }: DeleteOptions,
): Promise<Deleted> {
  const deleted: Orphan[] = [];
  const refused: Refused[] = [];
  let error: unknown = null;
  const deleteOne = async (orphan: Orphan) => {
    if (signal.aborted || error !== null) return;
    try {
      // After whatever the runs of this key want: there is no hurry.
      await removeThing(client, orphan, { priority: 'status', scope: requests, signal });
      deleted.push(orphan);
      onDeleted(deleted.length);
    } catch (thrown) {
      // An answer about this thing alone; a key that is not accepted is so for all of them.
      const refusal = refusalOf(thrown, ['content', 'rights']);
      if (refusal)
        refused.push({ orphan, code: refusal.error.code, message: refusal.error.message });
      else if (!signal.aborted) error ??= thrown;
    }
  };
  for (const kind of thingKinds) {
    const ofKind = orphans.filter((orphan) => orphan.kind === kind);
    await mapBounded(ofKind, deleteOne, { atOnce: deletesAtOnce });
  }
  const done = new Set([...deleted, ...refused.map(({ orphan }) => orphan)]);
  const left = orphans.filter((orphan) => !done.has(orphan));
  return { deleted, refused, left, error };
}

interface DeleteOptions {
  requests: RequestCounter;
  signal: AbortSignal;
  /** Told how many have been deleted. */
  onDeleted: (deleted: number) => void;
}
