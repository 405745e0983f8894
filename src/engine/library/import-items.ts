// Props and decals: what their records hold, and when they are ready.
import type { NodeContext } from '../../nodes/node-context.ts';
import type { AssetResult, Refs } from '../../plan/types.ts';
import { fillRecords } from '../uploads/fill-records.ts';
import { unlessRefused } from '../uploads/upload-file.ts';
import { fileTypeOf } from '../uploads/upload-names.ts';
import { alreadyUp } from './library-arrivals.ts';
import type { Going } from './library-collection.ts';

type ItemKind = 'prop' | 'decal';

/** Code of an item that the platform did not make. */
export const itemMissing = 'LIBRARY_ITEM_NOT_CREATED';

export async function importItems(
  { kind, assets, connector }: { kind: ItemKind; assets: readonly Going[]; connector: string },
  context: NodeContext,
): Promise<AssetResult[]> {
  return fillRecords(
    assets,
    {
      kind,
      connector,
      missing: itemMissing,
      itemsOf: (part) => {
        const names = namesOf(part);
        return part.map((asset) => itemOf(asset, names));
      },
      alreadyUp: (part, refs) => alreadyUp(kind, part, refs, context),
      confirm: ({ key }, item) => confirm(kind, key, item, context),
    },
    context,
  );
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
