// Finds delivered files that can be reused without requests to the platform. Deleted or changed files cannot be reused.
import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { fingerprintOf, formatDelivery } from '../../plan/rows.ts';
import type { AssetSource, DeliveredFile, StepAsset } from '../../plan/types.ts';
import { computeSha256 } from '../../store/discovery/list-files.ts';
import { assetRecipeOf } from '../../store/records/asset-recipe.ts';
import {
  addRowToStages,
  type CurrentPipeline,
  connectorsOfRecipe,
  createCurrentConnectorFinder,
  type KnownRecipes,
} from '../../store/records/recipes.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import type { FetchTarget } from './outputs/fetch-with-retry.ts';
import { OutputError } from './outputs/output-error.ts';

export interface ExistingFile {
  file: DeliveredFile;
  /** Connector of the file. Null if the pipeline has neither it nor the export any more. */
  connector: Connector | null;
  /** True if no export delivers the file to this path any longer, because the path is an old one or in the archive. */
  isObsolete: boolean;
  /** True if this export delivered the file with its current options. No comparison is then needed. */
  isOfThisExport: boolean;
  /** True if no run has withdrawn or replaced the file, so that it should be where it was delivered. */
  isInPlace: boolean;
}

/**
 * Returns the delivered files that the asset may reuse, with those of this export first.
 * @param records the asset's last record, and the record under its previous key. Each is null if missing
 * @param isOwn returns true for the deliveries of this export, see `readDeliveriesOfExport`
 */
export async function findExistingFiles(
  { platformIds, source }: Pick<StepAsset, 'platformIds' | 'source'>,
  { record: ownRecord, moved }: { record: AssetRecord | null; moved: AssetRecord | null },
  isOwn: (delivery: string) => boolean,
  context: Pick<NodeContext, 'store' | 'run' | 'step' | 'getConnector'>,
): Promise<ExistingFile[]> {
  const { reusableStages, delivered = [] } = platformIds;
  if (!reusableStages && !moved && delivered.length === 0) return [];
  const record = moved ?? ownRecord;
  const locate = await createFileLocator(source, context, moved !== null);
  // The key has looked different since this record was written, and its files may have the same paths.
  const { recipe } = context.store.context;
  const isReplaced = moved === null && ownRecord?.recipe === assetRecipeOf(recipe, source);
  const isUsed = reusableStages !== undefined || moved !== null;
  const recordedFiles = (isUsed && record ? record.files : []).map(locate);
  const files = recordedFiles.map((file) => (isReplaced ? { ...file, isInPlace: false } : file));
  // An export restores its own files from the archive, and moves its own files to their new names.
  const rank = ({ isOfThisExport, file }: ExistingFile) =>
    Number(isOfThisExport) + Number(isOwn(file.delivery));
  return [...delivered.map(locate), ...files].sort((a, b) => rank(b) - rank(a));
}

/**
 * Returns a function that locates a delivered file.
 * @param isMoved true if the source has a new key, so that all paths are obsolete
 */
export async function createFileLocator(
  source: AssetSource,
  {
    store: { recipes, context: current },
    run,
    step,
    getConnector,
  }: Pick<NodeContext, 'store' | 'run' | 'step' | 'getConnector'>,
  isMoved: boolean,
): Promise<(file: DeliveredFile) => ExistingFile> {
  const knownRecipes = await recipes.readKnown();
  const stages = knownRecipes.get(current.recipe);
  const marks = connectorsOfRecipe(stages && addRowToStages(stages, source));
  const ownDelivery = deliveryOfStep(step, { source });
  const { connectors } = run;
  const connectorOf = createCurrentConnectorFinder(knownRecipes, { connectors, stages });
  return (file) => {
    const { delivery, withdrawn } = file;
    const name = connectorOf(delivery);
    const connector = name === undefined ? null : getConnector(name);
    return {
      file,
      connector,
      isObsolete: isMoved || !marks.has(delivery) || withdrawn === 'archived',
      isOfThisExport: delivery === ownDelivery,
      isInPlace: withdrawn === undefined,
    };
  };
}

/**
 * True if an output must come from the platform again: a picture is at none of its locations, or an image is missing
 * without a picture. Compares sizes. A file counts as missing if neither its connector nor its export exists any more.
 */
export async function isAnyFileMissing(
  record: AssetRecord,
  knownRecipes: KnownRecipes,
  { getConnector, ...pipeline }: CurrentPipeline & Pick<NodeContext, 'getConnector'>,
): Promise<boolean> {
  const connectorOf = createCurrentConnectorFinder(knownRecipes, pipeline);
  // One of several locations is enough. A missing image can be derived from its picture, but not the reverse.
  const pictures = new Map<string, boolean>();
  const images = new Map<string, { output: string; exists: boolean }>();
  for (const { path, bytes, image, delivery, output } of record.files) {
    const name = connectorOf(delivery);
    const entry = name === undefined ? null : await getConnector(name).stat(path);
    const exists = entry?.bytes === bytes;
    if (image === undefined) pictures.set(output, exists || pictures.get(output) === true);
    else {
      const existsAlready = images.get(`${output} ${image}`)?.exists === true;
      images.set(`${output} ${image}`, { output, exists: exists || existsAlready });
    }
  }
  const isImageMissing = [...images.values()].some(
    ({ output, exists }) => !exists && !pictures.get(output),
  );
  return isImageMissing || [...pictures.values()].includes(false);
}

/** Returns the fingerprint of the delivery of one asset by an export's step, or undefined for any other step. */
export function deliveryOfStep(
  { delivery, node }: NodeContext['step'],
  { source }: Pick<StepAsset, 'source'>,
): string | undefined {
  return delivery && formatDelivery(delivery, node, source);
}

/**
 * Returns a function that accepts the deliveries of the export: its current one, and those of earlier versions of
 * the pipeline file. An asset whose delivery failed after a change still has its files of an earlier version.
 */
export async function readDeliveriesOfExport(
  { node, delivery, connector }: { node: string; delivery: string; connector: string },
  { recipes, context }: Pick<RunStore, 'recipes' | 'context'>,
): Promise<(delivery: string) => boolean> {
  const knownRecipes = await recipes.readKnown();
  const currentDeliveries = Object.values(knownRecipes.get(context.recipe)?.deliveries ?? {});
  const others = new Set(currentDeliveries.map(({ fingerprint }) => fingerprint));
  const earlierFingerprints = [...knownRecipes.values()]
    .flatMap(({ deliveries }) => deliveries[node] ?? [])
    .filter((earlier) => earlier.connector === connector && !others.has(earlier.fingerprint))
    .map(({ fingerprint }) => fingerprint);
  const ownFingerprints = new Set([delivery, ...earlierFingerprints]);
  return (other) => ownFingerprints.has(fingerprintOf(other));
}

/** Drops the fields that describe only one delivery of the file, such as its previous path. */
export function removeDeliveryFields({
  change: _change,
  previousPath: _was,
  previousContent: _old,
  obsoletePaths: _obsolete,
  withdrawn: _withdrawn,
  ...file
}: DeliveredFile): DeliveredFile {
  return file;
}

export interface ReuseTarget extends Pick<FetchTarget, 'key' | 'path' | 'inspect'> {
  connector: Connector;
}

/** Brings an existing file to the wanted path. Returns null if no existing file can be reused. */
export async function takeExisting(
  target: ReuseTarget,
  existingFiles: readonly ExistingFile[],
  context: Pick<NodeContext, 'signal' | 'heartbeat' | 'assertLease'>,
): Promise<{ came: DeliveredFile; from: ExistingFile } | null> {
  for (const existingFile of existingFiles) {
    try {
      const file = removeDeliveryFields(existingFile.file);
      const { key, path } = target;
      const isIntact = await isFileIntact(target.connector, path, file, context);
      if (isIntact || (await copyFile(existingFile, target, context))) {
        return { came: { ...file, key, path }, from: existingFile };
      }
    } catch (error) {
      context.signal.throwIfAborted();
      // The file is downloaded instead. A broken destination then reports its error.
      if (!(error instanceof ConnectorError || error instanceof OutputError)) throw error;
    }
  }
  return null;
}

/** Returns the delivered file. `previousPath` is set if the file at the old path must be deleted. */
export function toDeliveredFile(
  { came, from }: { came: DeliveredFile; from: ExistingFile },
  { connector, path }: Pick<ReuseTarget, 'connector' | 'path'>,
  supersede: 'remove' | 'keep' | undefined,
): DeliveredFile {
  const isRenamed = from.isObsolete && from.connector === connector && from.file.path !== path;
  if (!isRenamed || supersede === 'keep') return came;
  const { path: previousPath, bytes, sha256 } = from.file;
  // If the metadata changed, the file at the old path and the new file differ in their bytes.
  const previousContent = sha256 === came.sha256 ? undefined : { bytes, sha256 };
  return { ...came, previousPath, ...omitUndefined({ previousContent }) };
}

/** True if the file exists with this size and hash. */
export async function isFileIntact(
  connector: Connector,
  path: string,
  { bytes, sha256 }: Pick<DeliveredFile, 'bytes' | 'sha256'>,
  { signal }: Pick<NodeContext, 'signal'>,
): Promise<boolean> {
  const entry = await connector.stat(path);
  return entry?.bytes === bytes && (await computeSha256(connector, path, signal)) === sha256;
}

/** Copies a file to another path or connector. Returns false if the file is missing or changed. */
export async function copyFile(
  { file, connector: sourceConnector }: Pick<ExistingFile, 'file' | 'connector'>,
  { path, connector, inspect }: Pick<FetchTarget, 'path' | 'inspect'> & { connector: Connector },
  { signal, heartbeat, assertLease }: Pick<NodeContext, 'signal' | 'heartbeat' | 'assertLease'>,
): Promise<boolean> {
  const entry = await sourceConnector?.stat(file.path);
  if (!sourceConnector || entry?.bytes !== file.bytes) return false;
  const staged = await connector.stage(path);
  try {
    const sha256 = await computeSha256(sourceConnector, file.path, signal, (chunk) => {
      heartbeat();
      return staged.write(chunk);
    });
    if (sha256 !== file.sha256) return false;
    await inspect(staged.file, sha256);
    await assertLease();
    await staged.commit({ signal, onProgress: heartbeat });
    return true;
  } finally {
    await staged.discard().catch(() => undefined);
  }
}
