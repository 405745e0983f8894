// Failures of renders.
import { defineFailures } from '../../failures/define.ts';

export const renderFailures = defineFailures('asset', {
  RENDER_NOT_STARTED: {
    title: 'The platform started no render job for the project.',
    fix: 'Run again.',
  },
  RENDER_FAILED: {
    title: 'The render failed, also when it was started again.',
    fix: "The message is the platform's; raise `maxRetries` where it is a passing trouble.",
  },
  RENDER_CANCELLED: {
    title: 'The render was cancelled on the platform.',
    fix: 'Run again to start another.',
  },
  RENDER_JOB_NOT_FOUND: {
    title: 'The render is not in the workspace.',
    fix: 'Run again to start another.',
  },
  RENDER_NOT_FOUND: {
    title: 'The output is not in the workspace.',
    fix: 'Take its id out of `select`.',
  },
  RENDER_NOT_FINISHED: {
    title: 'The render job that `select` names has not ended well.',
    fix: 'Wait until it is COMPLETED, then run again.',
  },
  RENDER_TIMEOUT: {
    title: 'The render did not end within `timeout`.',
    fix: 'Rerun: a render that has ended meanwhile is taken, not paid twice.',
  },
  NO_RENDER: {
    title: 'The asset has no render to wait for.',
    fix: 'Look at `when:` of the nodes before: one passed the asset over.',
  },
});
