// Uploads props and decals: request bodies, upload links, confirmation.

import type { OperationId } from '../../api/operations/index.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { callOptions } from '../../engine/submit/call-outcome.ts';
import { finishEarlierCalls } from '../../engine/submit/finish-earlier-calls.ts';
import type { UploadStatus } from '../../engine/uploads/record-group.ts';
import { createRecordWriter, type RecordSpec } from '../../engine/uploads/record-writer.ts';
import { failOnRefusal } from '../../engine/uploads/upload-file.ts';
import { uploadIntoRecords } from '../../engine/uploads/upload-into-records.ts';
import { fileTypeOf } from '../../engine/uploads/upload-names.ts';
import { expressionScopeOf } from '../../language/expressions.ts';
import { type TakenNames, takeFreeName } from '../../language/naming/free-name.ts';
import { evaluateTemplate } from '../../language/value-template.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, Plan, StepAsset } from '../../plan/types.ts';
import { decalCreation, propCreation } from './creations.ts';
import { libraryFailures } from './failures.ts';
import { decalTypeOf, type LibraryKind } from './library-kinds.ts';
import {
  hasUploadArrived,
  type ItemPollResult,
  pollItems,
  watchedItemId,
} from './library-status-poller.ts';

type ItemKind = 'prop' | 'decal';

/** Failure of an item that the platform did not create. */
export const itemNotCreated = libraryFailures.LIBRARY_ITEM_NOT_CREATED;

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
    missingFailure: itemNotCreated,
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
  bodyOf: (assets) => ({ props: toRequestItems(assets, (path) => fileTypeOf(path) ?? '') }),
  linksIn: (response) => ({
    links: new Map(response.props.map((link) => [link.propId, link])),
    errors: response.errors,
  }),
};

const decals: KindSpecific<'createDecals'> = {
  creation: decalCreation,
  bodyOf: (assets) => ({ decals: toRequestItems(assets, decalTypeOf) }),
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
  const earlierCalls = await finishEarlierCalls(
    [...assets, ...refusedAssets],
    [spec.creation],
    context,
  );
  const writer = createRecordWriter(spec, context);
  return uploadIntoRecords({ assets, refusedAssets, earlierCalls }, writer, context);
}

function toRequestItems<Type>(assets: readonly ImportingAsset[], typeOf: (path: string) => Type) {
  const names = uniqueNames(assets);
  return assets.map(({ key, source, collection }) => ({
    name: names.get(key) ?? key,
    fileName: source.path.slice(source.path.lastIndexOf('/') + 1),
    fileType: typeOf(source.path),
    fileSize: source.bytes,
    ...(collection === undefined ? {} : { collection }),
  }));
}

/** A name for each asset key, unique in the request even after the platform has trimmed it. */
function uniqueNames(assets: readonly ImportingAsset[]): Map<string, string> {
  const takenNames: TakenNames = new Map();
  return new Map(assets.map(({ key }) => [key, takeFreeName(key.trim(), takenNames)]));
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
    const { status } =
      kind === 'prop'
        ? await client.confirmProp({ params: { propId } }, options)
        : await client.confirmDecal({ params: { decalId } }, options);
    const readyField = status === 'READY' ? { itemReady: true } : {};
    return { key, outcome: 'done', platformIds: { ...item, ...readyField } };
  });
}

/** Statuses by id. Items that are missing or not reported are left out. */
export async function readItemUploadStatus(
  kind: LibraryKind,
  ids: readonly string[],
  { client, requests }: NodeContext,
): Promise<Map<string, UploadStatus>> {
  const items = ids.map((id) => ({ kind, id }));
  const results = await pollItems(client, items, { priority: 'status', scope: requests });
  const statuses = new Map<string, UploadStatus>();
  for (const item of items) {
    const result = results.get(watchedItemId(item));
    if (result) statuses.set(item.id, toUploadStatus(kind, result));
  }
  return statuses;
}

function toUploadStatus(kind: LibraryKind, result: NonNullable<ItemPollResult>): UploadStatus {
  if (hasUploadArrived(kind, result)) {
    return {
      state: 'uploaded',
      platformIds: kind === 'decal' && result.status === 'READY' ? { itemReady: true } : {},
    };
  }
  // No list shows whether a failed material exists, so it counts as missing.
  return { state: kind === 'material' && /^failed$/i.test(result.status) ? 'missing' : 'open' };
}

export interface ImportingAsset extends StepAsset {
  collection?: string;
}

/** No collection if the text is absent or empty. @throws ExpressionError when an expression fails */
export function evaluateCollection(
  asset: StepAsset,
  text: string | undefined,
  parameters: Plan['parameters'],
): { collection?: string } {
  const name = text && String(evaluateTemplate(text, expressionScopeOf(asset, parameters))).trim();
  return name ? { collection: name } : {};
}
