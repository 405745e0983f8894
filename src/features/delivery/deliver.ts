// Delivers finished pictures, production files and models to a connector. Each file is staged, inspected, then renamed.
import { setMaxListeners } from 'node:events';
import { NotFoundError } from '../../api/errors/errors.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { type Sleep, sleepFor } from '../../engine/sleep-for.ts';
import { defaultMaxPixels } from '../../pictures/picture-header.ts';
import type { AssetResult, DeliveredFile, StepAsset, TransferredOutput } from '../../plan/types.ts';
import type { TransferredFiles } from '../../store/runs/transferred-files.ts';
import { temporaryTarget } from './delivered-copy.ts';
import { type ExistingFile, takeExisting, toDeliveredFile } from './existing-files.ts';
import {
  catchAssetFailure,
  type FailedDelivery,
  failedResultOf,
  throwIfUnreachable,
} from './failed-delivery.ts';
import { deliveryFailures } from './failures.ts';
import {
  acceptedChangeShare,
  catchHeldBack,
  HeldBackError,
  holdBack,
  throwIfHeldBack,
} from './hold-back.ts';
import { DerivedImages } from './images/derived-images.ts';
import { createInspector, type PictureRules } from './inspect-output.ts';
import { takeWithOtherMetadata } from './metadata/take-with-other-metadata.ts';
import { pictureHashOf } from './metadata/write-metadata.ts';
import { withModelFiles } from './model-files.ts';
import type { RetryWindow } from './outputs/fetch-retries.ts';
import { type FetchTarget, fetchWithRetry } from './outputs/fetch-with-retry.ts';
import { DeliveryError, formatOutput } from './outputs/output-error.ts';
import { mayBeLarge, outputKind } from './outputs/output-types.ts';
import {
  countFiles,
  type DeliveryOptions,
  type PlannedDelivery,
  planDelivery,
} from './plan-delivery.ts';
import type { PlannedFile } from './planned-file.ts';
import { compareWithPrevious } from './replaced-pictures.ts';

export interface DeliverConfig extends DeliveryOptions {
  verify: PictureRules;
}

/** Failed downloads are retried for this time, which is half of an export's `startToClose`. */
const retryWindowMs = 60 * 60_000;

export async function deliver(
  config: DeliverConfig,
  assets: StepAsset[],
  context: NodeContext,
  pause: Sleep = sleepFor,
): Promise<AssetResult[]> {
  const retryWindow = { pause, untilMs: context.now() + retryWindowMs };
  const deliveries = await planDelivery(config, assets, retryWindow, context);
  const files = deliveries.flatMap((delivery) => ('error' in delivery ? [] : delivery.files));
  const transferredFiles = await readTransferredFiles(assets, context);
  const { ends: fileEnds, halt } = await runUntilHalt(files, context, (file, taskContext) =>
    catchAssetFailure(file.key, () =>
      catchHeldBack(() => deliverOutput(file, config, retryWindow, transferredFiles, taskContext)),
    ),
  );
  const fileResults = fileEnds.flatMap((end): (DeliveredFile | FailedDelivery)[] => {
    if (end instanceof HeldBackError) return [];
    return Array.isArray(end) ? end : [end];
  });
  const deliveredFiles = fileResults.flatMap((result) => ('error' in result ? [] : [result]));
  if (halt !== null) {
    return withModelFiles(
      completeDespiteHalt(deliveries, fileResults, halt),
      deliveredFiles,
      assets,
      context,
    );
  }
  const heldBackErrors = fileEnds.filter((end) => end instanceof HeldBackError);
  throwIfHeldBack(heldBackErrors, config.accept, context);
  const ends = deliveries.map((delivery) => toAssetDelivery(delivery, fileResults));
  throwIfUnreachable(ends, context);
  return withModelFiles(ends.map(resultOf), deliveredFiles, assets, context);
}

/** Reads which files an earlier attempt for the same assets delivered. */
function readTransferredFiles(
  assets: readonly StepAsset[],
  { store, shard, step, attempt }: NodeContext,
): Promise<TransferredFiles<DeliveredFile>> {
  const keys = assets.map(({ key }) => key).sort();
  const name = JSON.stringify([step.id, ...keys]);
  return store.transferredFiles({ shard, name }, attempt.number > 1);
}

/** Delivers an output: its original, if it is wanted, and the images derived from it. */
async function deliverOutput(
  file: PlannedFile,
  config: DeliverConfig,
  retryWindow: RetryWindow,
  transferredFiles: TransferredFiles<DeliveredFile>,
  context: NodeContext,
): Promise<DeliveredFile[]> {
  const connector = context.getConnector(config.connector);
  const { supersede, verify } = config;
  const { maxPixels = defaultMaxPixels } = verify;
  const images = new DerivedImages(
    file,
    { connector, supersede, maxPixels, transferredFiles },
    context,
  );
  const fetch = (into: FetchTarget['connector']) =>
    fetchOriginal(file, { ...config, into, made: images }, retryWindow, context).catch(
      (error: unknown) => {
        // The platform no longer has an output that an earlier run delivered.
        const isMissing = error instanceof NotFoundError && allExistingFiles(file).length > 0;
        throw isMissing ? missingOutputError(file, error) : error;
      },
    );
  const withTransferSlot = <T>(task: () => Promise<T>) =>
    context.transfers.run(task, mayBeLarge(file.output));
  if (!file.deliversOriginal) {
    if (!(await withTransferSlot(() => images.reuseOrDerive(file.existingFiles))))
      await fetch(temporaryTarget);
    images.throwIfFailed();
    return images.files;
  }
  const original = await deliverOriginal(file, config, transferredFiles, context, () =>
    fetch(connector),
  );
  if (file.images.length === 0) return [original];
  const originals = [{ file: original, connector }];
  if (!(await withTransferSlot(() => images.reuseOrDerive(originals, pictureHashOf(original)))))
    await fetch(temporaryTarget);
  images.throwIfFailed();
  return [original, ...images.files];
}

/** Downloads an original, unless an earlier attempt or run has delivered it. */
async function deliverOriginal(
  file: PlannedFile,
  config: DeliverConfig,
  transferredFiles: TransferredFiles<DeliveredFile>,
  context: NodeContext,
  fetch: () => Promise<TransferredOutput>,
): Promise<DeliveredFile> {
  const id = JSON.stringify([file.key, file.output.id, file.path]);
  const earlierFile = transferredFiles.get(id);
  if (earlierFile?.metadata === file.metadata?.hash && earlierFile !== undefined) {
    const entry = await context.getConnector(config.connector).stat(file.path);
    if (entry?.bytes === earlierFile.bytes) return earlierFile;
  }
  const transferredFile = (await takeExistingFile(file, config, context)) ?? (await fetch());
  const { delivery = '' } = file;
  const deliveredFile = { ...transferredFile, output: file.output.id, delivery };
  await transferredFiles.add(id, deliveredFile);
  return deliveredFile;
}

function allExistingFiles({ existingFiles, images }: PlannedFile): ExistingFile[] {
  return [...existingFiles, ...images.flatMap((image) => image.existingFiles)];
}

function missingOutputError(plannedFile: PlannedFile, cause: unknown): DeliveryError {
  const { output } = plannedFile;
  const locations = allExistingFiles(plannedFile).map(
    ({ file, connector }) => `"${file.path}" in ${connector?.describe() ?? 'a previous connector'}`,
  );
  const message = `${formatOutput(output)}: the file is missing or changed at ${[...new Set(locations)].join(' and at ')}, and the platform no longer has the output`;
  return new DeliveryError(deliveryFailures.OUTPUT_GONE, message, 1, { cause });
}

/** Reuses a file of an earlier delivery; null if none can be reused. */
async function takeExistingFile(
  file: PlannedFile,
  { connector: name, verify, supersede }: DeliverConfig,
  context: NodeContext,
): Promise<DeliveredFile | null> {
  const { existingFiles, key, path, output, metadata } = file;
  const hasMetadata = (candidate: ExistingFile) => candidate.file.metadata === metadata?.hash;
  const sameMetadataFiles = existingFiles.filter(hasMetadata);
  const ownFile = sameMetadataFiles.find(
    ({ isOfThisExport, isInPlace, file: { path: lies } }) =>
      isOfThisExport && isInPlace && lies === path,
  );
  if (ownFile) return { ...ownFile.file, key };
  const connector = context.getConnector(name);
  const target = { key, path, output, connector, inspect: createInspector(output, verify) };
  const others = existingFiles.filter((candidate) => !hasMetadata(candidate));
  const reusedFile = await context.transfers.run(
    async () =>
      (await takeExisting(target, sameMetadataFiles, context)) ??
      (metadata && (await takeWithOtherMetadata(target, others, metadata, context))),
  );
  return reusedFile && toDeliveredFile(reusedFile, { connector, path, supersede });
}

function fetchOriginal(
  file: PlannedFile,
  config: DeliverConfig & { into: FetchTarget['connector']; made: DerivedImages },
  retryWindow: RetryWindow,
  context: NodeContext,
): Promise<TransferredOutput> {
  const { output } = file;
  const { into, made: derivedImages } = config;
  const inspect = createInspector(output, config.verify);
  const compare = async (path: string, sha256: string) => {
    const share = await changeOf(path, sha256);
    // Images are derived while the file is on this machine; none if `changeOf` throws for a held picture.
    if (file.images.length > 0) {
      await derivedImages.takeExisting(sha256);
      await derivedImages.deriveMissing(path, sha256);
    }
    return share;
  };
  const changeOf = async (path: string, sha256: string) => {
    const { replaces } = file;
    const { accept } = config;
    if (replaces === null || outputKind(output) !== 'picture') return null;
    const connector = context.getConnector(config.connector);
    const needsApproval = accept !== undefined;
    const picture = { ...file, sha256 };
    const share = await compareWithPrevious(
      path,
      picture,
      replaces,
      connector,
      context,
      needsApproval,
    );
    const isHeld = accept !== undefined && share !== null && share >= acceptedChangeShare(accept);
    if (isHeld) await holdBack(path, picture, share, context);
    return share;
  };
  const metadata = into === temporaryTarget ? null : file.metadata;
  const target = { ...file, connector: into, metadata, inspect, compare };
  return fetchWithRetry(target, retryWindow, context);
}

/** Runs all items. The first error aborts the others; results that exist by then are returned with the error. */
async function runUntilHalt<Item, End>(
  items: readonly Item[],
  context: NodeContext,
  task: (item: Item, context: NodeContext) => Promise<End>,
): Promise<{ ends: End[]; halt: { error: unknown } | null }> {
  const halt = new AbortController();
  const signal = AbortSignal.any([context.signal, halt.signal]);
  // Each file adds a listener, so Node.js would warn of a leak.
  setMaxListeners(0, signal);
  const taskContext = { ...context, signal, transfers: context.transfers.withOptions({ signal }) };
  const ends = await Promise.allSettled(
    items.map((item) =>
      task(item, taskContext).catch((error: unknown) => {
        halt.abort(error);
        throw error;
      }),
    ),
  );
  return {
    ends: ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : [])),
    halt: halt.signal.aborted ? { error: halt.signal.reason } : null,
  };
}

/**
 * When the destination stops the run, assets whose files were all delivered before count as complete. The workflow
 * retries the others, which meet the same error and pause the run.
 * @throws the error of the halt if no asset is complete, or if the error is not the destination's
 */
function completeDespiteHalt(
  deliveries: readonly (PlannedDelivery | FailedDelivery)[],
  fileResults: readonly (DeliveredFile | FailedDelivery)[],
  { error }: { error: unknown },
): AssetResult[] {
  const isFromDestination = error instanceof ConnectorError && error.runCause !== null;
  const completeResults = deliveries.flatMap((delivery) => {
    const end = toAssetDelivery(delivery, fileResults);
    const isWhole =
      !('error' in delivery) &&
      !('error' in end) &&
      end.files.length === delivery.files.reduce((sum, file) => sum + countFiles(file), 0);
    return isWhole ? [resultOf(end)] : [];
  });
  if (!isFromDestination || completeResults.length === 0) throw error;
  return completeResults;
}

type AssetDelivery = FailedDelivery | { key: string; files: DeliveredFile[] };

function toAssetDelivery(
  delivery: PlannedDelivery | FailedDelivery,
  fileResults: readonly (DeliveredFile | FailedDelivery)[],
): AssetDelivery {
  if ('error' in delivery) return delivery;
  const { key } = delivery;
  const files: DeliveredFile[] = [];
  for (const result of fileResults) {
    if (result.key !== key) continue;
    if ('error' in result) return result;
    files.push(result);
  }
  return { key, files: withObsoletePaths(files, delivery) };
}

/** Marks files under the previous key for deletion, except those that are still used or are a `previousPath`. */
function withObsoletePaths(
  files: DeliveredFile[],
  { obsoletePaths }: PlannedDelivery,
): DeliveredFile[] {
  const usedPaths = new Set(files.flatMap(({ path, previousPath }) => [path, previousPath]));
  const remainingPaths = obsoletePaths.filter((path) => !usedPaths.has(path));
  const [first, ...others] = files;
  return first && remainingPaths.length > 0
    ? [{ ...first, obsoletePaths: remainingPaths }, ...others]
    : files;
}

function resultOf(end: AssetDelivery): AssetResult {
  return 'error' in end ? failedResultOf(end) : { key: end.key, outcome: 'done', files: end.files };
}
