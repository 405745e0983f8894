// Compares each picture with the one that it replaces, and keeps a small copy of the old picture if they visibly
// differ. Sends no requests to the platform. A picture that cannot be compared is delivered, but with `accept` a
// storage error is thrown.
import type { Connector } from '../../connectors/connector.ts';
import { withLocalCopy } from '../../connectors/disk/local-copy.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { compareFiles } from '../../pictures/compare-pictures.ts';
import { PictureError } from '../../pictures/picture-error.ts';
import type { DeliveredFile } from '../../plan/types.ts';
import { isMissingError } from '../../store/objects/json-objects.ts';
import { createConnectorFinder, type KnownRecipes } from '../../store/records/recipes.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import { pictureHashOf } from './metadata/write-metadata.ts';

/** Maximum size of a picture that is compared. */
const maxBytes = 512 * 1024 ** 2;
/** Minimum share of changed pixels that is visible. For a smaller share, no copy of the old picture is kept. */
const minShown = 0.0005;

export interface PreviousRecords {
  /** The asset's last record. Null for a new asset. */
  record: AssetRecord | null;
  /** The record under the previous key. Null if the source was not moved. */
  moved: AssetRecord | null;
  /** True if nothing is delivered under that previous key any longer. */
  isKeyUnused: boolean;
}

/**
 * Reads the last record of an asset, and that of its source under a previous key.
 * @param keys the key of the asset, or the keys of a model's cells, of which one is read, preferably a moved one
 */
export async function readPreviousRecords(
  { store, shard }: Pick<NodeContext, 'store' | 'shard'>,
  ...keys: readonly string[]
): Promise<PreviousRecords> {
  const assets = (await store.runAssets.page(shard)).filter(({ key }) => keys.includes(key));
  const asset = assets.find(({ moved }) => moved !== undefined) ?? assets[0];
  const read = async (name: string | undefined) =>
    name === undefined ? null : store.records.read(name);
  return {
    record: await read(asset?.previous?.[0]),
    moved: await read(asset?.moved?.record),
    isKeyUnused: asset?.moved?.isKeyUnused === true,
  };
}

/**
 * Returns the earlier originals that an export may replace: its own, or else those on its connector, or else all of
 * them, because the connector may have had another name.
 * @param isOwn returns true for the deliveries of the export
 */
export function filterReplaceable(
  files: readonly DeliveredFile[],
  isOwn: (delivery: string) => boolean,
  connector: string,
  knownRecipes: KnownRecipes,
): readonly DeliveredFile[] {
  const originals = files.filter(({ image }) => image === undefined);
  const connectorOf = createConnectorFinder(knownRecipes);
  const isOnConnector = (delivery: string) => connectorOf(delivery) === connector;
  const candidates = [isOwn, isOnConnector].map((isPreferred) =>
    originals.filter(({ delivery }) => isPreferred(delivery)),
  );
  return candidates.find(({ length }) => length > 0) ?? originals;
}

/** Finds the picture that a file at `path` replaces, if any. A single file is replaced even if its name differs. */
export function findReplacedFile(
  earlierFiles: readonly DeliveredFile[],
  path: string,
  files: number,
): DeliveredFile | null {
  const isOnly = earlierFiles.length === 1 && files === 1;
  const samePathFile = earlierFiles.find((file) => file.path === path);
  const replacedFile = samePathFile ?? (isOnly ? earlierFiles[0] : undefined);
  return replacedFile && replacedFile.width > 0 ? replacedFile : null;
}

/**
 * @param mustCompare true if the share decides about the delivery. A storage error is then thrown, unless the old
 * picture is missing
 * @returns the share that has changed, or null if unknown
 */
export async function compareWithPrevious(
  file: string,
  { key, path, sha256 }: Pick<DeliveredFile, 'key' | 'path' | 'sha256'>,
  oldFile: DeliveredFile,
  connector: Connector,
  { store, signal }: Pick<NodeContext, 'store' | 'signal'>,
  mustCompare: boolean,
): Promise<number | null> {
  if (pictureHashOf(oldFile) === sha256) return 0;
  try {
    // An earlier attempt compared the picture, and may have replaced the old one already.
    const storedChange = await store.pictureChanges.read({ key, path });
    if (storedChange?.sha256 === sha256 && storedChange.replaced === oldFile.sha256)
      return storedChange.share;
    const entry = await connector.stat(oldFile.path);
    if (entry?.bytes !== oldFile.bytes) return null;
    const compare = (oldCopy: string) => compareFiles(oldCopy, file);
    const options = { maxBytes, signal };
    const change = await withLocalCopy(connector, oldFile.path, options, compare);
    if (change === null) return null;
    const { share } = change;
    if (share >= minShown) {
      const before = change.before.toString('base64');
      const pictureChange = { sha256, replaced: oldFile.sha256, share, before };
      await store.pictureChanges.write({ key, path }, pictureChange);
    }
    return share;
  } catch (error) {
    signal.throwIfAborted();
    if (mustCompare && !(error instanceof PictureError) && !isMissingError(error)) throw error;
    return null;
  }
}
