// Uploads materials one by one, each with a create request, an upload for each texture and a confirmation.

import { textureChannels, textureFileTypes } from '../../api/operations/materials.ts';
import type { Entry } from '../../connectors/connector.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { callOptions } from '../../engine/submit/call-outcome.ts';
import type { ResponseTo } from '../../engine/submit/creation.ts';
import { finishEarlierCalls } from '../../engine/submit/finish-earlier-calls.ts';
import { splitCall } from '../../engine/submit/split-call.ts';
import { submitOnce } from '../../engine/submit/submit-once.ts';
import { readLiveResponse } from '../../engine/uploads/live-response.ts';
import {
  deleteUnusedRecords,
  sortByUploadStatus,
  type UploadStatus,
  uploadEach,
} from '../../engine/uploads/record-group.ts';
import { failNotCreated } from '../../engine/uploads/record-writer.ts';
import { assertSameSetVersion } from '../../engine/uploads/source-file.ts';
import {
  failOnRefusal,
  failOnSourceProblem,
  sendSourceFile,
} from '../../engine/uploads/upload-file.ts';
import {
  type RecordGroup,
  type RenewalOptions,
  type UploadResult,
  uploadIntoRecords,
} from '../../engine/uploads/upload-into-records.ts';
import { findFileType } from '../../engine/uploads/upload-names.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { setPaths, setSha256 } from '../../store/records/source-set.ts';
import { materialCreation } from './creations.ts';
import { libraryFailures } from './failures.ts';
import { type ImportingAsset, type Items, readItemUploadStatus } from './import-items.ts';

/** The `channel` of an upload looks like `diffuse.png`. */
type MaterialResponse = ResponseTo<'createMaterial'>;

type MaterialGroup = RecordGroup<ImportingAsset, 'createMaterial'>;

export async function importMaterials(
  { assets, refusedAssets, connector }: Items,
  context: NodeContext,
): Promise<AssetResult[]> {
  if (assets.length + refusedAssets.length === 0) return [];
  const allAssets = [...assets, ...refusedAssets];
  const earlierCalls = await finishEarlierCalls(allAssets, [materialCreation], context);
  return uploadIntoRecords(
    { assets, refusedAssets, earlierCalls },
    {
      creation: materialCreation,
      create: (batch, renewal) => createRecords(batch, renewal, context),
      upload: (group, refusedKeys) => uploadGroup(group, refusedKeys, connector, context),
    },
    context,
  );
}

async function createRecords(
  assets: readonly ImportingAsset[],
  renewal: RenewalOptions,
  context: NodeContext,
): Promise<{ groups: MaterialGroup[]; results: AssetResult[] }> {
  const groups: MaterialGroup[] = [];
  const createRecord = async (asset: ImportingAsset) => {
    const { collection } = asset;
    const body = {
      name: asset.source.set?.name ?? asset.key,
      textures: texturesOf(asset).map(({ channel, fileType }) => ({ channel, fileType })),
      ...(collection === undefined ? {} : { collection }),
    };
    const submission = { body, assets: [asset], purpose: 'material', ...renewal };
    const call = await submitOnce({ creation: materialCreation, ...submission }, context);
    groups.push({ call, assets: [asset] });
    return [];
  };
  const createOrFail = (asset: ImportingAsset) =>
    splitCall([asset], () => createRecord(asset), context);
  const results = await mapBounded(assets, createOrFail, { signal: context.signal });
  return { groups, results: results.flat() };
}

/**
 * Uploads the textures of a created material and confirms it. Each group has exactly one asset, because each material
 * has its own request.
 */
async function uploadGroup(
  group: MaterialGroup,
  refusedKeys: ReadonlySet<string>,
  connector: string,
  context: NodeContext,
): Promise<UploadResult<ImportingAsset>> {
  const { call } = group;
  const [asset] = group.assets;
  const id = call.platformIds[asset?.key ?? '']?.materialId;
  const statuses = new Map<string, UploadStatus>();
  if (call.response === null && asset !== undefined && id !== undefined) {
    const statusById = await readItemUploadStatus('material', [id], context);
    statuses.set(asset.key, statusById.get(id) ?? { state: 'missing' });
  }
  const sortedAssets = await sortByUploadStatus(group, 'material', statuses, refusedKeys, context);
  if (sortedAssets.open.length === 0) return sortedAssets;
  const response = await readLiveResponse(materialCreation, call, context);
  const uploads = await uploadEach(
    sortedAssets.open,
    async (openAsset) => {
      const { key } = openAsset;
      const createdIds = call.platformIds[key];
      if (createdIds?.idConflict !== undefined)
        return { key, outcome: 'done', platformIds: createdIds };
      if (response === null) return 'no-link';
      const failure = await uploadTextures(openAsset, response, connector, context);
      return failure ?? confirm(key, createdIds, response, context);
    },
    context,
  );
  await deleteUnusedRecords('material', call.platformIds, uploads, context);
  return uploads;
}

function texturesOf({ source }: ImportingAsset) {
  const paths = source.set === undefined ? [] : setPaths(source, source.set);
  return paths.flatMap(([name, path]) => {
    const channel = textureChannels.find((textureChannel) => textureChannel === name);
    const type = findFileType(path);
    const fileType = textureFileTypes.find((textureFileType) => textureFileType === type);
    // A set contains only files whose channels and types are known.
    return channel === undefined || fileType === undefined ? [] : [{ channel, path, fileType }];
  });
}

/** Uploads the textures of a set. Returns null, or a failure if an address is missing or the set has changed. */
async function uploadTextures(
  asset: ImportingAsset,
  { uploads }: MaterialResponse,
  connectorName: string,
  context: NodeContext,
): Promise<AssetResult | null> {
  const { key, source } = asset;
  const links = new Map(uploads?.map(({ channel, uploadUrl }) => [channel, uploadUrl]));
  return failOnSourceProblem(key, context.getConnector(connectorName), async () => {
    const entries: Record<string, Entry> = {};
    const hashes: Record<string, string> = {};
    for (const { channel, fileType, path } of texturesOf(asset)) {
      const url = links.get(`${channel}.${fileType}`);
      if (url === undefined) {
        const message = `the platform returned no address for ${channel}.${fileType}`;
        return failNotCreated(key, libraryFailures.LIBRARY_ITEM_NOT_CREATED, message);
      }
      const keep = (entry: Entry) => {
        entries[channel] = entry;
      };
      hashes[channel] = await sendSourceFile(path, { url, connectorName }, keep, context);
    }
    assertSameSetVersion(source, entries);
    context.store.sourceHashes.set(key, source.version, setSha256(hashes));
    return null;
  });
}

async function confirm(
  key: string,
  createdIds: PlatformIds | undefined,
  { materialId, name, collectionId, uploadedTypes }: MaterialResponse,
  context: NodeContext,
): Promise<AssetResult> {
  const body = {
    uploadedTypes,
    ...(name === undefined ? {} : { name }),
    ...(collectionId ? { collectionId } : {}),
  };
  return failOnRefusal({ key, platformIds: createdIds ?? {}, context }, async () => {
    await context.client.confirmMaterial({ params: { materialId }, body }, callOptions(context));
    return { key, outcome: 'done', platformIds: { ...createdIds, materialId } };
  });
}
