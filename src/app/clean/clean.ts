// Deletes the resources that a preview found, and the records of removed colorways.
import type { Client as TemporalClient } from '@temporalio/client';
import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/request-counter.ts';
import { type DeletionResult, deleteOrphans } from '../../engine/cleaning/delete-orphans.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { Plan } from '../../plan/types.ts';
import { recordName } from '../../store/objects/object-name.ts';
import { resourcesOfRecord } from '../../store/records/earlier-work.ts';
import { resourceId } from '../../store/records/platform-resources.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import type { Orphan } from '../../store/search/find-orphans.ts';
import { withAuditRecord } from '../../temporal/audit/record-action.ts';
import type { App } from '../app.ts';
import { openPlanStore } from '../plan/open-plan-store.ts';
import { withPlatform } from '../platform-client.ts';
import { createProgressNote } from '../progress-note.ts';
import { explainError, interruptedError, RenderlineError } from '../renderline-error.ts';
import { withTemporal } from '../temporal-client.ts';
import { formatResources } from './format-resources.ts';
import { type CleanPreview, type CleanShape, readOpenRuns } from './preview-clean.ts';

export interface DeletionOptions {
  /** Reason for the deletion, shown by `renderline audit`. */
  reason?: string | undefined;
  /** True if time has passed since the preview, so that runs may have started. */
  isPreviewOld: boolean;
  /** Called when the deletion starts. Returns a signal that ends the deletion early. */
  onDeleting?: (() => AbortSignal) | undefined;
}

/**
 * Deletes the resources of a preview that are still unused, and records the deletion in the audit log.
 * @throws RenderlineError if the deletion stops early. Running the same command again continues it
 */
export async function cleanPipeline(
  app: App,
  preview: CleanPreview,
  { reason, isPreviewOld, onDeleting = () => app.signal }: DeletionOptions,
): Promise<CleanShape> {
  const { shape, missing, removedRecords, plan, searchResult, search, requests } = preview;
  const { removedColorways, taskQueue } = preview;
  const { orphans, olderThan } = shape;
  const { pipeline, file } = plan;
  const clean = async (temporal: TemporalClient, client: Client) => {
    const current = isPreviewOld ? await search(() => readOpenRuns(temporal)) : searchResult;
    const unusedIds = new Set(current.orphans.map(resourceId));
    const confirmedOrphans = orphans.filter((orphan) => unusedIds.has(resourceId(orphan)));
    const deletes = formatResources(confirmedOrphans);
    const resources = confirmedOrphans.map(({ kind, id }) => `${kind} ${id}`);
    const details = { file, olderThan, removedColorways, deletes, resources };
    const act = { what: 'cleaned', subject: 'pipeline', name: pipeline, pipeline } as const;
    const action = { ...act, details, ...omitUndefined({ reason }) };
    const { deleted, refused } = await withAuditRecord(
      { client: temporal, taskQueue },
      action,
      async () => {
        const bounds = { requests, signal: onDeleting() };
        const end = await deleteAll(app, client, confirmedOrphans, bounds);
        if (removedRecords > 0)
          await deleteRemovedRecords(plan, current.removed, [...missing, ...end.deleted]);
        return end;
      },
    );
    return {
      ...shape,
      usedSince: orphans.filter((orphan) => !confirmedOrphans.includes(orphan)).map(kindAndIdOf),
      deleted: deleted.map(kindAndIdOf),
      refused: refused.map(({ orphan, ...reasonFields }) => ({
        ...kindAndIdOf(orphan),
        ...reasonFields,
      })),
      requests: requests.snapshot(),
    };
  };
  return withTemporal(app, ({ client: temporal }) =>
    withPlatform(app, (client) => clean(temporal, client)),
  );
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
