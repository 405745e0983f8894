// Plans the files of each asset and their names, before anything is downloaded.
import { NotFoundError, ResponseShapeError } from '../../api/errors.ts';
import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { assetFailures } from '../../failures/assets.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import type { StepAsset } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import type { OutputRef } from '../renders/refs.ts';
import { deliveryFailures } from './failures.ts';
import { mayClash } from './file-names.ts';
import { freshUrls } from './fresh-urls.ts';
import type { Accepted } from './held-back.ts';
import { type ImageWishes, nameFiles } from './images/image-names.ts';
import { planModelFiles } from './model-files.ts';
import type { ModelFormat } from './model-output.ts';
import { DeliveryError } from './output-error.ts';
import { type Deliverable, outputsOf } from './outputs.ts';
import type { PlannedFile } from './planned-file.ts';
import { placeTaken, recordsBefore } from './replaced-pictures.ts';
import { type StandingFile, standingFiles } from './standing-files.ts';
import type { Patience } from './tries.ts';

export interface Planned {
  key: string;
  files: PlannedFile[];
}

/** An asset that fails; other assets continue. */
export interface Failed {
  key: string;
  error: DeliveryError;
}

export interface Wishes extends ImageWishes {
  connector: string;
  what: readonly Deliverable[];
  /** Formats of models; empty if something else is delivered. */
  formats?: readonly ModelFormat[] | undefined;
  /** Limit for changes without approval; absent: every picture is delivered. */
  accept?: Accepted | undefined;
}

/** Number of files that are delivered for an output. */
export function countFiles({ isKept, images }: Pick<PlannedFile, 'isKept' | 'images'>): number {
  return (isKept ? 1 : 0) + images.length;
}

export async function planDelivery(
  wishes: Wishes,
  assets: readonly StepAsset[],
  patience: Patience,
  context: NodeContext,
): Promise<(Planned | Failed)[]> {
  const planned = await Promise.all(
    assets.map((asset) => unlessOwn(asset.key, () => planOf(asset, wishes, patience, context))),
  );
  return withoutTaken(planned, wishes, context);
}

/** Turns errors that concern only this asset into a failure of the asset; rethrows all others. */
export async function unlessOwn<T>(key: string, work: () => Promise<T>): Promise<T | Failed> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DeliveryError) return { key, error };
    if (error instanceof ResponseShapeError) {
      return { key, error: new DeliveryError(assetFailures.API_UNEXPECTED, error.message) };
    }
    if (error instanceof NotFoundError) {
      return { key, error: new DeliveryError(error, error.detail, 1, { cause: error }) };
    }
    if (!(error instanceof ConnectorError) || !error.isOfOneFile) throw error;
    return { key, error: new DeliveryError(error.failure, error.what) };
  }
}

/** Delays before rereading the outputs of a job that completed without any: they may appear a little later. */
const outputsLateMs = [2_000, 5_000, 10_000];

async function planOf(
  asset: StepAsset,
  wishes: Wishes,
  { pause, untilMs }: Patience,
  context: NodeContext,
): Promise<Planned> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await context.transfers.run(() => planNow(asset, wishes, context));
    } catch (error) {
      const pauseMs = outputsLateMs[tries];
      const isNone = error instanceof DeliveryError && error.failure === deliveryFailures.NO_OUTPUT;
      if (!isNone || pauseMs === undefined || context.now() >= untilMs) throw error;
      await pause(pauseMs, context.signal);
    }
  }
}

async function planNow(
  asset: StepAsset,
  { connector, what, formats = [], accept, ...wishes }: Wishes,
  context: NodeContext,
): Promise<Planned> {
  const { key } = asset;
  const { record, moved } = await recordsBefore(context, key);
  if (formats.length > 0) {
    const { naming } = wishes;
    return {
      key,
      files: await planModelFiles(asset, { record, moved }, { formats, naming }, context),
    };
  }
  const outputs = await outputsOf(asset, what, context, false);
  const fresh = freshUrls(asset, context);
  const named = nameFiles(asset, outputs, { ...wishes, run: context.run.run });
  const before = (record?.files ?? []).filter(({ image }) => image === undefined);
  // With `accept`, the picture of a moved source needs approval, so it is compared with the delivered one instead of reusing that.
  const isAsked = accept !== undefined && moved !== null && before.length > 0;
  const found = await standingFiles(asset, { record, moved }, context);
  const standing = isAsked ? [] : found;
  const left = moved ? leftOf(found, named, context.connectorNamed(connector)) : [];
  const files = named.map((one, index) => {
    const same = (mark?: string) =>
      standing.filter(({ output, file }) => output === one.output.id && file.image === mark);
    return {
      ...one,
      images: one.images.map((image) => ({ ...image, standing: same(image.mark) })),
      key,
      replaces: one.isKept ? placeTaken(before, one.path, named.length) : null,
      standing: same(),
      from: moved?.key,
      left: left[index],
      freshUrl: () => fresh(one.output),
    };
  });
  return { key, files };
}

/** Paths of earlier files on the same connector whose outputs no longer exist. */
function leftOf(
  found: readonly StandingFile[],
  named: readonly { output: OutputRef }[],
  connector: Connector,
): string[] {
  const shown = new Set(named.map(({ output }) => output.id));
  const left = found.filter(({ place, output }) => place === connector && !shown.has(output));
  return left.map(({ file }) => file.path).sort();
}

/** Fails an asset whose file would overwrite another asset's file, before anything is downloaded. */
async function withoutTaken(
  planned: readonly (Planned | Failed)[],
  { connector, naming }: Wishes,
  context: NodeContext,
): Promise<(Planned | Failed)[]> {
  const place = context.connectorNamed(connector).describe();
  const files = planned
    .flatMap((one) => ('error' in one ? [] : one.files.flatMap((file) => namesOf(file, naming))))
    .filter(({ path, own, isMoved }) => isMoved || mayClash(path, own));
  const wanted = files.map(({ path, key, from }) => ({
    place,
    path,
    key,
    ...withoutUndefined({ from }),
  }));
  const holders = await context.store.paths.take(wanted);
  const taken = new Map(
    files.flatMap(({ key, path }, index) => {
      const holder = holders[index];
      return holder === key ? [] : [[key, { path, holder }] as const];
    }),
  );
  return planned.map((one) => {
    const clash = taken.get(one.key);
    if (clash === undefined) return one;
    const message = `"${clash.path}" in ${place} belongs to "${clash.holder}"; give each asset a folder in \`naming\` of "${context.step.node}": {{ key }}/{{ output }}.{{ ext }}`;
    return { key: one.key, error: new DeliveryError(assetFailures.OUTPUT_PATH_TAKEN, message) };
  });
}

/** The paths that an output occupies, each with its naming template. */
function namesOf({ key, from, path, isKept, images, standing }: PlannedFile, naming: string) {
  const all = [...(isKept ? [{ path, own: naming, standing }] : []), ...images];
  return all.map(({ standing: before, ...one }) => ({
    ...one,
    key,
    from,
    isMoved: before.length > 0,
  }));
}
