// Uploads materials, one create request each: the record with an upload URL per texture, the textures, the confirmation.
import { textureChannels, textureFileTypes } from '../../api/operations/materials.ts';
import type { Entry } from '../../connectors/connector.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import type { AnswerTo } from '../../machinery/submit/creation.ts';
import { earlierCalls } from '../../machinery/submit/earlier-calls.ts';
import { splitCall } from '../../machinery/submit/split-call.ts';
import { submitOnce } from '../../machinery/submit/submit-once.ts';
import { liveAnswer } from '../../machinery/uploads/call-links.ts';
import {
  putEach,
  removeUnused,
  type Standing,
  sortGroup,
} from '../../machinery/uploads/fill-group.ts';
import { notMade } from '../../machinery/uploads/fill-records.ts';
import {
  type Again,
  type Filled,
  type Group,
  putIntoRecords,
} from '../../machinery/uploads/into-records.ts';
import { mustBeSet } from '../../machinery/uploads/source-file.ts';
import { sendFile, unlessItsOwn, unlessRefused } from '../../machinery/uploads/upload-file.ts';
import { fileTypeOf } from '../../machinery/uploads/upload-names.ts';
import type { Refs } from '../../plan/refs.ts';
import type { AssetResult } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/bounded.ts';
import { setPaths, setSha256 } from '../../store/records/source-set.ts';
import { createMaterial } from './creations.ts';
import { type Items, itemMissing } from './import-items.ts';
import type { Going } from './library-collection.ts';
import { itemStandings } from './library-standings.ts';

/** The `channel` of an upload looks like `diffuse.png`. */
type MaterialAnswer = AnswerTo<'createMaterial'>;

interface Texture {
  channel: (typeof textureChannels)[number];
  fileType: (typeof textureFileTypes)[number];
  path: string;
}

export async function importMaterials(
  { assets, refused, connector }: Items,
  context: NodeContext,
): Promise<AssetResult[]> {
  if (assets.length + refused.length === 0) return [];
  const earlier = await earlierCalls([...assets, ...refused], [createMaterial], context);
  return putIntoRecords(
    { assets, refused, earlier },
    {
      creation: createMaterial,
      create: (some, again) => create(some, again, context),
      fill: (group, unwanted) => fill(group, unwanted, connector, context),
    },
    context,
  );
}

async function create(
  assets: readonly Going[],
  again: Again,
  context: NodeContext,
): Promise<{ groups: Group<Going, 'createMaterial'>[]; results: AssetResult[] }> {
  const groups: Group<Going, 'createMaterial'>[] = [];
  const work = (asset: Going) =>
    splitCall(
      [asset],
      async () => {
        const { collection } = asset;
        const body = {
          name: asset.source.set?.name ?? asset.key,
          textures: texturesOf(asset).map(({ channel, fileType }) => ({ channel, fileType })),
          ...(collection === undefined ? {} : { collection }),
        };
        const submission = { body, assets: [asset], purpose: 'material', ...again };
        const call = await submitOnce({ creation: createMaterial, ...submission }, context);
        groups.push({ call, assets: [asset] });
        return [];
      },
      context,
    );
  const results = await mapBounded(assets, work, { signal: context.signal });
  return { groups, results: results.flat() };
}

/** Each group has exactly one asset, because each material has its own request. */
async function fill(
  { call, assets }: Group<Going, 'createMaterial'>,
  refused: ReadonlySet<string>,
  connector: string,
  context: NodeContext,
): Promise<Filled<Going>> {
  const [asset] = assets;
  const id = call.refs[asset?.key ?? '']?.materialId;
  const standings = new Map<string, Standing>();
  if (call.answer === null && asset !== undefined && id !== undefined) {
    const seen = await itemStandings('material', [id], context);
    standings.set(asset.key, seen.get(id) ?? { is: 'gone' });
  }
  const sorted = await sortGroup({ call, assets }, 'material', standings, refused, context);
  if (sorted.open.length === 0) return sorted;
  const live = await liveAnswer(createMaterial, call, context);
  const put = await putEach(
    sorted.open,
    async (one) => {
      const made = call.refs[one.key];
      if (made?.idOfAnother !== undefined) return { key: one.key, outcome: 'done', refs: made };
      if (live === null) return 'unfilled';
      const failure = await upload(one, live, connector, context);
      return failure ?? confirm(one.key, call.refs[one.key], live, context);
    },
    context,
  );
  await removeUnused('material', call.refs, put, context);
  return put;
}

function texturesOf({ source }: Going): Texture[] {
  const paths = source.set === undefined ? [] : setPaths(source, source.set);
  return paths.flatMap(([name, path]) => {
    const channel = textureChannels.find((one) => one === name);
    const type = fileTypeOf(path);
    const fileType = textureFileTypes.find((one) => one === type);
    // A set contains only files of known channels and types.
    return channel === undefined || fileType === undefined ? [] : [{ channel, path, fileType }];
  });
}

/** Returns null when all textures are uploaded. Fails if the set changed during the upload. */
async function upload(
  asset: Going,
  { uploads }: MaterialAnswer,
  connectorName: string,
  context: NodeContext,
): Promise<AssetResult | null> {
  const { key, source } = asset;
  const links = new Map(uploads?.map(({ channel, uploadUrl }) => [channel, uploadUrl]));
  return unlessItsOwn(key, async () => {
    const entries: Record<string, Entry> = {};
    const hashes: Record<string, string> = {};
    for (const { channel, fileType, path } of texturesOf(asset)) {
      const url = links.get(`${channel}.${fileType}`);
      if (url === undefined) {
        return notMade(key, itemMissing, `the platform gave no address for ${channel}.${fileType}`);
      }
      const keep = (entry: Entry) => {
        entries[channel] = entry;
      };
      hashes[channel] = await sendFile(path, { url, connectorName }, keep, context);
    }
    mustBeSet(source, entries);
    context.store.sourceHashes.note(key, source.version, setSha256(hashes));
    return null;
  });
}

async function confirm(
  key: string,
  made: Refs | undefined,
  { materialId, name, collectionId, uploadedTypes }: MaterialAnswer,
  context: NodeContext,
): Promise<AssetResult> {
  const body = {
    uploadedTypes,
    ...(name === undefined ? {} : { name }),
    ...(collectionId ? { collectionId } : {}),
  };
  return unlessRefused({ key, made: made ?? {}, context }, async () => {
    await context.client.confirmMaterial(
      { params: { materialId }, body },
      { priority: 'create', scope: context.requests, signal: context.signal },
    );
    return { key, outcome: 'done', refs: { ...made, materialId } };
  });
}
