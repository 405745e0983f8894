// Delivers finished pictures, production files and models to a connector. Each file is staged, inspected, then renamed.
import { setMaxListeners } from 'node:events';
import { NotFoundError } from '../../api/errors/errors.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { type Sleep, sleepFor } from '../../engine/sleep-for.ts';
import { defaultMaxPixels } from '../../pictures/picture-header.ts';
import type { AssetResult, DeliveredFile, StepAsset, TransferredOutput } from '../../plan/types.ts';
import type { TransferredFiles } from '../../store/runs/transferred-files.ts';
import type { OutputRef } from '../renders/platform-ids.ts';
import { temporaryTarget } from './delivered-copy.ts';
import {
  catchAssetFailure,
  type FailedDelivery,
  failedResultOf,
  throwIfUnreachable,
} from './failed-delivery.ts';
import { deliveryFailures } from './failures.ts';
import {
  acceptedShareOf,
  catchHeldBack,
  HeldBackError,
  holdBack,
  throwIfHeldBack,
} from './hold-back.ts';
import { DerivedImages } from './images/derived-images.ts';
import { createInspector, type PictureRules } from './inspect-output.ts';
import { reuseDelivered } from './metadata/reuse-delivered.ts';
import { pictureHashOf } from './metadata/write-metadata.ts';
import { withModelFiles } from './models/model-files.ts';
import type { RetryWindow } from './outputs/fetch-retries.ts';
import { type FetchTarget, fetchWithRetry } from './outputs/fetch-with-retry.ts';
import { DeliveryError, formatOutput } from './outputs/output-error.ts';
import { canBeLarge, findOutputKind } from './outputs/output-types.ts';
import {
  countFiles,
  type DeliveryOptions,
  type PlannedDelivery,
  planDelivery,
} from './plan-delivery.ts';
import { existingFilesOf, type PlannedFile } from './planned-file.ts';
import { compareWithPrevious } from './replaced-pictures.ts';
import { withSavedFiles } from './saved-files.ts';

export interface DeliverConfig extends DeliveryOptions {
  verify: PictureRules;
}

/** Time for which failed downloads are retried. It is half of an export's `startToClose`. */
const retryWindowMs = 60 * 60_000;

export async function deliver(
  config: DeliverConfig,
  assets: StepAsset[],
  context: NodeContext,
  pause: Sleep = sleepFor,
): Promise<AssetResult[]> {
  const retryWindow = { pause, retryUntilAtMs: context.now() + retryWindowMs };
  const deliveries = await planDelivery(config, assets, retryWindow, context);
  const files = deliveries.flatMap((delivery) => ('error' in delivery ? [] : delivery.files));
  const transferredFiles = await readTransferredFiles(assets, context);
  const connector = context.getConnector(config.connector);
  const { ends: fileEnds, halt } = await withSavedFiles(files, connector, context, (savedFiles) =>
    runUntilHalt(savedFiles, context, (file, taskContext) =>
      catchAssetFailure(file.key, () =>
        catchHeldBack(() =>
          deliverOutput(file, config, retryWindow, transferredFiles, taskContext),
        ),
      ),
    ),
  );
  const fileResults = fileEnds.flatMap<DeliveredFile | FailedDelivery>((end) =>
    end instanceof HeldBackError ? [] : end,
  );
  const deliveredFiles = fileResults.filter((result) => 'sha256' in result);
  const ends = deliveries.map((delivery) => toAssetDelivery(delivery, fileResults));
  if (halt === null) {
    const heldBackErrors = fileEnds.filter((end) => end instanceof HeldBackError);
    throwIfHeldBack(heldBackErrors, config.accept, context);
    throwIfUnreachable(ends, context);
  }
  const results = halt ? completeDespiteHalt(deliveries, ends, halt) : ends.map(resultOf);
  return withModelFiles(results, deliveredFiles, assets, context);
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

/** Delivers an output: its original, if the export wants it, and the images derived from it. */
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
  const imageOptions = { connector, supersede, maxPixels, transferredFiles };
  const images = new DerivedImages(file, imageOptions, context);
  const fetch = (into: FetchTarget['connector']) =>
    fetchOriginal(file, { ...config, into, derived: images }, retryWindow, context).catch(
      (error: unknown) => {
        // An explanation is added if the platform no longer has an output that an earlier run delivered.
        const isMissing = error instanceof NotFoundError && existingFilesOf(file).length > 0;
        throw isMissing ? missingOutputError(file, error) : error;
      },
    );
  const fetchThere = () => fetch(connector);
  const original = file.deliversOriginal
    ? await deliverOriginal(file, config, transferredFiles, context, fetchThere)
    : null;
  if (original !== null && file.images.length === 0) return [original];
  const pictures = original ? [{ file: original, connector }] : file.existingFiles;
  const isWhole = await context.transfers.run(
    () => images.reuseOrDerive(pictures, original ? pictureHashOf(original) : undefined),
    canBeLarge(file.output),
  );
  if (!isWhole) await fetch(temporaryTarget);
  images.throwIfFailed();
  return [...(original ? [original] : []), ...images.files];
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

function missingOutputError(plannedFile: PlannedFile, cause: unknown): DeliveryError {
  const { output } = plannedFile;
  const locations = existingFilesOf(plannedFile).map(
    ({ file, connector }) => `"${file.path}" in ${connector?.describe() ?? 'a previous connector'}`,
  );
  const message = `${formatOutput(output)}: the delivered file is missing or has changed at ${[...new Set(locations)].join(' and at ')}, and the platform no longer has the output`;
  return new DeliveryError(deliveryFailures.OUTPUT_GONE, message, 1, { cause });
}

function takeExistingFile(
  { existingFiles, key, path, output, metadata }: PlannedFile,
  { connector: name, verify, supersede }: DeliverConfig,
  context: NodeContext,
): Promise<DeliveredFile | null> {
  const connector = context.getConnector(name);
  const target = { key, path, connector, inspect: createInspector(output, verify) };
  return context.transfers.run(() =>
    reuseDelivered(existingFiles, target, { metadata, supersede }, context),
  );
}

function fetchOriginal(
  file: PlannedFile,
  config: DeliverConfig & { into: FetchTarget['connector']; derived: DerivedImages },
  retryWindow: RetryWindow,
  context: NodeContext,
): Promise<TransferredOutput> {
  const { output, replaces } = file;
  const { into, derived, accept } = config;
  const inspect = createInspector(output, config.verify);
  const compare = async (path: string, sha256: string) => {
    const share = await changeOf(path, sha256);
    // Images are derived while the file is on this machine. If `changeOf` throws for a held picture, none are derived.
    if (file.images.length > 0) {
      await derived.takeExisting(sha256);
      await derived.deriveMissing(path, sha256);
    }
    return share;
  };
  const changeOf = async (path: string, sha256: string) => {
    if (replaces === null || findOutputKind(output) !== 'picture') return null;
    const connector = context.getConnector(config.connector);
    const picture = { ...file, sha256 };
    const hasLimit = accept !== undefined;
    const share = await compareWithPrevious(path, picture, replaces, connector, context, hasLimit);
    const isHeld = accept !== undefined && share !== null && share >= acceptedShareOf(accept);
    if (isHeld) await holdBack(path, picture, share, context);
    return share;
  };
  const metadata = into === temporaryTarget ? null : file.metadata;
  const target = { ...file, connector: into, metadata, inspect, compare };
  return fetchWithRetry(target, retryWindow, context);
}

/** Runs all items. The first error aborts the others. Results that exist by then are returned with the error. */
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
 * retries the others, which encounter the same error and pause the run.
 * @throws the error of the halt if no asset is complete, or if the error is not from the destination
 */
function completeDespiteHalt(
  deliveries: readonly (PlannedDelivery | FailedDelivery)[],
  ends: readonly AssetDelivery[],
  { error }: { error: unknown },
): AssetResult[] {
  const isFromDestination = error instanceof ConnectorError && error.runCause !== null;
  const completeEnds = ends.filter((end, index) => {
    const delivery = deliveries[index];
    if (delivery === undefined || 'error' in delivery || 'error' in end) return false;
    return end.files.length === delivery.files.reduce((sum, file) => sum + countFiles(file), 0);
  });
  if (!isFromDestination || completeEnds.length === 0) throw error;
  return completeEnds.map(resultOf);
}

type AssetDelivery =
  | FailedDelivery
  | { key: string; files: DeliveredFile[]; newOutputs: OutputRef[] | undefined };

function toAssetDelivery(
  delivery: PlannedDelivery | FailedDelivery,
  fileResults: readonly (DeliveredFile | FailedDelivery)[],
): AssetDelivery {
  if ('error' in delivery) return delivery;
  const { key, newOutputs } = delivery;
  const files: DeliveredFile[] = [];
  for (const result of fileResults) {
    if (result.key !== key) continue;
    if ('error' in result) return result;
    files.push(result);
  }
  return { key, files: withOldFiles(files, delivery), newOutputs };
}

/** Marks old files for deletion, except those whose paths are still used. */
function withOldFiles(
  deliveredFiles: readonly DeliveredFile[],
  { obsoletePaths, renamedFiles }: PlannedDelivery,
): DeliveredFile[] {
  const files = deliveredFiles.map((file) => {
    const renamedFile = renamedFiles.get(file.path);
    if (file.previousPath !== undefined || renamedFile === undefined) return file;
    const { path: previousPath, bytes, sha256 } = renamedFile;
    return previousPath === file.path
      ? file
      : { ...file, previousPath, previousContent: { bytes, sha256 } };
  });
  const usedPaths = new Set(files.flatMap(({ path, previousPath }) => [path, previousPath]));
  const remainingPaths = obsoletePaths.filter((path) => !usedPaths.has(path));
  const [first, ...others] = files;
  return first && remainingPaths.length > 0
    ? [{ ...first, obsoletePaths: remainingPaths }, ...others]
    : files;
}

/** The outputs are stored, so that a later run can deliver the files again even if the platform has deleted the job. */
function resultOf(end: AssetDelivery): AssetResult {
  if ('error' in end) return failedResultOf(end);
  const { key, files, newOutputs } = end;
  const outputs = newOutputs === undefined ? {} : { platformIds: { outputs: newOutputs } };
  return { key, outcome: 'done', files, ...outputs };
}
