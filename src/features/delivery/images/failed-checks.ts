// Compares the measures of a finished image with its checks, and describes the checks that it failed. Pure.

import type { KnownFailure } from '../../../failures/define.ts';
import type {
  CheckName,
  FailedCheck,
  ImageChecks,
  ImageMeasures,
} from '../../../pictures/image-checks.ts';
import { formatPercent } from '../../../plan/helpers/format-percent.ts';
import { findSource } from '../channels/shipped-channels.ts';
import { deliveryFailures } from '../failures.ts';
import { DeliveryError } from '../outputs/output-error.ts';
import type { NamedImage } from './image-names.ts';

/**
 * Maximum share of wrongly coloured pixels around the object. Compression blocks that contain a part of the object are
 * not counted. The few pixels that compression changes outside of them are invisible.
 */
const maxAroundOff = 0.005;

/** Returns the checks that the image fails, the most informative first. */
export function findFailedChecks(measures: ImageMeasures, checks: ImageChecks): FailedCheck[] {
  const background = judgeBackground(measures, checks);
  const checkResults: [CheckName, string | null][] = [
    ['background', background],
    // The object is what differs from the background, so it cannot be measured if the background is wrong.
    ['fill', background === null ? judgeFill(measures, checks) : null],
    ['longestSide', judgeLongestSide(measures, checks)],
    ['shortestSide', judgeShortestSide(measures, checks)],
    ['square', judgeSquare(measures, checks)],
    ['maxPixels', judgePixels(measures, checks)],
    ['maxBytes', judgeBytes(measures, checks)],
    ['alpha', checks.alpha === false && measures.hasAlpha ? 'has an alpha channel' : null],
    ['profile', checks.profile && !measures.isSrgb ? 'is not tagged as sRGB' : null],
  ];
  return checkResults.flatMap(([check, problem]) => (problem === null ? [] : [{ check, problem }]));
}

function judgeBackground(
  { edge, edgeMismatchShare, surroundMismatchShare }: ImageMeasures,
  { background }: ImageChecks,
): string | null {
  if (
    background === undefined ||
    (edgeMismatchShare === 0 && surroundMismatchShare <= maxAroundOff)
  )
    return null;
  const expectedColor = formatColor(background);
  if (edgeMismatchShare > 0) {
    const share = `${formatPercent(edgeMismatchShare)} of`;
    // `edge` is the most frequent colour, which may be the wanted one.
    return edge === background
      ? `has other colours than ${expectedColor} at ${share} its edges`
      : `has ${formatColor(edge)} at its edges, and ${share} them are not ${expectedColor}`;
  }
  return `is not ${expectedColor} in ${formatPercent(surroundMismatchShare)} of what is around the object, more than ${formatPercent(maxAroundOff)}`;
}

function judgeFill({ fill }: ImageMeasures, { fill: min }: ImageChecks): string | null {
  if (min === undefined || fill >= min) return null;
  return `shows an object that fills ${formatPercent(fill)} of the frame, less than ${formatPercent(min)}`;
}

function judgeLongestSide(
  { width, height }: ImageMeasures,
  { longestSide: { min = 0, max = Number.POSITIVE_INFINITY } = {} }: ImageChecks,
): string | null {
  const longest = Math.max(width, height);
  if (longest < min) return `is ${width} x ${height} pixels, and its longest side needs ${min}`;
  return longest > max ? `is ${width} x ${height} pixels, and no side may exceed ${max}` : null;
}

function judgeShortestSide(
  { width, height }: ImageMeasures,
  { shortestSide: { min = 0 } = {} }: ImageChecks,
): string | null {
  const isShort = Math.min(width, height) < min;
  return isShort ? `is ${width} x ${height} pixels, and each side needs ${min}` : null;
}

function judgeSquare({ width, height }: ImageMeasures, { square }: ImageChecks): string | null {
  return square && width !== height ? `is ${width} x ${height} pixels, not square` : null;
}

function judgePixels({ width, height }: ImageMeasures, { maxPixels }: ImageChecks): string | null {
  const pixels = width * height;
  if (maxPixels === undefined || pixels <= maxPixels) return null;
  return `has ${pixels} pixels (${width} x ${height}), more than ${maxPixels}`;
}

function judgeBytes({ bytes }: ImageMeasures, { maxBytes }: ImageChecks): string | null {
  if (maxBytes === undefined || bytes <= maxBytes) return null;
  return `has ${bytes} bytes, more than ${maxBytes}`;
}

/** Formats a colour as marketplaces write it: `#edeef0 (237, 238, 240)`. */
function formatColor(color: string): string {
  const levels = [1, 3, 5].map((index) => Number.parseInt(color.slice(index, index + 2), 16));
  return `${color} (${levels.join(', ')})`;
}

const failureOf: Readonly<Record<CheckName, KnownFailure>> = {
  background: deliveryFailures.IMAGE_BACKGROUND,
  fill: deliveryFailures.IMAGE_FILL,
  longestSide: deliveryFailures.IMAGE_SIZE,
  shortestSide: deliveryFailures.IMAGE_SIZE,
  square: deliveryFailures.IMAGE_SIZE,
  maxPixels: deliveryFailures.IMAGE_SIZE,
  maxBytes: deliveryFailures.IMAGE_BYTES,
  alpha: deliveryFailures.IMAGE_PROFILE,
  profile: deliveryFailures.IMAGE_PROFILE,
};

/** The error has the failure code of the first failed check. */
export function toCheckError(
  { path, channel }: Pick<NamedImage, 'path' | 'channel'>,
  output: string,
  failedChecks: readonly [FailedCheck, ...FailedCheck[]],
): DeliveryError {
  const ofChannel = channel === undefined ? '' : ` for channel ${channel}`;
  const problems = failedChecks.map(
    ({ check, problem }) => `it ${problem}${formatSource(channel, check)}`,
  );
  const message = `image "${path}" of ${output}${ofChannel}: ${problems.join('; ')}`;
  return new DeliveryError(failureOf[failedChecks[0].check], message);
}

function formatSource(channel: string | undefined, check: CheckName): string {
  const rule = `checks.${check === 'alpha' ? 'noAlpha' : check}`;
  const source = channel === undefined ? null : findSource(channel, rule);
  if (source?.url === undefined) return '';
  return ` (${rule}: ${source.url}${source.read === undefined ? ', unverified' : ''})`;
}
