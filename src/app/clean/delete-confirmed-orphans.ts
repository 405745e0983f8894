// Deletes the resources that a preview found, and the records of removed colorways.
import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/request-counter.ts';
import { type DeletionResult, deleteOrphans } from '../../engine/cleaning/delete-orphans.ts';
import type { Plan } from '../../plan/types.ts';
import { recordName } from '../../store/objects/object-name.ts';
import { resourcesOfRecord } from '../../store/records/earlier-work.ts';
import { resourceId } from '../../store/records/platform-resources.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import type { Orphan } from '../../store/search/find-orphans.ts';
import type { App } from '../app.ts';
import { openPlanStore } from '../plan/open-plan-store.ts';
import { withPlatform } from '../platform-client.ts';
import { createProgressNote } from '../progress-note.ts';
import { explainError, interruptedError, RenderlineError } from '../renderline-error.ts';
import type { CleanShape, DeletionPreview } from './deletion-preview.ts';
import { formatResources } from './format-resources.ts';
import { confirmOrphans, type RunLookup } from './inspect-orphans.ts';

interface DeletionDeps {
  /** Reads the open runs, so that the records can be searched again. Null if the preview is up to date. */
  readOpenRuns: RunLookup['readOpen'] | null;
  onDeleting?: (() => AbortSignal) | undefined;
  /** Writes the deletion to the audit log, then runs the task. */
  record: <T>(details: object, task: () => Promise<T>) => Promise<T>;
}

/** @throws RenderlineError if the deletion stops early. Running the same command again continues it */
export async function deleteConfirmedOrphans(
  app: App,
  { shape, missing, removedRecords, plan, searchResult, search, requests }: DeletionPreview,
  { readOpenRuns, onDeleting = () => app.signal, record }: DeletionDeps,
): Promise<CleanShape> {
  const { orphans } = shape;
  return withPlatform(app, async (client) => {
    const current = readOpenRuns === null ? searchResult : await search(readOpenRuns);
    const confirmedOrphans = confirmOrphans(orphans, current);
    const details = {
      deletes: formatResources(confirmedOrphans),
      resources: confirmedOrphans.map(({ kind, id }) => `${kind} ${id}`),
    };
    const { deleted, refused } = await record(details, async () => {
      const end = await deleteAll(app, client, confirmedOrphans, {
        requests,
        signal: onDeleting(),
      });
      if (removedRecords > 0)
        await deleteRemovedRecords(plan, current.removed, [...missing, ...end.deleted]);
      return end;
    });
    return {
      ...shape,
      usedSince: orphans.filter((orphan) => !confirmedOrphans.includes(orphan)).map(kindAndIdOf),
      deleted: deleted.map(kindAndIdOf),
      refused: refused.map(({ orphan, ...reason }) => ({ ...kindAndIdOf(orphan), ...reason })),
      requests: requests.snapshot(),
    };
  });
}

/** Deletes the records of removed cells whose projects no longer exist on the platform, and releases their file names. */
async function deleteRemovedRecords(
  plan: Plan,
  removedRecords: readonly AssetRecord[],
  missingOrphans: readonly Orphan[],
): Promise<void> {
  const { records, pathOwners } = openPlanStore(plan);
  const missingIds = new Set(missingOrphans.map(resourceId));
  const unusedRecords = removedRecords.filter((record) =>
    resourcesOfRecord(record).every(
      (resource) => resource.kind !== 'project' || missingIds.has(resourceId(resource)),
    ),
  );
  await pathOwners.release(new Set(unusedRecords.map(({ key }) => key)));
  for (const { key, source, recipe } of unusedRecords)
    await records.remove(recordName(key, source.version, recipe));
}

async function deleteAll(
  app: App,
  client: Client,
  orphans: readonly Orphan[],
  { requests, signal }: { requests: RequestCounter; signal: AbortSignal },
): Promise<DeletionResult> {
  const formatProgress = (done: number) => `${done} of ${orphans.length} deleted`;
  const onDeleted = createProgressNote(app, formatProgress);
  const end = await deleteOrphans(client, orphans, { requests, signal, onDeleted });
  const { deleted, remaining, error } = end;
  if (remaining.length === 0) return end;
  const cause = error === null ? interruptedError() : explainError(error);
  const fix = [cause.fix, 'Repeat the command to delete the rest.'].filter(Boolean).join('\n');
  const message = `${cause.message} Deleted before that: ${formatResources(deleted)}; remaining: ${formatResources(remaining)}.`;
  const details = { deleted: deleted.map(kindAndIdOf), remaining: remaining.map(kindAndIdOf) };
  throw new RenderlineError(cause, message, { fix, details });
}

function kindAndIdOf({ kind, id }: Orphan): Pick<Orphan, 'kind' | 'id'> {
  return { kind, id };
}
