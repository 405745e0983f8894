// Finds the resources of a pipeline that can be deleted.
import { RequestCounter } from '../../api/request-counter.ts';
import { escapeToOneLine } from '../../api/responses/plain-text.ts';
import { readWorkspace } from '../../api/workspace.ts';
import { openConnector } from '../../connectors/index.ts';
import { assertOwnRecords } from '../../engine/bind-records-to-workspace.ts';
import { labelsOf } from '../../language/dimension-names.ts';
import { formatDuration } from '../../language/duration.ts';
import { locationOf } from '../../plan/run/location.ts';
import type { Plan } from '../../plan/types.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import type { Orphan, OrphanSearchResult } from '../../store/search/find-orphans.ts';
import type { App } from '../app.ts';
import { withPlatform } from '../platform-client.ts';
import {
  createOrphanSearch,
  inspectOrphans,
  type OrphanInspection,
  type OrphanSearch,
  type RunLookup,
} from './inspect-orphans.ts';

export interface DeletionPreviewOptions {
  file: string;
  olderThanMs: number;
  removedColorways: boolean;
  dryRun: boolean;
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

export interface DeletionPreview {
  /** The output if nothing is deleted. */
  shape: CleanShape;
  missing: Orphan[];
  /** Number of records of removed colorways. A record is deleted once its project is. */
  removedRecords: number;
  isEmpty: boolean;
  plan: Plan;
  options: DeletionPreviewOptions;
  searchResult: OrphanSearchResult;
  search: OrphanSearch;
  requests: RequestCounter;
}

/** @throws RunCauseError if the records belong to another workspace */
export async function previewDeletion(
  app: App,
  plan: Plan,
  options: DeletionPreviewOptions,
  runs: RunLookup,
): Promise<DeletionPreview> {
  const search = await createOrphanSearch(app, plan, runs.locations, options);
  return withPlatform(app, async (client) => {
    const { signal } = app;
    await assertOwnRecords(openConnector(plan.records), () => readWorkspace(client, { signal }));
    const searchResult = await search(runs.readOpen);
    for (const location of searchResult.missing) {
      app.note(
        `${escapeToOneLine(location)} does not exist, so the resources that its pipelines use are unknown.`,
      );
    }
    const requests = new RequestCounter();
    const { olderThanMs } = options;
    const bounds = { olderThanMs, requests };
    const inspection = await inspectOrphans(app, client, searchResult.orphans, bounds);
    const removedRecords = options.removedColorways ? searchResult.removed.length : 0;
    return {
      shape: toShape(plan, options, searchResult, inspection, requests),
      missing: inspection.missing,
      removedRecords,
      isEmpty: inspection.existing.length === 0 && removedRecords === 0,
      plan,
      options,
      searchResult,
      search,
      requests,
    };
  });
}

function toShape(
  { pipeline, records }: Plan,
  { olderThanMs, dryRun }: DeletionPreviewOptions,
  { orphans: _orphans, removed, ...searched }: OrphanSearchResult,
  { existing, inUse, tooRecent }: OrphanInspection,
  requests: RequestCounter,
): CleanShape {
  const usedBy = searched.usedBy.map(({ user, resources }) => ({ user, resources }));
  return {
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
  };
}

/** Converts the record of a colorway that is no longer in the file or its table. The colorway's files are kept. */
function toRemovedCell({ key, source, platformIds, files }: AssetRecord) {
  const model = source.cell?.group ?? key;
  const { colorway } = labelsOf(source);
  return { key, model, colorway, projectId: platformIds.projectId ?? null, files: files.length };
}
