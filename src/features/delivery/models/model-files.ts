// The GLB and USDZ files of a model, and the upload itself. Each link costs a request, so delivered files are reused.
import { NotFoundError } from '../../../api/errors/errors.ts';
import type { NodeContext } from '../../../engine/node-context.ts';
import { callOptions } from '../../../engine/submit/call-outcome.ts';
import { fileTypeOf } from '../../../glb/inspect-model.ts';
import { omitUndefined } from '../../../plan/helpers/omit-undefined.ts';
import type { Asset, AssetResult, DeliveredFile, StepAsset } from '../../../plan/types.ts';
import { mapBounded } from '../../../store/objects/map-bounded.ts';
import { createCellKey, modelKeyOf } from '../../../store/records/cell-keys.ts';
import type { AssetRecord } from '../../../store/records/records.ts';
import type { TransferredFiles } from '../../../store/runs/transferred-files.ts';
import { createFileLocator, deliveryOfStep, type ExistingFile } from '../existing-files.ts';
import { deliveryFailures } from '../failures.ts';
import { nameOutputs } from '../file-names.ts';
import { DeliveryError } from '../outputs/output-error.ts';
import type { PlannedFile } from '../planned-file.ts';
import { createModelOutputId } from '../platform-ids.ts';
import type { PreviousRecords } from '../replaced-pictures.ts';
import type { ModelFormat, ModelOutput } from './model-output.ts';

/** Returns the cells of a grid that this asset represents, or the asset itself. */
function cellsOf(asset: StepAsset): readonly Asset[] {
  return asset.cells ?? [asset];
}

/** Plans the files of an asset's model with their names. Sends no requests. */
export async function planModelFiles(
  asset: StepAsset,
  { record, moved }: Pick<PreviousRecords, 'record' | 'moved'>,
  { formats, naming }: { formats: readonly ModelFormat[]; naming: string },
  context: NodeContext,
): Promise<PlannedFile[]> {
  const { key } = asset;
  const outputs = await listModelOutputs(asset, moved ?? record, formats, context);
  const namedOutputs = nameOutputs(asset, outputs, { naming, run: context.run.run });
  const existingFiles = await findExistingModelFiles(asset, moved !== null, context);
  return namedOutputs.map(({ output, path }) => ({
    output,
    path,
    key,
    deliversOriginal: true,
    images: [],
    metadata: null,
    delivery: deliveryOfStep(context.step, asset),
    previousKey: moved ? modelKeyOf(moved) : undefined,
    replaces: null,
    existingFiles: existingFiles.filter(({ file }) => file.output === output.id),
    readUrl: () => getDownloadLink(asset, output, context),
  }));
}

async function listModelOutputs(
  asset: StepAsset,
  record: AssetRecord | null,
  formats: readonly ModelFormat[],
  { store, shard }: Pick<NodeContext, 'store' | 'shard'>,
): Promise<ModelOutput[]> {
  const { source, platformIds } = asset;
  const modelId = platformIds.modelId ?? '';
  const keys = new Set(cellsOf(asset).map((cell) => cell.key));
  const page = await store.runAssets.page(shard);
  const hashedAsset = page.find(({ key, sourceSha256 }) => keys.has(key) && sourceSha256);
  const sha256 =
    store.sourceHashes.get(modelKeyOf(asset), source.version) ??
    hashedAsset?.sourceSha256 ??
    (record?.source.version === source.version ? record.sourceSha256 : undefined);
  const [{ platformIds: firstIds } = asset] = cellsOf(asset);
  return formats.map((format) => {
    const isSource = format === 'source';
    const type = isSource ? (firstIds.fileType ?? fileTypeOf(source.path)) : format;
    return {
      id: createModelOutputId(modelId, format),
      name: format,
      fileType: type.toUpperCase(),
      isVideo: false,
      isPreview: false,
      format,
      ...(isSource ? omitUndefined({ sha256 }) : {}),
    };
  });
}

/** Requests the link of a model file, which expires after an hour. @throws DeliveryError if the format is missing */
async function getDownloadLink(
  { platformIds: { modelId = '' } }: StepAsset,
  { format }: ModelOutput,
  context: NodeContext,
): Promise<string> {
  const request = { params: { modelId }, query: { format } };
  try {
    return (await context.client.downloadModel(request, callOptions(context))).location;
  } catch (error) {
    if (!(error instanceof NotFoundError) || error.code !== 'NO_FILE') throw error;
    const message = `the platform has no ${format} of model ${modelId}: ${error.detail}`;
    throw new DeliveryError(deliveryFailures.NO_MODEL_FILE, message);
  }
}

/** Finds files of the model that earlier runs delivered, or that this run delivered for other cells. */
async function findExistingModelFiles(
  asset: StepAsset,
  isMoved: boolean,
  context: NodeContext,
): Promise<ExistingFile[]> {
  const recordedFiles = await readRecordedModelFiles(asset, context);
  if (recordedFiles.length === 0) return [];
  const locate = await createFileLocator(asset.source, context, isMoved);
  const page = await context.store.runAssets.page(context.shard);
  const keys = new Set(cellsOf(asset).map(({ key }) => key));
  const isForced = page.some(
    ({ key, reason }) => keys.has(key) && (reason === 'redeliver' || reason === 'force'),
  );
  return mapBounded(recordedFiles, async (recordedFile) => {
    const { isOfThisExport, ...located } = locate(recordedFile);
    const file = { ...located.file, key: asset.key };
    const hasSameSize = async () =>
      (await located.connector?.stat(file.path))?.bytes === file.bytes;
    const isOwn = isOfThisExport && !isForced && (await hasSameSize());
    return { ...located, file, isOfThisExport: isOwn };
  });
}

/** Reads the recorded files of the model, latest first. */
async function readRecordedModelFiles(
  asset: StepAsset,
  context: NodeContext,
): Promise<DeliveredFile[]> {
  const files = cellsOf(asset).flatMap(({ platformIds }) => platformIds.modelFiles ?? []);
  if (asset.cells) files.push(...(await openTransferredModelFiles(asset, context)).all());
  return files.reverse();
}

/** Opens the list of model files that calls of this run delivered, since a model's cells may be split over several. */
function openTransferredModelFiles(
  { key }: StepAsset,
  { store, shard, step }: NodeContext,
): Promise<TransferredFiles<DeliveredFile>> {
  return store.transferredFiles({ shard, name: JSON.stringify([step.id, 'model', key]) }, true);
}

/**
 * Adds the delivered model files to the results. In a grid one cell owns a file: the previous owner, or the first
 * cell. Files of a failed asset are recorded too, so that the asset's next run reuses them.
 */
export async function withModelFiles(
  results: readonly AssetResult[],
  deliveredFiles: readonly DeliveredFile[],
  assets: readonly StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const byKey = new Map(assets.map((asset) => [asset.key, asset]));
  const resultLists = results.map(async (result): Promise<AssetResult[]> => {
    const asset = byKey.get(result.key);
    const ownFiles = deliveredFiles.filter(({ key }) => key === result.key);
    const hasEnded = result.outcome === 'done' || result.outcome === 'failed';
    if (!asset || ownFiles.length === 0 || !hasEnded) return [result];
    if (asset.cells === undefined)
      return [{ ...result, platformIds: { ...result.platformIds, modelFiles: ownFiles } }];
    const recordedFiles = await readRecordedModelFiles(asset, context);
    const transferredFiles = await openTransferredModelFiles(asset, context);
    const withOwner = (file: DeliveredFile) => ({
      ...file,
      key: findOwner(file, asset, recordedFiles),
    });
    const modelFiles = ownFiles.map(withOwner);
    for (const file of modelFiles) await transferredFiles.add(file.output, file);
    await transferredFiles.flush();
    if (result.outcome === 'failed') return [{ ...result, platformIds: { modelFiles } }];
    const { files: _files, ...modelResult } = { ...result, platformIds: { modelFiles } };
    const owners = asset.cells.flatMap(({ key }): AssetResult[] => {
      const files = modelFiles.filter((file) => file.key === key);
      return files.length === 0 ? [] : [{ ...modelResult, key, files }];
    });
    return [modelResult, ...owners];
  });
  return (await Promise.all(resultLists)).flat();
}

function findOwner(
  { output, delivery }: DeliveredFile,
  { key: model, cells = [] }: Pick<StepAsset, 'key' | 'cells'>,
  recordedFiles: readonly DeliveredFile[],
): string {
  // Only files under the current key of the model count, because cells of a moved model had other keys.
  const ofModel = recordedFiles.filter(({ key }) => key.startsWith(createCellKey(model, '')));
  const outputFiles = ofModel.filter((file) => file.output === output);
  const deliveryFiles = outputFiles.filter((file) => file.delivery === delivery);
  const isHere = ({ key }: DeliveredFile) => cells.some((cell) => cell.key === key);
  // After a withdrawal only the new owner's record has the new owner. The other cells still have the withdrawn one.
  const ownerFile = deliveryFiles.find(isHere) ?? deliveryFiles[0] ?? outputFiles.find(isHere);
  return ownerFile?.key ?? cells[0]?.key ?? '';
}
