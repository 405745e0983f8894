// Props and decals: records fifty a request, each file put to its signed address and confirmed alone.
import { LinkExpiredError } from '../api/transfer-errors.ts';
import type { NodeContext } from '../nodes/node-context.ts';
import type { AssetResult, Refs } from '../plan/types.ts';
import type { Going } from './library-collection.ts';
import { itemIdFields } from './library-kinds.ts';
import { abandonItems, alreadyUp, removeItem } from './library-orphans.ts';
import { splitCall, withoutResult } from './split-call.ts';
import { resend, type Submitted, submitOnce } from './submit-once.ts';
import { unlessRefused, uploadFile } from './upload-file.ts';
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

interface Batch {
  kind: ItemKind;
  assets: readonly Going[];
  connector: string;
  /** Times that its records were made anew. */
  epoch: number;
}

export async function importItems(
  { assets, ...batch }: Omit<Batch, 'epoch'>,
  context: NodeContext,
): Promise<AssetResult[]> {
  return splitCall(assets, (part) => createAndFill({ ...batch, assets: part, epoch: 0 }, context));
}

async function createAndFill(batch: Batch, context: NodeContext): Promise<AssetResult[]> {
  const { kind, assets, epoch } = batch;
  const names = namesOf(assets);
  const submitted = await submitOnce(
    {
      operation: operationOf[kind],
      body: { [`${kind}s`]: assets.map((asset) => itemOf(asset, names)) },
      assets,
      epoch,
      purpose: `${kind}s`,
    },
    context,
  );
  const { intent, refs, answer } = submitted;
  const results = answer === null ? await alreadyUp(kind, assets, refs, context) : [];
  if (intent.state !== 'abandoned') {
    const part = { ...batch, assets: withoutResult(assets, results) };
    results.push(...(await fill(part, submitted, context)));
  }
  const left = withoutResult(assets, results);
  if (left.length === 0) return results;
  const orphans = left.map(({ key }) => refs[key]);
  await abandonItems(kind, intent, orphans, context);
  const again = { ...batch, assets: left, epoch: epoch + 1 };
  return [...results, ...(await createAndFill(again, context))];
}

/** Assets that are not in the results need new records: the addresses of theirs have died. */
async function fill(
  { kind, assets, connector, epoch }: Batch,
  { intent, refs, answer }: Submitted,
  context: NodeContext,
): Promise<AssetResult[]> {
  if (assets.length === 0) return [];
  const idField = itemIdFields[kind];
  const live = (answer ?? (await resend(intent, context)).answer) as ItemsAnswer;
  const links = new Map(live[`${kind}s`].map((item) => [item[idField], item]));
  const mayRenew = epoch < renewalsAtMost;
  // A key that the platform has forgotten (24 h) makes other items than the first time.
  const made = assets.flatMap(({ key }) => refs[key]?.[idField] ?? []);
  if (mayRenew && !made.every((id) => links.has(id))) return [];
  const results = await context.transfers.each(assets, async (asset) => {
    const item = refs[asset.key];
    const link = links.get(item?.[idField]);
    if (item === undefined || link === undefined) return notCreated(asset.key, live.errors);
    try {
      const result = await send(kind, asset, { item, link, connector }, context);
      if (result.outcome === 'failed') await removeItem(kind, item, context);
      return result;
    } catch (error) {
      if (!(error instanceof LinkExpiredError) || !mayRenew) throw error;
      return null;
    }
  });
  return results.filter((result) => result !== null);
}

async function send(
  kind: ItemKind,
  asset: Going,
  { item, link, connector }: { item: Refs; link: Link; connector: string },
  context: NodeContext,
): Promise<AssetResult> {
  const { uploadUrl, contentType } = link;
  const failure = await uploadFile(asset, uploadUrl, connector, context, contentType);
  return failure ?? confirm(kind, asset.key, item, context);
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

/** What the platform did not make, with its reason where it gave one. */
export function notCreated(key: string, errors: string[] | undefined): AssetResult {
  const message = errors?.join('; ') ?? 'the platform made no item of it and gave no reason';
  return { key, outcome: 'failed', code: 'LIBRARY_ITEM_NOT_CREATED', message };
}
