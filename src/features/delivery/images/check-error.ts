// Describes the checks that an image failed: channel, measured value, limit, and the source of the rule.
import type { KnownFailure } from '../../../failures/define.ts';
import type { CheckName, FailedCheck } from '../../../pictures/image-checks.ts';
import { findSource } from '../channels/shipped-channels.ts';
import { deliveryFailures } from '../failures.ts';
import { DeliveryError } from '../outputs/output-error.ts';
import type { NamedImage } from './image-names.ts';

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
  failed: readonly [FailedCheck, ...FailedCheck[]],
): DeliveryError {
  const of = channel === undefined ? '' : ` for channel ${channel}`;
  const problems = failed.map(
    ({ check, problem }) => `it ${problem}${formatSource(channel, check)}`,
  );
  const message = `image "${path}" of ${output}${of}: ${problems.join('; ')}`;
  return new DeliveryError(failureOf[failed[0].check], message);
}

function formatSource(channel: string | undefined, check: CheckName): string {
  const rule = `checks.${check === 'alpha' ? 'noAlpha' : check}`;
  const source = channel === undefined ? null : findSource(channel, rule);
  if (source?.url === undefined) return '';
  return ` (${rule}: ${source.url}${source.read === undefined ? ', unverified' : ''})`;
}
