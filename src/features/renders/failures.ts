// Failures of renders.
import { defineFailures } from '../../failures/define.ts';

export const renderFailures = defineFailures('asset', {
  RENDER_NOT_STARTED: {
    title: 'The platform started no render job for the project.',
    fix: 'Run again.',
  },
  RENDER_FAILED: {
    title: 'The render failed, including all retries.',
    fix: "The message is the platform's; raise `maxRetries` if the problem is temporary.",
  },
  RENDER_CANCELLED: {
    title: 'The render was cancelled on the platform.',
    fix: 'Run again to start another.',
  },
  RENDER_JOB_NOT_FOUND: {
    title: 'The render is not in the workspace.',
    fix: 'If `select` names it, remove its id; otherwise run again to start another.',
  },
  RENDER_NOT_FOUND: {
    title: 'The output is not in the workspace.',
    fix: 'Remove its id from `select`.',
  },
  RENDER_NOT_FINISHED: {
    title: 'The render job that `select` names has not completed.',
    fix: 'Wait until it is COMPLETED, then run again.',
  },
  RENDER_TIMEOUT: {
    title: 'The render did not end within `timeout`.',
    fix: 'Rerun: a render that has finished by then is used and not paid for twice.',
  },
  NO_RENDER: {
    title: 'The asset has no render to wait for.',
    fix: 'Check `when:` of the preceding nodes: one of them skipped the asset.',
  },
});
