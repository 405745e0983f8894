// Shows the orphaned resources of a pipeline, asks for confirmation, and deletes them.
import type { Client } from '../../api/client.ts';
import { RequestCounter } from '../../api/counter.ts';
import { workspaceOf } from '../../api/workspace.ts';
import { formatCounts, formatPreview } from '../../cli/clean/format.ts';
import { confirm } from '../../cli/confirm.ts';
import type { Session } from '../../cli/session.ts';
import { escapeForTerminal } from '../../cli/terminal-text.ts';
import { openConnector } from '../../connectors/index.ts';
import { assertOwnRecords } from '../../engine/claim-records.ts';
import { type Deleted, deleteOrphans } from '../../engine/cleaning/delete-orphans.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { openRunStore } from '../../features/run-store.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { locationOf } from '../../plan/run/location.ts';
import type { Plan } from '../../plan/types.ts';
import { recordName } from '../../store/objects/object-name.ts';
import { resourcesOfRecord } from '../../store/records/earlier-work.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import { resourceId } from '../../store/records/resource-id.ts';
import type { Orphan } from '../../store/search/find-orphans.ts';
import { withPlatform } from '../platform-client.ts';
import { createProgressNote } from '../progress-note.ts';
import { explainError, RenderlineError } from '../renderline-error.ts';
import {
  confirmOrphans,
  createOrphanSearch,
  inspectOrphanSearch,
  type OrphanInspection,
  type RunLookup,
} from './inspect-orphans.ts';

export interface CleanOptions {
  /** Path of the pipeline file as given on the command line. */
  file: string;
  olderThan: string;
  olderThanMs: number;
  /** Also delete resources of colorways that no longer exist. */
  removedColorways: boolean;
  dryRun: boolean;
  yes: boolean;
  /** Writes the deletion to the audit log, then does the work. */
  record<T>(details: object, work: () => Promise<T>): Promise<T>;
}

export async function cleanPipeline(
  app: Session,
  plan: Plan,
  options: CleanOptions,
  runs: RunLookup,
): Promise<number> {
  const { output } = app;
  const search = await createOrphanSearch(app, plan, runs, options);
  return withPlatform(app, async (client) => {
    const signal = app.signal;
    await assertOwnRecords(openConnector(plan.records), () => workspaceOf(client, { signal }));
    const found = await search();
    for (const place of found.absent) {
      output.note(
        `${escapeForTerminal(place)} does not exist, so what pipelines with records there use is not known.`,
      );
    }
    const requests = new RequestCounter();
    const { pipeline } = plan;
    const inspection = await inspectOrphanSearch(app, client, found, {
      pipeline,
      ...options,
      requests,
    });
    const baseOutput = outputOf(plan, inspection, options);
    const preview = () => formatPreview(inspection, app.now(), output.paint);
    const deletesRecords = options.removedColorways && found.removed.length > 0;
    if (options.dryRun || (inspection.existing.length === 0 && !deletesRecords)) {
      const nothing = { usedSince: [], deleted: [], refused: [], requests: requests.snapshot() };
      output.result({ ...baseOutput, ...nothing }, preview);
      return exitCode.done;
    }
    if (!output.json) output.raw(preview());
    const records = deletesRecords ? ` and ${formatCount(found.removed.length, 'record')}` : '';
    await confirm(app, `Delete ${formatCounts(inspection.existing)}${records}?`, options.yes);
    // Searches again, because runs may have started while the person decided.
    const now = options.yes ? found : await search();
    const confirmed = confirmOrphans(inspection.existing, now);
    const what = {
      deletes: formatCounts(confirmed),
      things: confirmed.map(({ kind, id }) => `${kind} ${id}`),
    };
    const { deleted, refused } = await options.record(what, async () => {
      const end = await deleteAll(app, client, confirmed, requests);
      if (deletesRecords)
        await deleteRemovedRecords(plan, now.removed, [...inspection.missing, ...end.deleted]);
      return end;
    });
    const usedSince = inspection.existing
      .filter((orphan) => !confirmed.includes(orphan))
      .map(kindAndId);
    const end = {
      usedSince,
      deleted: deleted.map(kindAndId),
      refused: refused.map(({ orphan, code, message }) => ({
        ...kindAndId(orphan),
        code,
        message,
      })),
      requests: requests.snapshot(),
    };
    output.result({ ...baseOutput, ...end }, () => formatResult(deleted, escapeForTerminal(end)));
    return refused.length > 0 ? exitCode.partial : exitCode.done;
  });
}

/** Deletes the records of removed cells whose projects no longer exist on the platform. */
async function deleteRemovedRecords(
  { pipeline, recipe, records }: Plan,
  removed: readonly AssetRecord[],
  missing: readonly Orphan[],
): Promise<void> {
  const context = { run: 'clean', lineage: 'clean', pipeline, recipe };
  const store = openRunStore(openConnector(records), context);
  const missingIds = new Set(missing.map(resourceId));
  for (const record of removed) {
    const projects = resourcesOfRecord(record).filter(({ kind }) => kind === 'project');
    if (!projects.every((project) => missingIds.has(resourceId(project)))) continue;
    await store.records.remove(recordName(record.key, record.source.version, record.recipe));
  }
}

/** @throws RenderlineError if the deletion stops early; the same command continues it */
async function deleteAll(
  app: Session,
  client: Client,
  wanted: readonly Orphan[],
  requests: RequestCounter,
): Promise<Deleted> {
  const signal = app.io.interrupts.handleFirst();
  const formatProgress = (done: number) => `${done} of ${wanted.length} deleted`;
  const onDeleted = createProgressNote(app, formatProgress);
  const end = await deleteOrphans(client, wanted, { requests, signal, onDeleted });
  const { deleted, remaining, error } = end;
  if (remaining.length === 0) return end;
  const cause = error === null ? interruptedFailure : explainError(error);
  const fix = [cause.fix, 'Repeat the command to delete the rest.'].filter(Boolean).join('\n');
  throw new RenderlineError(
    cause,
    `${cause.message} Deleted before that: ${formatCounts(deleted)}; remaining: ${formatCounts(remaining)}.`,
    { fix, details: { deleted: deleted.map(kindAndId), left: remaining.map(kindAndId) } },
  );
}

const interruptedFailure = { ...commandFailures.INTERRUPTED, message: 'Interrupted.', fix: '' };

function outputOf(
  { pipeline, records }: Plan,
  inspection: OrphanInspection,
  options: CleanOptions,
) {
  const { existing, inUse, tooRecent, searched, removed } = inspection;
  const usedBy = searched.usedBy.map(({ user, resources }) => ({ user, things: resources }));
  const { olderThan, dryRun } = options;
  return {
    schema: 'renderline/clean/v1',
    pipeline,
    records: locationOf(records),
    dryRun,
    olderThan,
    looked: { ...searched, usedBy },
    orphans: existing,
    held: inUse.map(({ orphan, projectId }) => ({ ...orphan, projectId })),
    young: tooRecent,
    removed,
  };
}

function kindAndId({ kind, id }: Orphan): Pick<Orphan, 'kind' | 'id'> {
  return { kind, id };
}

function formatResult(
  deleted: readonly Orphan[],
  end: {
    usedSince: { kind: string; id: string }[];
    refused: { kind: string; id: string; message: string }[];
  },
): string {
  return [
    `Deleted: ${formatCounts(deleted)}.`,
    ...end.usedSince.map(({ kind, id }) => `Kept: ${kind} ${id}, which is in use again.`),
    ...end.refused.map(({ kind, id, message }) => `Refused: ${kind} ${id}: ${message}`),
  ].join('\n');
}
