// `renderline cancel`, `pause` and `resume`: change the state of a run.
import type { Command } from '@commander-js/extra-typings';
import { type Action, type ControlResult, controlRun } from '../../../app/runs/control.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { approvalWaitCode } from '../../../plan/contract/canary.ts';
import { reasonOption } from '../../params.ts';
import type { Session } from '../../session.ts';
import { escapeForTerminal } from '../../terminal-text.ts';

/** Declares the command of an action. */
export function declareControl(action: Action) {
  return (command: Command, session: Session): void => {
    command
      .argument('<run>', 'run id, as `renderline runs` lists it')
      .option(...reasonOption)
      .action(
        session.action(async (run, { reason }) => {
          session.resumeHint = `See its state: renderline show ${run}`;
          const result = await controlRun(session, action, run, { reason });
          session.output.result(result.shape, () => formatControlResult(result));
          return exitCode.done;
        }),
      );
  };
}

/** Formats the new state of the run. */
export function formatControlResult(result: ControlResult): string {
  const { shape, progress } = escapeForTerminal(result);
  const { run, action, state } = shape;
  const { totals, discovery } = progress ?? {};
  const known = totals !== undefined && discovery !== null;
  const counts = known ? `: ${totals.complete} of ${totals.total} complete` : '';
  if (action === 'cancel') {
    if (state === 'cancelled' && discovery === null) {
      return `${run} is cancelled. It had not discovered its assets yet, so nothing was started.`;
    }
    if (state === 'cancelled')
      return `${run} is cancelled${counts}. Queued renders were cancelled; for renders that could not be cancelled see: renderline show ${run}`;
    if (state === 'completed' || state === 'failed' || state === 'terminated') {
      return `${run} had already ended (${state}).`;
    }
    return `${run} was asked to cancel and is still cleaning up. See: renderline show ${run}`;
  }
  if (action === 'pause' && state === 'paused') {
    return `${run} is paused${counts}. Submitted work continues on the platform; nothing new is submitted.\nResume it: renderline resume ${run}`;
  }
  if (action === 'resume' && progress?.cause?.code === approvalWaitCode) {
    return `${run} is no longer paused: ${progress.cause.message}.\nApprove: renderline approve ${run}`;
  }
  if (action === 'resume' && state !== 'paused' && progress !== null) {
    return `${run} continues${counts}. Follow it: renderline show ${run} --wait`;
  }
  return `${run} was asked to ${action}; no worker has answered yet. See: renderline show ${run}`;
}
