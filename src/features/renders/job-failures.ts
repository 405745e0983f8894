// Failures of render jobs, and the platform ids that a later run must not reuse after them. Pure.
import { fail } from '../../failures/fail.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult } from '../../plan/types.ts';
import { renderFailures } from './failures.ts';

/** All ids of a render job. `ownProject` is among them because the project may contain outputs of the failed job. */
export const jobIdFields = [
  'jobId',
  'batchId',
  'outputs',
  'failedJob',
  'ownProject',
] as const satisfies (keyof PlatformIds)[];

/** The platform's reason; a general message if it gives none. */
export function formatJobFailure({
  errorMessage,
}: {
  errorMessage?: string | null | undefined;
}): string {
  return errorMessage || 'the render failed; the platform gives no reason';
}

/** Fails an asset and forgets its job: only FAILED jobs can be retried, so a later run creates a new job. */
export function failCancelledRender(key: string): AssetResult {
  const message = 'the render was cancelled on the platform';
  return fail(renderFailures.RENDER_CANCELLED, key, message, { forgetIds: [...jobIdFields] });
}
