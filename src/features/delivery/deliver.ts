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
  const planned = await planDelivery(config, assets, retryWindow, context);
  const files = planned.flatMap((one) => ('error' in one ? [] : one.files));
  const moved = await readTransferredFiles(assets, context);
  const { ends: fetched, halt } = await runUntilHalt(files, context, (file, taskContext) =>
    catchAssetFailure(file.key, () =>
      catchHeldBack(() => deliverOutput(file, config, retryWindow, moved, taskContext)),
    ),
  );
  const delivered = fetched.flatMap((one): (DeliveredFile | FailedDelivery)[] => {
    if (one instanceof HeldBackError) return [];
    return Array.isArray(one) ? one : [one];
  });
  const deliveredFiles = delivered.flatMap((one) => ('error' in one ? [] : [one]));
  if (halt !== null) {
    return withModelFiles(
      completeDespiteHalt(planned, delivered, halt),
      deliveredFiles,
      assets,
      context,
    );
  }
  const heldBackErrors = fetched.filter((one) => one instanceof HeldBackError);
  throwIfHeldBack(heldBackErrors, config.accept, context);
  const ends = planned.map((one) => toAssetDelivery(one, delivered));
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
  moved: TransferredFiles<DeliveredFile>,
  context: NodeContext,
): Promise<DeliveredFile[]> {
  const connector = context.connectorNamed(config.connector);
  const { supersede, verify } = config;
  const { maxPixels = defaultMaxPixels } = verify;
  const images = new DerivedImages(file, { connector, supersede, maxPixels, moved }, context);
  const fetch = (into: FetchTarget['connector']) =>
    fetchOriginal(file, { ...config, into, made: images }, retryWindow, context).catch(
      (error: unknown) => {
        // The platform no longer has an output that an earlier run delivered.
        const isMissing = error instanceof NotFoundError && allExistingFiles(file).length > 0;
        throw isMissing ? missingOutputError(file, error) : error;
      },
    );
  const withTransferSlot = <T>(work: () => Promise<T>) =>
    context.transfers.run(work, mayBeLarge(file.output));
  if (!file.deliversOriginal) {
    if (!(await withTransferSlot(() => images.reuseOrDerive(file.existing))))
      await fetch(temporaryTarget);
    images.throwIfFailed();
    return images.files;
  }
  const original = await deliverOriginal(file, config, moved, context, () => fetch(connector));
  if (file.images.length === 0) return [original];
  const originals = [{ file: original, place: connector }];
  if (!(await withTransferSlot(() => images.reuseOrDerive(originals, pictureHashOf(original)))))
    await fetch(temporaryTarget);
  images.throwIfFailed();
  return [original, ...images.files];
}

/** Downloads an original, unless an earlier attempt or run has delivered it. */
async function deliverOriginal(
  file: PlannedFile,
  config: DeliverConfig,
  moved: TransferredFiles<DeliveredFile>,
  context: NodeContext,
  fetch: () => Promise<TransferredOutput>,
): Promise<DeliveredFile> {
  const id = JSON.stringify([file.key, file.output.id, file.path]);
  const before = moved.get(id);
  if (before?.metadata === file.metadata?.hash && before !== undefined) {
    const entry = await context.connectorNamed(config.connector).stat(file.path);
    if (entry?.bytes === before.bytes) return before;
  }
  const delivered = (await takeExistingFile(file, config, context)) ?? (await fetch());
  const { delivery = '' } = file;
  const whole = { ...delivered, output: file.output.id, delivery };
  await moved.add(id, whole);
  return whole;
}

function allExistingFiles({ existing, images }: PlannedFile): ExistingFile[] {
  return [...existing, ...images.flatMap((image) => image.existing)];
}

function missingOutputError(planned: PlannedFile, cause: unknown): DeliveryError {
  const { output } = planned;
  const places = allExistingFiles(planned).map(
    ({ file, place }) => `"${file.path}" in ${place?.describe() ?? 'a previous connector'}`,
  );
  const message = `${formatOutput(output)}: the file is missing or changed at ${[...new Set(places)].join(' and at ')}, and the platform no longer has the output`;
  return new DeliveryError(deliveryFailures.OUTPUT_GONE, message, 1, { cause });
}

/** Reuses a file of an earlier delivery; null if none can be reused. */
async function takeExistingFile(
  file: PlannedFile,
  { connector: name, verify, supersede }: DeliverConfig,
  context: NodeContext,
): Promise<DeliveredFile | null> {
  const { existing, key, path, output, metadata } = file;
  const hasMetadata = (one: ExistingFile) => one.file.metadata === metadata?.hash;
  const alike = existing.filter(hasMetadata);
  const own = alike.find(
    ({ isOfThisExport, isInPlace, file: { path: lies } }) =>
      isOfThisExport && isInPlace && lies === path,
  );
  if (own) return { ...own.file, key };
  const connector = context.connectorNamed(name);
  const wanted = { key, path, output, connector, inspect: createInspector(output, verify) };
  const others = existing.filter((one) => !hasMetadata(one));
  const taken = await context.transfers.run(
    async () =>
      (await takeExisting(wanted, alike, context)) ??
      (metadata && (await takeWithOtherMetadata(wanted, others, metadata, context))),
  );
  return taken && toDeliveredFile(taken, { connector, path, supersede });
}

function fetchOriginal(
  file: PlannedFile,
  config: DeliverConfig & { into: FetchTarget['connector']; made: DerivedImages },
  retryWindow: RetryWindow,
  context: NodeContext,
): Promise<TransferredOutput> {
  const { output } = file;
  const { into, made } = config;
  const inspect = createInspector(output, config.verify);
  const compare = async (path: string, sha256: string) => {
    const share = await changeOf(path, sha256);
    // Images are derived while the file is on this machine; none if `changeOf` throws for a held picture.
    if (file.images.length > 0) {
      await made.takeExisting(sha256);
      await made.deriveMissing(path, sha256);
    }
    return share;
  };
  const changeOf = async (path: string, sha256: string) => {
    const { replaces } = file;
    const { accept } = config;
    if (replaces === null || outputKind(output) !== 'picture') return null;
    const connector = context.connectorNamed(config.connector);
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
  work: (item: Item, context: NodeContext) => Promise<End>,
): Promise<{ ends: End[]; halt: { error: unknown } | null }> {
  const halt = new AbortController();
  const signal = AbortSignal.any([context.signal, halt.signal]);
  // Each file adds a listener, so Node.js would warn of a leak.
  setMaxListeners(0, signal);
  const taskContext = { ...context, signal, transfers: context.transfers.withOptions({ signal }) };
  const ends = await Promise.allSettled(
    items.map((item) =>
      work(item, taskContext).catch((error: unknown) => {
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
  planned: readonly (PlannedDelivery | FailedDelivery)[],
  delivered: readonly (DeliveredFile | FailedDelivery)[],
  { error }: { error: unknown },
): AssetResult[] {
  const isFromDestination = error instanceof ConnectorError && error.runCause !== null;
  const complete = planned.flatMap((one) => {
    const end = toAssetDelivery(one, delivered);
    const isWhole =
      !('error' in one) &&
      !('error' in end) &&
      end.files.length === one.files.reduce((sum, file) => sum + countFiles(file), 0);
    return isWhole ? [resultOf(end)] : [];
  });
  if (!isFromDestination || complete.length === 0) throw error;
  return complete;
}

type AssetDelivery = FailedDelivery | { key: string; files: DeliveredFile[] };

function toAssetDelivery(
  planned: PlannedDelivery | FailedDelivery,
  fetched: readonly (DeliveredFile | FailedDelivery)[],
): AssetDelivery {
  if ('error' in planned) return planned;
  const { key } = planned;
  const files: DeliveredFile[] = [];
  for (const one of fetched) {
    if (one.key !== key) continue;
    if ('error' in one) return one;
    files.push(one);
  }
  return { key, files: withObsoletePaths(files, planned) };
}

/** Marks files under the previous key for deletion, except those that are still used or are a `previousPath`. */
function withObsoletePaths(
  files: DeliveredFile[],
  { obsoletePaths }: PlannedDelivery,
): DeliveredFile[] {
  const known = new Set(files.flatMap(({ path, previousPath }) => [path, previousPath]));
  const left = obsoletePaths.filter((path) => !known.has(path));
  const [first, ...others] = files;
  return first && left.length > 0 ? [{ ...first, obsoletePaths: left }, ...others] : files;
}

function resultOf(end: AssetDelivery): AssetResult {
  return 'error' in end ? failedResultOf(end) : { key: end.key, outcome: 'done', files: end.files };
}
