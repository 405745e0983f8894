// Delivers finished pictures, production files and models to a connector. Each file is staged, inspected, then renamed.
import { setMaxListeners } from 'node:events';
import { NotFoundError, TransportError } from '../../api/errors.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { fail } from '../../failures/fail.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import { type Pause, pauseFor } from '../../machinery/pause-for.ts';
import { mostPixelsUnasked } from '../../pictures/picture-head.ts';
import type { AssetResult, DeliveredFile, StepAsset } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import type { MovedFiles } from '../../store/runs/moved-files.ts';
import type { OutputRef } from '../renders/refs.ts';
import { deliveryFailures } from './failures.ts';
import type { Wanted } from './fetch-file.ts';
import { fetchPatiently } from './fetch-patiently.ts';
import { acceptedShare, HeldBackError, holdBack, orHeldBack, refuseChanges } from './held-back.ts';
import { ImagesOf, nowhere } from './images/images-of.ts';
import { inspectModel } from './inspect-model.ts';
import { inspectPdf } from './inspect-pdf.ts';
import { inspectPicture, type PictureRules } from './inspect-picture.ts';
import { inspectVideo } from './inspect-video.ts';
import { withModelFiles } from './model-files.ts';
import { isModelOutput } from './model-output.ts';
import { DeliveryError, outputWords } from './output-error.ts';
import { mayBeLarge, renderedAs } from './output-types.ts';
import {
  countFiles,
  type Failed,
  type Planned,
  planDelivery,
  unlessOwn,
  type Wishes,
} from './plan-delivery.ts';
import type { PlannedFile } from './planned-file.ts';
import { compareWithBefore } from './replaced-pictures.ts';
import { type StandingFile, takenAs, takeStanding } from './standing-files.ts';
import type { Patience } from './tries.ts';

export interface DeliverConfig extends Wishes {
  verify: PictureRules;
  /** What to do with the file at an asset's previous path. @default 'remove' */
  supersede?: 'remove' | 'keep' | undefined;
}

/** Files are retried for this time, which is half of an export's `startToClose`. */
const patienceMs = 60 * 60_000;
/** The attempt from which on a total outage fails the assets; earlier attempts fail as a whole and are retried. */
const attemptsInVain = 5;

export async function deliver(
  config: DeliverConfig,
  assets: StepAsset[],
  context: NodeContext,
  pause: Pause = pauseFor,
): Promise<AssetResult[]> {
  const patience = { pause, untilMs: context.now() + patienceMs };
  const planned = await planDelivery(config, assets, patience, context);
  const files = planned.flatMap((one) => ('error' in one ? [] : one.files));
  const moved = await movedBefore(assets, context);
  const { ends: fetched, halt } = await untilHalt(files, context, (file, inThis) =>
    unlessOwn(file.key, () => orHeldBack(() => bringOutput(file, config, patience, moved, inThis))),
  );
  const came = fetched.flatMap((one): (DeliveredFile | Failed)[] => {
    if (one instanceof HeldBackError) return [];
    return Array.isArray(one) ? one : [one];
  });
  const there = came.flatMap((one) => ('error' in one ? [] : [one]));
  if (halt !== null) {
    return withModelFiles(whatCame(planned, came, halt), there, assets, context);
  }
  const held = fetched.filter((one) => one instanceof HeldBackError);
  refuseChanges(held, config.accept, context);
  const ends = planned.map((one) => endOf(one, came));
  throwWhereAway(ends, context);
  return withModelFiles(ends.map(resultOf), there, assets, context);
}

/** Files that an earlier attempt for the same assets delivered. */
function movedBefore(
  assets: readonly StepAsset[],
  { store, shard, step, attempt }: NodeContext,
): Promise<MovedFiles<DeliveredFile>> {
  const keys = assets.map(({ key }) => key).sort();
  const name = JSON.stringify([step.id, ...keys]);
  return store.movedFiles({ shard, name }, attempt.number > 1);
}

/** Delivers an output: its original, if it is wanted, and the images derived from it. */
async function bringOutput(
  file: PlannedFile,
  config: DeliverConfig,
  patience: Patience,
  moved: MovedFiles<DeliveredFile>,
  context: NodeContext,
): Promise<DeliveredFile[]> {
  const connector = context.connectorNamed(config.connector);
  const { supersede, verify } = config;
  const { maxPixels: mostPixels = mostPixelsUnasked } = verify;
  const images = new ImagesOf(file, { connector, supersede, mostPixels, moved }, context);
  const fetch = (into: Wanted['connector']) =>
    fetchOne(file, { ...config, into, made: images }, patience, context).catch((error: unknown) => {
      throw isGone(file, error) ? goneError(file, error) : error;
    });
  const inSlot = <T>(work: () => Promise<T>) =>
    context.transfers.run(work, mayBeLarge(file.output));
  if (!file.isKept) {
    if (!(await inSlot(() => images.takeOrMake(file.standing)))) await fetch(nowhere);
    return images.files;
  }
  const original = await bringOriginal(file, config, moved, context, () => fetch(connector));
  if (file.images.length === 0) return [original];
  const lies = [{ file: original, place: connector }];
  if (!(await inSlot(() => images.takeOrMake(lies, original.sha256)))) await fetch(nowhere);
  return [original, ...images.files];
}

/** Does not download an original again that an earlier attempt or run delivered. */
async function bringOriginal(
  file: PlannedFile,
  config: DeliverConfig,
  moved: MovedFiles<DeliveredFile>,
  context: NodeContext,
  fetch: () => Promise<DeliveredFile>,
): Promise<DeliveredFile> {
  const id = JSON.stringify([file.key, file.output.id, file.path]);
  const before = moved.get(id);
  if (before !== undefined) {
    const there = await context.connectorNamed(config.connector).stat(file.path);
    if (there?.bytes === before.bytes) return before;
  }
  const came = (await standingOne(file, config, context)) ?? withLeft(await fetch(), file, config);
  const { delivery } = context.step;
  const whole = { ...came, output: file.output.id, ...withoutUndefined({ delivery }) };
  await moved.add(id, whole);
  return whole;
}

/** True if the platform no longer has the output, which an earlier run delivered. */
function isGone(file: PlannedFile, error: unknown): boolean {
  return error instanceof NotFoundError && everyStanding(file).length > 0;
}

function everyStanding({ standing, images }: PlannedFile): StandingFile[] {
  return [...standing, ...images.flatMap((image) => image.standing)];
}

function goneError(planned: PlannedFile, cause: unknown): DeliveryError {
  const { output } = planned;
  const places = everyStanding(planned).map(
    ({ file, place }) => `"${file.path}" in ${place?.describe() ?? 'a previous connector'}`,
  );
  const message = `${outputWords(output)} is intact neither at ${[...new Set(places)].join(' nor at ')} nor on the platform`;
  return new DeliveryError(deliveryFailures.OUTPUT_GONE, message, 1, { cause });
}

/** Marks the file under the old key for removal if the source was moved and the new file shows something else. */
function withLeft(
  came: DeliveredFile,
  { left, path }: PlannedFile,
  { supersede }: DeliverConfig,
): DeliveredFile {
  return left === undefined || left === path || supersede === 'keep'
    ? came
    : { ...came, was: left };
}

/** Takes the file from an earlier delivery; null if none has it intact. */
async function standingOne(
  file: PlannedFile,
  { connector: name, verify, supersede }: DeliverConfig,
  context: NodeContext,
): Promise<DeliveredFile | null> {
  const { standing, key, path, output } = file;
  const own = standing.find(
    ({ isOwn, isThere, file: { path: lies } }) => isOwn && isThere && lies === path,
  );
  if (own) return { ...own.file, key };
  const connector = context.connectorNamed(name);
  const wanted = { key, path, output, connector, inspect: inspector(output, verify) };
  const taken = await context.transfers.run(() => takeStanding(wanted, standing, context));
  return taken && takenAs(taken, { connector, path, supersede });
}

/** Returns the inspection for the output's type. The inspection throws OutputError for a file that must not be delivered. */
function inspector(output: OutputRef, verify: PictureRules): Wanted['inspect'] {
  if (isModelOutput(output)) return (path, sha256) => inspectModel(path, sha256, output);
  if (output.fileType === 'PDF') return (path) => inspectPdf(path, output);
  if (renderedAs(output) === 'video') return (path) => inspectVideo(path, output);
  return (path) => inspectPicture(path, output, verify);
}

function fetchOne(
  file: PlannedFile,
  config: DeliverConfig & { into: Wanted['connector']; made: ImagesOf },
  patience: Patience,
  context: NodeContext,
): Promise<DeliveredFile> {
  const { output } = file;
  const { into, made } = config;
  const inspect = inspector(output, config.verify);
  const compare = async (path: string, sha256: string) => {
    const share = await changeOf(path, sha256);
    // The images are derived now, while the file is on this machine. A picture that is held back throws before and gets none.
    if (file.images.length > 0) {
      await made.find(sha256);
      await made.make(path, sha256);
    }
    return share;
  };
  const changeOf = async (path: string, sha256: string) => {
    const { replaces } = file;
    const { accept } = config;
    if (replaces === null || renderedAs(output) !== 'picture') return null;
    const connector = context.connectorNamed(config.connector);
    const isAsked = accept !== undefined;
    const picture = { ...file, sha256 };
    const share = await compareWithBefore(path, picture, replaces, connector, context, isAsked);
    const isHeld = accept !== undefined && share !== null && share >= acceptedShare(accept);
    if (isHeld) await holdBack(path, picture, share, context);
    return share;
  };
  return fetchPatiently({ ...file, connector: into, inspect, compare }, patience, context);
}

/** Runs all items. The first error aborts the others; results that exist by then are returned with the error. */
async function untilHalt<Item, End>(
  items: readonly Item[],
  context: NodeContext,
  work: (item: Item, context: NodeContext) => Promise<End>,
): Promise<{ ends: End[]; halt: { error: unknown } | null }> {
  const halt = new AbortController();
  const signal = AbortSignal.any([context.signal, halt.signal]);
  // Each file of the attempt adds a listener.
  setMaxListeners(0, signal);
  const inThis = { ...context, signal, transfers: context.transfers.within({ signal }) };
  const ends = await Promise.allSettled(
    items.map((item) =>
      work(item, inThis).catch((error: unknown) => {
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
 * When the destination stops the run, assets whose files were all delivered before count as complete. The workflow retries the
 * others, which meet the same error and pause the run.
 * @throws the error of the halt if no asset is complete, or if the error is not the destination's
 */
function whatCame(
  planned: readonly (Planned | Failed)[],
  came: readonly (DeliveredFile | Failed)[],
  { error }: { error: unknown },
): AssetResult[] {
  const isOfPlace = error instanceof ConnectorError && error.runCause !== null;
  const whole = planned.flatMap((one) => {
    const end = endOf(one, came);
    const isWhole = !('error' in one) && !('error' in end) && end.files.length === countAll(one);
    return isWhole ? [resultOf(end)] : [];
  });
  if (!isOfPlace || whole.length === 0) throw error;
  return whole;
}

function countAll({ files }: Planned): number {
  return files.reduce((sum, file) => sum + countFiles(file), 0);
}

type End = Failed | { key: string; files: DeliveredFile[] };

function endOf(planned: Planned | Failed, fetched: readonly (DeliveredFile | Failed)[]): End {
  if ('error' in planned) return planned;
  const { key } = planned;
  const files: DeliveredFile[] = [];
  for (const one of fetched) {
    if (one.key !== key) continue;
    if ('error' in one) return one;
    files.push(one);
  }
  return { key, files };
}

/** If every one of several assets failed on the network, the platform is down; the attempt is retried instead of failing them. */
function throwWhereAway(ends: readonly End[], { attempt }: NodeContext): void {
  const causes = ends.map((end) => ('error' in end ? end.error.cause : null));
  if (ends.length < 2 || !causes.every((cause) => cause instanceof TransportError)) return;
  if (attempt.number < attemptsInVain) throw causes[0];
}

function resultOf(end: End): AssetResult {
  const { key } = end;
  if (!('error' in end)) return { key, outcome: 'done', files: end.files };
  const { failure, message, attempts, isMissing } = end.error;
  const missing = isMissing ? { missing: true as const } : {};
  return fail(failure, key, message, { attempts, ...missing });
}
