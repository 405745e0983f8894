// Failures of renders, and the platform ids that a later run must not reuse after them.
import { defineFailures } from '../../failures/define.ts';
import { fail } from '../../failures/fail.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult } from '../../plan/types.ts';

export const renderFailures = defineFailures('asset', {
  RENDER_NOT_STARTED: {
    title: 'The platform started no render job for the project.',
    fix: 'Run again.',
  },
  RENDER_FAILED: {
    title: 'The render failed, including all retries.',
    fix: "Fix the cause given in the platform's message. If the cause is temporary, raise `maxRetries`.",
  },
  RENDER_CANCELLED: {
    title: 'The render was cancelled on the platform.',
    fix: 'Run again to start another render.',
  },
  RENDER_JOB_NOT_FOUND: {
    title: 'The render is not in the workspace.',
    fix: 'If `select` contains the id of the render, remove the id; otherwise, run again to start another render.',
  },
  RENDER_NOT_FOUND: {
    title: 'The output is not in the workspace.',
    fix: 'Remove the id of the output from `select`.',
  },
  RENDER_NOT_FINISHED: {
    title: 'The render job in `select` has not completed.',
    fix: 'Wait until the render job is COMPLETED, then run again.',
  },
  RENDER_TIMEOUT: {
    title: 'The render did not end within `timeout`.',
    fix: 'Run again: a render that has finished by then is used and not paid for twice.',
  },
  NO_RENDER: {
    title: 'The asset has no render to wait for.',
    fix: 'Check `when:` of the preceding nodes: one of them skipped the asset.',
  },
});

/** Ids to forget with a render job. `ownProject` is among them because the project may contain outputs of that job. */
export const jobIdFields = [
  'jobId',
  'batchId',
  'outputs',
  'failedJob',
  'ownProject',
] as const satisfies (keyof PlatformIds)[];

/** Returns the platform's reason, or a general message if the platform reports none. */
export function formatJobFailure(job: { errorMessage?: string | null | undefined }): string {
  return job.errorMessage || 'the render failed; the platform gives no reason';
}

/** Fails an asset and forgets its job. Only FAILED jobs can be retried, so a later run creates a new job. */
export function failCancelledRender(key: string): AssetResult {
  const message = 'the render was cancelled on the platform';
  return fail(renderFailures.RENDER_CANCELLED, key, message, { forgetIds: [...jobIdFields] });
}
