// Props and decals: what their records hold, and when they are ready.
import type { NodeContext } from '../../machinery/node-context.ts';
import { earlierCalls } from '../../machinery/submit/earlier-calls.ts';
import { creations, recordsWay } from '../../machinery/uploads/fill-records.ts';
import { unlessRefused } from '../../machinery/uploads/upload-file.ts';
import { fileTypeOf } from '../../machinery/uploads/upload-names.ts';
import type { AssetResult, Refs } from '../../plan/types.ts';
import { putIntoRecords } from '../models/into-records.ts';
import { libraryFailures } from './failures.ts';
import type { Going } from './library-collection.ts';
import { itemStandings } from './library-standings.ts';

type ItemKind = 'prop' | 'decal';

/** Code of an item that the platform did not make. */
export const itemMissing = libraryFailures.LIBRARY_ITEM_NOT_CREATED;

/** Items on their way, and those that our look has refused by now. */
export interface Items {
  assets: readonly Going[];
  refused: readonly Going[];
  connector: string;
}

export async function importItems(
  kind: ItemKind,
  { assets, refused, connector }: Items,
  context: NodeContext,
): Promise<AssetResult[]> {
  if (assets.length + refused.length === 0) return [];
  const earlier = await earlierCalls([...assets, ...refused], [creations[kind]], context);
  const way = recordsWay<Going>(
    {
      kind,
      connector,
      missing: itemMissing,
      itemsOf: (part) => {
        const names = namesOf(part);
        return part.map((asset) => itemOf(asset, names));
      },
      standingsOf: (ids) => itemStandings(kind, ids, context),
      confirm: ({ key }, item) => confirm(kind, key, item, context),
    },
    context,
  );
  return putIntoRecords({ assets, refused, earlier }, way, context);
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
  return unlessRefused({ key, made: item, nowMs: context.now() }, async () => {
    const { status } =
      kind === 'prop'
        ? await client.confirmProp({ params: { propId } }, options)
        : await client.confirmDecal({ params: { decalId } }, options);
    const ready = status === 'READY' ? { itemReady: true } : {};
    return { key, outcome: 'done', refs: { ...item, ...ready } };
  });
}
