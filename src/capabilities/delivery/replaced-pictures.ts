// Compares each picture with the one that the run before delivered in its place, and keeps a small copy of what is about
// to go. A comparison asks the platform for nothing; where it cannot be made the picture is delivered all the same.
import type { Connector } from '../../connectors/connector.ts';
import { withLocalCopy } from '../../connectors/local-copy.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import { compareFiles } from '../../pictures/compare.ts';
import { PictureError } from '../../pictures/picture-error.ts';
import type { DeliveredFile } from '../../plan/types.ts';
import { isAbsence } from '../../store/objects/json-objects.ts';
import type { AssetRecord } from '../../store/records/records.ts';

/** Larger pictures are not fetched from where they were. */
const bytesAtMost = 512 * 1024 ** 2;
/** With less than this share nothing is to be seen. */
const leastShown = 0.0005;

export interface Before {
  /** The asset's last record; null for an asset that is new. */
  record: AssetRecord | null;
  /** The record that it takes over from another key; null where its source was not moved. */
  moved: AssetRecord | null;
}

/** What was delivered of an asset, and of its source under another key. */
export async function recordsBefore(
  { store, shard }: Pick<NodeContext, 'store' | 'shard'>,
  key: string,
): Promise<Before> {
  const asset = (await store.manifest.page(shard)).find((one) => one.key === key);
  const read = async (name: string | undefined) =>
    name === undefined ? null : store.records.read(name);
  return { record: await read(asset?.previous?.[0]), moved: await read(asset?.moved?.record) };
}

/** The file that one of this name takes the place of; an asset's only file also under another name. */
export function placeTaken(
  before: readonly DeliveredFile[],
  path: string,
  files: number,
): DeliveredFile | null {
  const same = before.find((file) => file.path === path);
  const [only] = before;
  const known = same ?? (before.length === 1 && files === 1 ? only : undefined);
  return known && known.width > 0 ? known : null;
}

/**
 * @param isAsked whether the share decides about the delivery: then only a picture that is gone or cannot be read has none
 * @returns the share that has changed; null where it cannot be told
 */
export async function compareWithBefore(
  file: string,
  { key, path, sha256 }: Pick<DeliveredFile, 'key' | 'path' | 'sha256'>,
  old: DeliveredFile,
  connector: Connector,
  { store, signal }: Pick<NodeContext, 'store' | 'signal'>,
  isAsked: boolean,
): Promise<number | null> {
  if (old.sha256 === sha256) return 0;
  try {
    // An attempt before this one has compared it, and perhaps replaced it already.
    const known = await store.changes.read({ key, path });
    if (known?.sha256 === sha256) return known.share;
    const there = await connector.stat(old.path);
    if (there?.bytes !== old.bytes) return null;
    const options = { maxBytes: bytesAtMost, signal };
    const change = await withLocalCopy(connector, old.path, options, (was) =>
      compareFiles(was, file),
    );
    if (change === null) return null;
    const { share, before } = change;
    if (share >= leastShown) {
      const kept = { sha256, share, before: before.toString('base64') };
      await store.changes.keep({ key, path }, kept);
    }
    return share;
  } catch (error) {
    signal.throwIfAborted();
    if (isAsked && !(error instanceof PictureError) && !isAbsence(error)) throw error;
    return null;
  }
}
