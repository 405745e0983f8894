// Finds the users of platform resources in the claims and records of one pipeline folder.
import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import { Claims } from '../claims/claims.ts';
import { isMissingError, JsonObjects } from '../objects/json-objects.ts';
import { resourcesOfRecord } from '../records/earlier-work.ts';
import { LibraryItems } from '../records/library-items.ts';
import { resourcesOf } from '../records/platform-resources.ts';
import { type AssetRecord, Records } from '../records/records.ts';
import { RunAssets } from '../runs/run-assets.ts';
import { type CreatedResources, formatOpenRun } from './created-resources.ts';

/** Hooks for the claims and records of the pipeline that created the resources. */
export interface OwnPipelineHooks {
  /** Called for each claim, and for each record that is in use or cannot be read. */
  onEntry: (encodedKey: string, platformIds: PlatformIds) => void;
  /** Returns the record without unused earlier recipes. Null if nothing of the record is in use. */
  usedPartOf: (record: AssetRecord) => AssetRecord | null;
}

export interface UsersInput {
  connector: Connector;
  folder: string;
  resources: CreatedResources;
  openRuns: ReadonlySet<string>;
  signal: AbortSignal;
  /** Set only for the pipeline that created the resources, since asset keys belong to one pipeline. */
  ownHooks?: OwnPipelineHooks;
}

/**
 * Returns the folders of all pipelines with records at this connector, or null if its location does not exist. A folder
 * is recognized by what runs keep there, because a pipeline that has run only in parts has no last run.
 */
export async function listPipelineFolders(
  connector: Connector,
  signal: AbortSignal,
): Promise<string[] | null> {
  const recordsPattern = /^(\.renderline\/[^/]+)\/(?:claims|library|records|runs)\//;
  const folderOf = (path: string) => recordsPattern.exec(path)?.[1] ?? null;
  const folders = new Set<string>();
  const accept = (path: string) => {
    const folder = folderOf(path);
    return folder !== null && !folders.has(folder);
  };
  try {
    for await (const path of connector.names('.renderline', { signal, accept })) {
      const folder = folderOf(path);
      if (folder !== null) folders.add(folder);
    }
  } catch (error) {
    if (isMissingError(error) || isMissingBucket(error)) return null;
    throw error;
  }
  return [...folders];
}

function isMissingBucket(error: unknown): boolean {
  return error instanceof ConnectorError && error.code === 'BUCKET_NOT_FOUND';
}

/**
 * Marks the resources that the claims, records and open runs of a pipeline use. Claims are read first, because a run
 * writes an asset's record before it releases the claim, so that assets are not missed between the two listings.
 */
export async function markResourcesInUse(input: UsersInput): Promise<void> {
  const { connector, folder, resources, openRuns, signal, ownHooks } = input;
  const objects = new JsonObjects(connector, folder);
  const owner = { run: '', lineage: '', recipe: '' };
  const pipeline = `pipeline ${folder.slice(folder.lastIndexOf('/') + 1)}`;
  const startedUser = ownHooks ? 'assets that a run has started but not delivered' : pipeline;
  const deliveredUser = ownHooks ? 'assets that are delivered' : pipeline;
  for await (const { key, claim } of new Claims(objects, owner, Date.now).all(signal)) {
    resources.markUsedBy(resourcesOf({ platformIds: claim?.platformIds ?? {} }), startedUser);
    // While a run works on an asset, or after a run died, the claim may lack some of the asset's ids.
    if (ownHooks && (claim === null || claim.state === 'working')) resources.markAllUsedOf(key);
    ownHooks?.onEntry(key, claim?.platformIds ?? {});
  }
  for await (const { key, record } of new Records(objects).all(signal)) {
    const usedRecord = record && ownHooks ? ownHooks.usedPartOf(record) : record;
    if (usedRecord) resources.markUsedBy(resourcesOfRecord(usedRecord), deliveredUser);
    else if (ownHooks && record === null) resources.markAllUsedOf(key);
    if (usedRecord || record === null) ownHooks?.onEntry(key, usedRecord?.platformIds ?? {});
  }
  const items = await new LibraryItems(objects).read(undefined, signal);
  const materials = items.map(({ materialId }) => ({ kind: 'material', id: materialId }));
  const keepingUser = ownHooks ? 'materials that a node of the pipeline manages' : pipeline;
  resources.markUsedBy(materials, keepingUser);
  for (const run of openRuns)
    await markSourcesOfRun(new RunAssets(objects, run), resources, formatOpenRun(run));
}

/** Marks the platform objects among the assets of an open run. The run may not have claimed them yet. */
async function markSourcesOfRun(
  runAssets: RunAssets,
  resources: CreatedResources,
  run: string,
): Promise<void> {
  const discovery = await runAssets.readDiscovery();
  for (let page = 0; page < (discovery?.pages ?? 0); page += 1) {
    for (const asset of await runAssets.page(page)) resources.markUsedBy(resourcesOf(asset), run);
  }
}
