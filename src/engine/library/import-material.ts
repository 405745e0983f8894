// One material: its record with an address for each texture, the textures, the confirm.
import { LinkExpiredError } from '../../api/transfer-errors.ts';
import type { Entry } from '../../connectors/connector.ts';
import type { NodeContext } from '../../nodes/node-context.ts';
import type { AssetResult, Refs } from '../../plan/types.ts';
import { setPaths, setSha256 } from '../../store/source-set.ts';
import type { AnswerTo } from '../submit/answers.ts';
import { resend, submitOnce } from '../submit/submit-once.ts';
import { abandonMade, removeMade, renewalsAtMost } from '../uploads/abandoned.ts';
import { notMade } from '../uploads/fill-records.ts';
import { mustBeSet } from '../uploads/source-file.ts';
import { sendFile, unlessItsOwn, unlessRefused } from '../uploads/upload-file.ts';
import { fileTypeOf } from '../uploads/upload-names.ts';
import { itemMissing } from './import-items.ts';
import { alreadyUp } from './library-arrivals.ts';
import type { Going } from './library-collection.ts';

/** `channel` of an upload is as `diffuse.png`. */
type MaterialAnswer = AnswerTo<'createMaterial'>;

interface Texture {
  channel: string;
  fileType: string;
  path: string;
}

export async function importMaterial(
  asset: Going,
  connector: string,
  context: NodeContext,
  epoch = 0,
): Promise<AssetResult[]> {
  const textures = texturesOf(asset);
  const { intent, refs, answer } = await submitOnce(
    {
      operation: 'createMaterial',
      body: {
        name: asset.source.set?.name ?? asset.key,
        textures: textures.map(({ channel, fileType }) => ({ channel, fileType })),
        ...(asset.collection === undefined ? {} : { collection: asset.collection }),
      },
      assets: [asset],
      epoch,
      purpose: 'material',
    },
    context,
  );
  const up = answer === null ? await alreadyUp('material', [asset], refs, context) : [];
  if (up.length > 0) return up;
  const made = refs[asset.key];
  if (intent.state !== 'abandoned') {
    const live = answer ?? (await resend('createMaterial', intent, context)).answer;
    try {
      const failure = await upload(asset, textures, live, connector, context);
      const result = failure ?? (await confirm(asset.key, made, live, context));
      if (result.outcome === 'failed') await removeMade('material', made, context);
      return [result];
    } catch (error) {
      if (!(error instanceof LinkExpiredError) || epoch >= renewalsAtMost) throw error;
    }
  }
  await abandonMade('material', intent, [made], context);
  return importMaterial(asset, connector, context, epoch + 1);
}

function texturesOf({ source }: Going): Texture[] {
  const paths = source.set === undefined ? [] : setPaths(source, source.set);
  return paths.map(([channel, path]) => ({ channel, path, fileType: fileTypeOf(path) ?? '' }));
}

/** Null when all textures are up. What was sent is judged as a whole: a set of two versions is none. */
async function upload(
  { key, source }: Going,
  textures: readonly Texture[],
  { uploads }: MaterialAnswer,
  connectorName: string,
  context: NodeContext,
): Promise<AssetResult | null> {
  const links = new Map(uploads?.map(({ channel, uploadUrl }) => [channel, uploadUrl]));
  return unlessItsOwn(key, async () => {
    const entries: Record<string, Entry> = {};
    const hashes: Record<string, string> = {};
    for (const { channel, fileType, path } of textures) {
      const url = links.get(`${channel}.${fileType}`);
      if (url === undefined) {
        const why = [`the platform gave no address for ${channel}.${fileType}`];
        return notMade(key, itemMissing, why);
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
  return unlessRefused(key, async () => {
    await context.client.confirmMaterial(
      { params: { materialId }, body },
      { priority: 'create', scope: context.requests, signal: context.signal },
    );
    return { key, outcome: 'done', refs: { ...made, materialId } };
  });
}
