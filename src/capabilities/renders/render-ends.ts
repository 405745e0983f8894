// How a render that has brought nothing is told, and what of it no later run may build on. Pure.
import { fail } from '../../failures/fail.ts';
import type { Refs } from '../../plan/refs.ts';
import type { AssetResult } from '../../plan/types.ts';
import { renderFailures } from './failures.ts';

/** All that a render job leaves with an asset. What it may have drawn lies in the project, which is the next job's too. */
export const jobRefs = [
  'jobId',
  'batchId',
  'outputs',
  'failedJob',
  'ownProject',
] as const satisfies (keyof Refs)[];

/** The platform's reason, where it gives one. */
export function failureOf({ errorMessage }: { errorMessage?: string | null | undefined }): string {
  return errorMessage || 'the render failed; the platform gives no reason';
}

/** Only FAILED jobs can be started again (3.2), so a later run makes another. */
export function renderCancelled(key: string): AssetResult {
  const message = 'the render was cancelled on the platform';
  return fail(renderFailures.RENDER_CANCELLED, key, message, { forget: [...jobRefs] });
}
