// Brings finished pictures and production files to a connector: written aside, checked, then renamed.
import { setMaxListeners } from 'node:events';
import { TransportError } from '../../api/errors.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { fail } from '../../failures/fail.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import { type Pause, pauseFor } from '../../machinery/pause-for.ts';
import type { AssetResult, DeliveredFile, StepAsset } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import type { MovedFiles } from '../../store/runs/moved-files.ts';
import type { OutputRef } from '../renders/refs.ts';
import type { Wanted } from './fetch-file.ts';
import { fetchPatiently } from './fetch-patiently.ts';
import { acceptedShare, HeldBackError, holdBack, orHeldBack, refuseChanges } from './held-back.ts';
import { inspectPdf } from './inspect-pdf.ts';
import { inspectPicture, type PictureRules } from './inspect-picture.ts';
import { inspectVideo } from './inspect-video.ts';
import { renderedAs } from './output-types.ts';
import {
  type Failed,
  type Planned,
  type PlannedFile,
  planDelivery,
  unlessOwn,
  type Wishes,
} from './plan-delivery.ts';
import { compareWithBefore } from './replaced-pictures.ts';
import { takeStanding } from './standing-files.ts';
import type { Patience } from './tries.ts';

export interface DeliverConfig extends Wishes {
  verify: PictureRules;
  /** What becomes of a file under a name of before. @default 'remove' */
  supersede?: 'remove' | 'keep' | undefined;
}

/** Half of what an attempt of an export may take. */
const patienceMs = 60 * 60_000;
/** Attempts in which nothing came of any asset, before that is the failure of each. */
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
    unlessOwn(file.key, () => orHeldBack(() => bringOnce(file, config, patience, moved, inThis))),
  );
  const came = fetched.flatMap((one) => (one instanceof HeldBackError ? [] : [one]));
  if (halt !== null) return whatCame(planned, came, halt);
  const held = fetched.filter((one) => one instanceof HeldBackError);
  refuseChanges(held, config.accept, context);
  const ends = planned.map((one) => endOf(one, came));
  throwWhereAway(ends, context);
  return ends.map(resultOf);
}

/** Files that an earlier attempt for these assets has brought home. */
function movedBefore(
  assets: readonly StepAsset[],
  { store, shard, step, attempt }: NodeContext,
): Promise<MovedFiles<DeliveredFile>> {
  const keys = assets.map(({ key }) => key).sort();
  const name = JSON.stringify([step.id, ...keys]);
  return store.movedFiles({ shard, name }, attempt.number > 1);
}

/** A file that has come already is looked at where it lies, and not fetched again. */
async function bringOnce(
  file: PlannedFile,
  config: DeliverConfig,
  patience: Patience,
  moved: MovedFiles<DeliveredFile>,
  context: NodeContext,
): Promise<DeliveredFile> {
  const id = JSON.stringify([file.key, file.output.id, file.path]);
  const before = moved.get(id);
  if (before !== undefined) {
    const there = await context.connectorNamed(config.connector).stat(file.path);
    if (there?.bytes === before.bytes) return before;
  }
  const came =
    (await standingOne(file, config, context)) ??
    withLeft(await fetchOne(file, config, patience, context), file, config);
  const { delivery } = context.step;
  const whole = { ...came, output: file.output.id, ...withoutUndefined({ delivery }) };
  await moved.add(id, whole);
  return whole;
}

/** Of a source that was moved, and of which something else is made now, what lies under the old key is to go. */
function withLeft(
  came: DeliveredFile,
  { left, path }: PlannedFile,
  { supersede }: DeliverConfig,
): DeliveredFile {
  return left === undefined || left === path || supersede === 'keep'
    ? came
    : { ...came, was: left };
}

/** The file where an earlier delivery has it; null where that has none that is whole. */
async function standingOne(
  file: PlannedFile,
  { connector, verify, supersede }: DeliverConfig,
  context: NodeContext,
): Promise<DeliveredFile | null> {
  const { standing, key, path, output } = file;
  const own = standing.find((one) => one.isOwn && one.file.path === path);
  if (own) return { ...own.file, key };
  const place = context.connectorNamed(connector);
  const wanted = { key, path, output, connector: place, inspect: inspector(output, verify) };
  const taken = await context.transfers.run(() => takeStanding(wanted, standing, context));
  if (taken === null) return null;
  const { came, from } = taken;
  const isRenamed = from.isLeft && from.place === place && from.file.path !== path;
  return isRenamed && supersede !== 'keep' ? { ...came, was: from.file.path } : came;
}

/** @throws OutputError for what must not be delivered */
function inspector(output: OutputRef, verify: PictureRules): Wanted['inspect'] {
  if (output.fileType === 'PDF') return (path) => inspectPdf(path, output);
  if (renderedAs(output) === 'video') return (path) => inspectVideo(path, output);
  return (path) => inspectPicture(path, output, verify);
}

function fetchOne(
  file: PlannedFile,
  config: DeliverConfig,
  patience: Patience,
  context: NodeContext,
): Promise<DeliveredFile> {
  const { output } = file;
  const connector = context.connectorNamed(config.connector);
  const inspect = inspector(output, config.verify);
  const compare = async (path: string, sha256: string) => {
    const { replaces } = file;
    const { accept } = config;
    if (replaces === null || renderedAs(output) !== 'picture') return null;
    const isAsked = accept !== undefined;
    const picture = { ...file, sha256 };
    const share = await compareWithBefore(path, picture, replaces, connector, context, isAsked);
    const isHeld = accept !== undefined && share !== null && share >= acceptedShare(accept);
    if (isHeld) await holdBack(path, picture, share, context);
    return share;
  };
  return fetchPatiently({ ...file, connector, inspect, compare }, patience, context);
}

/** An error that is no asset's own ends all that is under way; what had come by then has come. */
async function untilHalt<Item, End>(
  items: readonly Item[],
  context: NodeContext,
  work: (item: Item, context: NodeContext) => Promise<End>,
): Promise<{ ends: End[]; halt: { error: unknown } | null }> {
  const halt = new AbortController();
  const signal = AbortSignal.any([context.signal, halt.signal]);
  // Every file of the attempt listens for its end.
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
 * Assets of which all lies at the destination, where the destination then stopped the run: they count as complete. The workflow
 * begins the others again, which meet the same and pause the run.
 * @throws the error of the halt where there are none, or where it is another's
 */
function whatCame(
  planned: readonly (Planned | Failed)[],
  came: readonly (DeliveredFile | Failed)[],
  { error }: { error: unknown },
): AssetResult[] {
  const isOfPlace = error instanceof ConnectorError && error.runCause !== null;
  const whole = planned.flatMap((one) => {
    const end = endOf(one, came);
    const isWhole = !('error' in one) && !('error' in end) && end.files.length === one.files.length;
    return isWhole ? [resultOf(end)] : [];
  });
  if (!isOfPlace || whole.length === 0) throw error;
  return whole;
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

/** Where nothing came of several assets it is the platform that is away, and no trouble of theirs as yet. */
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
