// Finds the resources that runs of a pipeline created on the platform and that can be deleted.
import type { Client as TemporalClient } from '@temporalio/client';
import { RequestCounter } from '../../api/request-counter.ts';
import { escapeToOneLine } from '../../api/responses/plain-text.ts';
import { readWorkspace } from '../../api/workspace.ts';
import { openConnector } from '../../connectors/index.ts';
import { assertOwnRecords } from '../../engine/bind-records-to-workspace.ts';
import { dayMs } from '../../language/calendar/days.ts';
import { labelsOf } from '../../language/dimension-names.ts';
import { formatDuration } from '../../language/duration.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { locationOf } from '../../plan/run/location.ts';
import type { Plan } from '../../plan/types.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import type { Orphan, OrphanSearchResult } from '../../store/search/find-orphans.ts';
import type { WithReadability } from '../../temporal/codec/tolerant-reader.ts';
import type { App } from '../app.ts';
import { compilePipeline } from '../compile-pipeline.ts';
import { readKnownRuns } from '../find/record-locations.ts';
import { withPlatform } from '../platform-client.ts';
import { chooseRunTarget } from '../run-target.ts';
import { withTemporal } from '../temporal-client.ts';
import { unreadablePayloadError } from '../unreadable-payload.ts';
import { createOrphanSearch, inspectOrphans, type OrphanSearch } from './inspect-orphans.ts';

export interface CleanOptions {
  parameters?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Minimum age of deleted resources, ms. @default 24 hours, the lifetime of idempotency keys (docs/platform.md) */
  olderThanMs?: number | undefined;
  /** Also deletes resources and records of colorways that the file or its table no longer contains. */
  removedColorways?: boolean | undefined;
  /** Copied to the result. The preview itself never deletes anything. */
  dryRun?: boolean | undefined;
}

type ResourceName = Pick<Orphan, 'kind' | 'id'>;

export interface CleanShape {
  schema: 'renderline/clean/v1';
  pipeline: string;
  /** Where the pipeline keeps its records. */
  records: string | null;
  dryRun: boolean;
  olderThan: string;
  /** What was searched, and the number of resources used by each user. */
  searched: Omit<OrphanSearchResult, 'orphans' | 'removed' | 'usedBy'> & {
    usedBy: { user: string; resources: number }[];
  };
  orphans: Orphan[];
  /** Models that are kept because a remaining project uses them. */
  held: (Orphan & { projectId: string })[];
  tooRecent: number;
  /** Cells whose colorway is no longer in the pipeline. */
  removed: ReturnType<typeof toRemovedCell>[];
  /** Orphans that came into use after the preview. */
  usedSince: ResourceName[];
  deleted: ResourceName[];
  refused: (ResourceName & { code: string; message: string })[];
  requests: ReturnType<RequestCounter['snapshot']>;
}

export interface CleanPreview {
  /** The output if nothing is deleted. */
  shape: CleanShape;
  missing: Orphan[];
  /** Number of records of removed colorways. A record is deleted once its project is. */
  removedRecords: number;
  isEmpty: boolean;
  plan: Plan;
  removedColorways: boolean;
  searchResult: OrphanSearchResult;
  search: OrphanSearch;
  requests: RequestCounter;
  /** Task queue of the pipeline's runs, whose audit log records the deletion. */
  taskQueue: string;
}

/**
 * @throws RenderlineError if Temporal or a run cannot be read, so that the resources in use are unknown; RunCauseError
 *   if the records belong to another workspace
 */
export async function previewClean(
  app: App,
  file: string,
  { parameters = {}, olderThanMs = dayMs, removedColorways = false, dryRun = false }: CleanOptions,
): Promise<CleanPreview> {
  const { plan } = await compilePipeline(app, file, parameters);
  const { pipeline, records } = plan;
  await app.platform();
  return withTemporal(app, async ({ client: temporal }) => {
    const { locations, unreadable } = await readKnownRuns(temporal, 'all');
    assertRunsReadable(unreadable);
    const { taskQueue } = await chooseRunTarget(app);
    const search = await createOrphanSearch(app, plan, locations, { file, removedColorways });
    return withPlatform(app, async (client) => {
      const { signal } = app;
      await assertOwnRecords(openConnector(records), () => readWorkspace(client, { signal }));
      const searchResult = await search(() => readOpenRuns(temporal));
      const { orphans, removed, ...searched } = searchResult;
      for (const location of searchResult.missing) {
        app.note(
          `${escapeToOneLine(location)} does not exist, so the resources that its pipelines use are unknown.`,
        );
      }
      const requests = new RequestCounter();
      const bounds = { olderThanMs, requests };
      const { existing, inUse, tooRecent, missing } = await inspectOrphans(
        app,
        client,
        orphans,
        bounds,
      );
      const usedBy = searched.usedBy.map(({ user, resources }) => ({ user, resources }));
      const removedRecords = removedColorways ? removed.length : 0;
      return {
        shape: {
          schema: 'renderline/clean/v1',
          pipeline,
          records: locationOf(records),
          dryRun,
          olderThan: formatDuration(olderThanMs),
          searched: { ...searched, usedBy },
          orphans: existing,
          held: inUse.map(({ orphan, projectId }) => ({ ...orphan, projectId })),
          tooRecent,
          removed: removed.map(toRemovedCell),
          usedSince: [],
          deleted: [],
          refused: [],
          requests: requests.snapshot(),
        },
        missing,
        removedRecords,
        isEmpty: existing.length === 0 && removedRecords === 0,
        plan,
        removedColorways,
        searchResult,
        search,
        requests,
        taskQueue,
      };
    });
  });
}

/** Converts the record of a colorway that is no longer in the file or its table. The colorway's files are kept. */
function toRemovedCell({ key, source, platformIds, files }: AssetRecord) {
  const model = source.cell?.group ?? key;
  const { colorway } = labelsOf(source);
  return { key, model, colorway, projectId: platformIds.projectId ?? null, files: files.length };
}

export async function readOpenRuns(client: TemporalClient): Promise<ReadonlySet<string>> {
  return (await readKnownRuns(client, 'open')).openRuns;
}

/** @throws RenderlineError if a run cannot be decrypted here, because the resources that it uses are then unknown */
function assertRunsReadable(runs: readonly WithReadability[]): void {
  const [first] = runs.flatMap(({ unreadable }) => unreadable ?? []);
  if (first === undefined) return;
  throw unreadablePayloadError(
    first,
    `The resources used by ${formatCount(runs.length, 'run')} are unknown, so nothing is deleted.`,
  );
}
