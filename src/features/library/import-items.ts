// Uploads props and decals with request bodies, upload links and a confirmation.

import type { OperationId } from '../../api/operations/index.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { callOptions } from '../../engine/submit/call-outcome.ts';
import { finishEarlierCalls } from '../../engine/submit/finish-earlier-calls.ts';
import type { UploadStatus } from '../../engine/uploads/record-group.ts';
import { createRecordWriter, type RecordSpec } from '../../engine/uploads/record-writer.ts';
import { failOnRefusal } from '../../engine/uploads/upload-file.ts';
import { uploadIntoRecords } from '../../engine/uploads/upload-into-records.ts';
import { findFileType } from '../../engine/uploads/upload-names.ts';
import { type TakenNames, takeFreeName } from '../../language/naming/free-name.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { decalCreation, propCreation } from './creations.ts';
import { libraryFailures } from './failures.ts';
import { findDecalType, type LibraryKind } from './library-kinds.ts';
import {
  hasUploadArrived,
  type ItemPollResult,
  pollItems,
  watchedItemIdOf,
} from './library-status-poller.ts';

type ItemKind = 'prop' | 'decal';

/** Items to upload, and items that our inspection refused. */
export interface Items {
  assets: readonly ImportingAsset[];
  refusedAssets: readonly ImportingAsset[];
  connector: string;
}

export async function importItems(
  kind: ItemKind,
  { assets, refusedAssets, connector }: Items,
  context: NodeContext,
): Promise<AssetResult[]> {
  if (assets.length + refusedAssets.length === 0) return [];
  const files = { assets, refusedAssets };
  const common = {
    kind,
    connector,
    missingFailure: libraryFailures.LIBRARY_ITEM_NOT_CREATED,
    readUploadStatuses: (ids: readonly string[]) => readItemUploadStatus(kind, ids, context),
    confirm: ({ key }: ImportingAsset, item: PlatformIds) => confirm(kind, key, item, context),
  };
  if (kind === 'prop') return uploadItems(files, { ...common, ...props }, context);
  return uploadItems(files, { ...common, ...decals }, context);
}

type KindSpecific<Id extends OperationId> = Pick<
  RecordSpec<ImportingAsset, Id>,
  'creation' | 'bodyOf' | 'linksIn'
>;

const props: KindSpecific<'createProps'> = {
  creation: propCreation,
  bodyOf: (assets) => ({ props: toRequestItems(assets, (path) => findFileType(path) ?? '') }),
  linksIn: (response) => ({
    links: new Map(response.props.map((link) => [link.propId, link])),
    errors: response.errors,
  }),
};

const decals: KindSpecific<'createDecals'> = {
  creation: decalCreation,
  bodyOf: (assets) => ({ decals: toRequestItems(assets, findDecalType) }),
  linksIn: (response) => ({
    links: new Map(response.decals.map((link) => [link.decalId, link])),
    errors: response.errors,
  }),
};

async function uploadItems<Id extends OperationId>(
  { assets, refusedAssets }: Pick<Items, 'assets' | 'refusedAssets'>,
  spec: RecordSpec<ImportingAsset, Id>,
  context: NodeContext,
): Promise<AssetResult[]> {
  const allAssets = [...assets, ...refusedAssets];
  const earlierCalls = await finishEarlierCalls(allAssets, [spec.creation], context);
  const writer = createRecordWriter(spec, context);
  return uploadIntoRecords({ assets, refusedAssets, earlierCalls }, writer, context);
}

function toRequestItems<Type>(assets: readonly ImportingAsset[], typeOf: (path: string) => Type) {
  // The names in the request must stay unique even after the platform has trimmed them.
  const takenNames: TakenNames = new Map();
  return assets.map(({ key, source, collection }) => ({
    name: takeFreeName(key.trim(), takenNames),
    fileName: source.path.slice(source.path.lastIndexOf('/') + 1),
    fileType: typeOf(source.path),
    fileSize: source.bytes,
    ...(collection === undefined ? {} : { collection }),
  }));
}

async function confirm(
  kind: ItemKind,
  key: string,
  item: PlatformIds,
  context: NodeContext,
): Promise<AssetResult> {
  const { client } = context;
  const { propId = '', decalId = '' } = item;
  const options = callOptions(context);
  return failOnRefusal({ key, platformIds: item, context }, async () => {
    const { status } = await (kind === 'prop'
      ? client.confirmProp({ params: { propId } }, options)
      : client.confirmDecal({ params: { decalId } }, options));
    const readyField = status === 'READY' ? { itemReady: true } : {};
    return { key, outcome: 'done', platformIds: { ...item, ...readyField } };
  });
}

/** Reads statuses by id. Items that are missing or not reported are omitted. */
export async function readItemUploadStatus(
  kind: LibraryKind,
  ids: readonly string[],
  { client, requests }: NodeContext,
): Promise<Map<string, UploadStatus>> {
  const items = ids.map((id) => ({ kind, id }));
  const results = await pollItems(client, items, { priority: 'status', requestCounter: requests });
  const statuses = new Map<string, UploadStatus>();
  for (const item of items) {
    const result = results.get(watchedItemIdOf(item));
    if (result) statuses.set(item.id, toUploadStatus(kind, result));
  }
  return statuses;
}

function toUploadStatus(kind: LibraryKind, result: NonNullable<ItemPollResult>): UploadStatus {
  if (hasUploadArrived(kind, result)) {
    const isReady = kind === 'decal' && result.status === 'READY';
    return { state: 'uploaded', platformIds: isReady ? { itemReady: true } : {} };
  }
  // No list shows whether a failed material exists, so it counts as missing.
  return { state: kind === 'material' && /^failed$/i.test(result.status) ? 'missing' : 'open' };
}

export interface ImportingAsset extends StepAsset {
  collection?: string;
}
