// Props and decals: records fifty a request, each file put to its signed address and confirmed alone.
import { ApiError } from '../api/errors.ts';
import { LinkExpiredError } from '../api/transfer-errors.ts';
import type { NodeContext } from '../nodes/node-context.ts';
import type { AssetResult, Refs } from '../plan/types.ts';
import type { Going } from './library-collection.ts';
import { itemIdFields } from './library-kinds.ts';
import { splitCall } from './split-call.ts';
import { resend, submitOnce } from './submit-once.ts';
import { uploadFile } from './upload-file.ts';
import { fileTypeOf } from './upload-names.ts';

type ItemKind = 'prop' | 'decal';

interface Link {
  uploadUrl: string;
  /** Of a decal: storage takes the file as exactly this. */
  contentType?: string;
}

type ItemsAnswer = Record<'props' | 'decals', (Link & { propId?: string; decalId?: string })[]> & {
  errors?: string[];
};

const operationOf = { prop: 'createProps', decal: 'createDecals' } as const;
const renewalsAtMost = 3;

export async function importItems(
  kind: ItemKind,
  assets: readonly Going[],
  connector: string,
  context: NodeContext,
): Promise<AssetResult[]> {
  return splitCall(assets, (part) => createAndFill(kind, part, connector, context, 0));
}

async function createAndFill(
  kind: ItemKind,
  assets: readonly Going[],
  connector: string,
  context: NodeContext,
  epoch: number,
): Promise<AssetResult[]> {
  const idField = itemIdFields[kind];
  const names = namesOf(assets);
  const { intent, refs, answer } = await submitOnce(
    {
      operation: operationOf[kind],
      body: { [`${kind}s`]: assets.map((asset) => itemOf(asset, names)) },
      assets,
      epoch,
      purpose: `${kind}s`,
    },
    context,
  );
  const again = () => createAndFill(kind, assets, connector, context, epoch + 1);
  if (intent.state === 'abandoned') return again();
  const live = (answer ?? (await resend(intent, context)).answer) as ItemsAnswer;
  const links = new Map(live[`${kind}s`].map((item) => [item[idField], item]));
  const renew = async () => {
    await context.store.intents(context.shard, context.step.id).abandon(intent.key);
    return again();
  };
  const mayRenew = epoch < renewalsAtMost;
  // A key that the platform has forgotten (24 h) makes other items than the first time.
  const made = Object.values(refs).flatMap((item) => item[idField] ?? []);
  if (mayRenew && !made.every((id) => links.has(id))) return renew();
  try {
    return await context.transfers.each(assets, async (asset): Promise<AssetResult> => {
      const { key } = asset;
      const item = refs[key];
      const link = links.get(item?.[idField]);
      if (item === undefined || link === undefined) return notCreated(key, live.errors);
      const { uploadUrl, contentType } = link;
      const failure = await uploadFile(asset, uploadUrl, connector, context, contentType);
      return failure ?? (await confirm(kind, key, item, context));
    });
  } catch (error) {
    if (!(error instanceof LinkExpiredError) || !mayRenew) throw error;
    return renew();
  }
}

function itemOf({ key, source, collection }: Going, names: ReadonlyMap<string, string>) {
  return {
    name: names.get(key) ?? key,
    fileName: source.path.slice(source.path.lastIndexOf('/') + 1),
    fileType: fileTypeOf(source.path) ?? '',
    fileSize: source.bytes,
    ...(collection === undefined ? {} : { collection }),
  };
}

/** The platform trims names, and tells by them who is missing: no two of a request may be equal then. */
function namesOf(assets: readonly Going[]): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { key } of assets) {
    const plain = key.trim();
    let name = plain;
    for (let number = 2; taken.has(name); number += 1) name = `${plain} ${number}`;
    taken.add(name);
    names.set(key, name);
  }
  return names;
}

async function confirm(
  kind: ItemKind,
  key: string,
  item: Refs,
  context: NodeContext,
): Promise<AssetResult> {
  const { client } = context;
  const { propId = '', decalId = '' } = item;
  const options = {
    priority: 'create' as const,
    scope: context.requests,
    signal: context.signal,
  };
  return unlessRefused(key, async () => {
    const { status } =
      kind === 'prop'
        ? await client.confirmProp({ params: { propId } }, options)
        : await client.confirmDecal({ params: { decalId } }, options);
    const ready = status === 'READY' ? { itemReady: true } : {};
    return { key, outcome: 'done', refs: { ...item, ...ready } };
  });
}

/** A file that is too large, not there or no picture is this asset's trouble, not the group's. */
export async function unlessRefused(
  key: string,
  work: () => Promise<AssetResult>,
): Promise<AssetResult> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || ![400, 404, 413].includes(error.status)) throw error;
    return { key, outcome: 'failed', code: error.code, message: error.detail };
  }
}

/** What the platform did not make, with its reason where it gave one. */
export function notCreated(key: string, errors: string[] | undefined): AssetResult {
  const message = errors?.join('; ') ?? 'the platform made no item of it and gave no reason';
  return { key, outcome: 'failed', code: 'LIBRARY_ITEM_NOT_CREATED', message };
}
