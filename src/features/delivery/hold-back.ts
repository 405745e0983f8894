// Holds back pictures that differ more from their predecessors than `accept` allows, until a person approves them. An
// approval is valid for one picture, identified by its hash. A different picture needs a new approval.
import { RunCauseError } from '../../engine/engine-errors.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { createPreview } from '../../pictures/compare-pictures.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatPercent } from '../../plan/helpers/format-percent.ts';
import { limitLines } from '../../plan/helpers/limit-lines.ts';
import type { DeliveredFile } from '../../plan/types.ts';
import { approvalFailures, rejectionOf } from '../decisions/failures.ts';
import { deliveryCauses } from './failures.ts';
import { DeliveryError } from './outputs/output-error.ts';

export interface AcceptedChange {
  /** Limit such as `<10%`. Pictures that changed less are delivered without approval. */
  change: string;
}

export const acceptedChangePattern = /^<\s?\d{1,3}(?:\.\d{1,2})?\s?%$/;
const maxNamesShown = 3;

/** Returns the limit as a share from 0 to 1. */
export function acceptedShareOf({ change }: AcceptedChange): number {
  return Number.parseFloat(change.slice(1)) / 100;
}

/** Thrown when a picture waits for approval. The other files of its batch continue. */
export class HeldBackError extends Error {
  override name = 'HeldBackError';
  readonly path: string;
  readonly share: number;

  constructor(path: string, share: number) {
    super(`${path} has changed by ${formatPercent(share)}`);
    this.path = path;
    this.share = share;
  }
}

/**
 * Returns only if a person has approved this picture. Stores a new picture for review.
 * @param file path of the staged picture @param share result of `compareWithPrevious`
 * @throws HeldBackError while the picture waits for a decision; DeliveryError if a person rejected it
 */
export async function holdBack(
  file: string,
  { key, path, sha256 }: Pick<DeliveredFile, 'key' | 'path' | 'sha256'>,
  share: number,
  { store, shard, step: { node } }: Pick<NodeContext, 'store' | 'shard' | 'step'>,
): Promise<void> {
  const heldPicture = await store.heldPictures.read({ key, path });
  if (heldPicture?.sha256 === sha256) {
    const { decision } = heldPicture;
    if (decision?.outcome === 'approved') return;
    if (decision === undefined) throw new HeldBackError(path, share);
    const picture = Buffer.from(heldPicture.after, 'base64');
    await store.failedImages.write(key, { path, picture });
    const message = `${rejectionOf(decision, path)}; the old picture is still in place`;
    throw new DeliveryError(approvalFailures.APPROVAL_REJECTED, message);
  }
  const before = (await store.pictureChanges.read({ key, path }))?.before ?? '';
  const after = (await createPreview(file)).toString('base64');
  await store.heldPictures.write({ key, path, shard, node, sha256, share, before, after });
  throw new HeldBackError(path, share);
}

/** Turns HeldBackError into a value, so that the other files of the attempt are still delivered. */
export async function catchHeldBack<T>(task: () => Promise<T>): Promise<T | HeldBackError> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof HeldBackError) return error;
    throw error;
  }
}

/** @throws RunCauseError that lists the pictures that changed most, if any was held back */
export function throwIfHeldBack(
  heldBackErrors: readonly HeldBackError[],
  accept: AcceptedChange | undefined,
  { run }: Pick<NodeContext, 'run'>,
): void {
  if (heldBackErrors.length === 0 || accept === undefined) return;
  const pictures = heldBackErrors
    .toSorted((a, b) => b.share - a.share)
    .map(({ path, share }) => `${path} (${formatPercent(share)})`);
  const names = limitLines(pictures, maxNamesShown, (rest) => `and ${rest} more`).join(', ');
  const verb = heldBackErrors.length === 1 ? 'differs' : 'differ';
  const limit = formatPercent(acceptedShareOf(accept));
  const message = `${formatCount(heldBackErrors.length, 'new picture')} ${verb} by ${limit} or more from the pictures delivered before: ${names}`;
  const fix = `Review the changes with \`renderline report ${run.run}\`; then run \`renderline approve ${run.run}\` or \`renderline cancel ${run.run}\``;
  throw new RunCauseError(deliveryCauses.PICTURES_CHANGED, message, { fix });
}
