// Failures of assets whose pictures need an approval, and the cause of a run that waits for people.
import { defineFailures } from '../../failures/define.ts';
import { exitCode } from '../../failures/exit-code.ts';

export const approvalFailures = defineFailures('asset', {
  APPROVAL_REJECTED: {
    title: 'A person rejected the pictures of the asset.',
    fix: 'Correct what the reason names, then run the pipeline again, or `renderline rerun RUN --failed`: the asset is rendered again (which is paid for) and waits for a new decision.',
  },
  APPROVAL_TIMEOUT: {
    title:
      'Nobody approved or rejected the pictures of the asset within the `timeout` of its node.',
    fix: 'Run `renderline rerun RUN --failed`: the asset waits for a decision again, and nothing is rendered again. Raise the `timeout` if people need longer.',
  },
});

/** A command that follows the run ends with this cause; the run itself continues to wait. */
export const approvalCauses = defineFailures('run', {
  APPROVAL_WAITING: {
    title: 'All assets that are left in the run wait for a decision about their pictures.',
    fix: 'Look at them with `renderline ui`, or `renderline approve RUN --dry-run`; then `renderline approve RUN`.',
    stops: 'later',
    exit: exitCode.awaitsApproval,
  },
});
