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
 * not counted. Outside of these blocks, compression changes only a few pixels, which are invisible.
 */
const maxAroundOff = 0.005;

/** Returns the checks that the image fails, the most informative first. */
export function findFailedChecks(measures: ImageMeasures, checks: ImageChecks): FailedCheck[] {
  const { width, height, bytes, fill } = measures;
  const { maxPixels = Infinity, maxBytes = Infinity, fill: minFill = 0 } = checks;
  const { min = 0, max = Infinity } = checks.longestSide ?? {};
  const minShort = checks.shortestSide?.min ?? 0;
  const size = `${width} x ${height}`;
  const pixels = width * height;
  const longest = Math.max(width, height);
  const shortest = Math.min(width, height);
  const background = checkBackground(measures, checks);
  const results: [CheckName, string | null | false | undefined][] = [
    ['background', background],
    // The object is whatever differs from the background, so it cannot be measured if the background is wrong.
    [
      'fill',
      background === null &&
        fill < minFill &&
        `shows an object that fills ${formatPercent(fill)} of the frame, less than ${formatPercent(minFill)}`,
    ],
    [
      'longestSide',
      longest < min && `is ${size} pixels, but its longest side must be at least ${min}`,
    ],
    ['longestSide', longest > max && `is ${size} pixels, but no side may exceed ${max}`],
    [
      'shortestSide',
      shortest < minShort && `is ${size} pixels, but each side must be at least ${minShort}`,
    ],
    ['square', checks.square && width !== height && `is ${size} pixels, but must be square`],
    ['maxPixels', pixels > maxPixels && `has ${pixels} pixels (${size}), more than ${maxPixels}`],
    ['maxBytes', bytes > maxBytes && `has ${bytes} bytes, more than ${maxBytes}`],
    ['alpha', checks.alpha === false && measures.hasAlpha && 'has an alpha channel'],
    ['profile', checks.profile && !measures.isSrgb && 'is not tagged as sRGB'],
  ];
  return results.flatMap(([check, problem]) => (problem ? [{ check, problem }] : []));
}

function checkBackground(
  { edge, edgeMismatchShare, surroundMismatchShare }: ImageMeasures,
  { background }: ImageChecks,
): string | null {
  const isAsExpected = edgeMismatchShare === 0 && surroundMismatchShare <= maxAroundOff;
  if (background === undefined || isAsExpected) return null;
  const expectedColor = formatColor(background);
  if (edgeMismatchShare > 0) {
    const share = `${formatPercent(edgeMismatchShare)} of`;
    // `edge` is the most frequent colour, which may equal the required colour.
    return edge === background
      ? `has colours other than ${expectedColor} at ${share} its edges`
      : `has ${formatColor(edge)} at its edges, and ${share} them are not ${expectedColor}`;
  }
  return `is not ${expectedColor} in ${formatPercent(surroundMismatchShare)} of the area around the object, more than ${formatPercent(maxAroundOff)}`;
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

/** Creates the error, with the failure code of the first failed check. */
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
