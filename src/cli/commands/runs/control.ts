// `renderline cancel`, `pause` and `resume`: change the state of a run. With `--all`, pause and resume everything.

import type { Command } from '@commander-js/extra-typings';
import { pauseAll } from '../../../app/general-pause/pause-all.ts';
import { resumeAll } from '../../../app/general-pause/resume-all.ts';
import { usageError } from '../../../app/renderline-error.ts';
import {
  type Action,
  type ControlOptions,
  type ControlResult,
  controlRun,
} from '../../../app/runs/control.ts';
import { canaryWaitCode } from '../../../plan/contract/canary.ts';
import { formatTotals } from '../../../plan/shard/format-totals.ts';
import { reword, sharedArguments, sharedOptions } from '../../options.ts';
import { formatPauseAll, formatResumeAll } from '../../runs/format-general-pause.ts';
import type { Session } from '../../session.ts';
import { escapeForTerminal } from '../../terminal-text.ts';

export function declareCancel(command: Command, session: Session): void {
  command
    .argument(...sharedArguments.run)
    .option(...sharedOptions.reason)
    .action(session.action((run, options) => control(session, 'cancel', run, options)));
}

export function declarePause(command: Command, session: Session): void {
  command
    .argument(...sharedArguments.optionalRun)
    .option('--all', 'pause all open runs, schedules and event triggers; nothing new is started')
    .option(...reword(sharedOptions.pipeline, 'with --all: only this pipeline'))
    .option(...reword(sharedOptions.reason, (text) => `${text}; required with --all`))
    .action(
      session.action(async (run, { all, pipeline, reason }) => {
        const target = readTarget('pause', run, { all, pipeline });
        if (target !== null) return control(session, 'pause', target, { reason });
        if (reason === undefined) {
          const fix =
            'Give a reason, which everybody sees: renderline pause --all --reason "wrong colours"';
          throw usageError('--all needs a --reason.', fix);
        }
        const result = await pauseAll(session, { pipeline, reason });
        session.output.result(result, () => formatPauseAll(result, session.output.paint));
      }),
    );
}

export function declareResume(command: Command, session: Session): void {
  command
    .argument(...sharedArguments.optionalRun)
    .option(
      '--all',
      'resume what `pause --all` paused; anything that was paused separately stays paused',
    )
    .option(...reword(sharedOptions.pipeline, 'with --all: only what was paused for this pipeline'))
    .option(
      '--new-records',
      'with RUN: start new records where those of earlier runs are missing, and pay for all work again',
    )
    .option(...sharedOptions.reason)
    .action(
      session.action(async (run, { all, pipeline, reason, newRecords }) => {
        const target = readTarget('resume', run, { all, pipeline });
        if (target !== null) return control(session, 'resume', target, { reason, newRecords });
        if (newRecords)
          throw usageError('--new-records requires a run.', 'renderline resume RUN --new-records');
        const result = await resumeAll(session, { pipeline, reason });
        session.output.result(result, () => formatResumeAll(result, session.output.paint));
      }),
    );
}

/** @returns the given run, or null for `--all` @throws RenderlineError USAGE unless either a run or `--all` is given */
function readTarget(
  action: Action,
  run: string | undefined,
  { all, pipeline }: { all?: true | undefined; pipeline?: string | undefined },
): string | null {
  if (all && run === undefined) return null;
  if (!all && run !== undefined && pipeline === undefined) return run;
  const message = all
    ? `--all applies to all runs and cannot be combined with the run ${String(run)}.`
    : pipeline === undefined
      ? 'Specify a run or --all.'
      : '--pipeline requires --all.';
  const reason = action === 'pause' ? ' --reason TEXT' : '';
  const fix = `renderline ${action} RUN, or renderline ${action} --all${reason} [--pipeline NAME]`;
  throw usageError(message, fix);
}

async function control(
  session: Session,
  action: Action,
  run: string,
  options: ControlOptions,
): Promise<void> {
  session.resumeHint = `See its status: renderline show ${run}`;
  const result = await controlRun(session, action, run, options);
  session.output.result(result.shape, () => formatControlResult(result));
}

/** Formats the new state of the run. */
export function formatControlResult(result: ControlResult): string {
  const { shape, progress } = escapeForTerminal(result);
  const { run, action, state } = shape;
  const { totals, discovery } = progress ?? {};
  const hasCounts = totals !== undefined && discovery !== null;
  const counts = hasCounts ? `: ${formatTotals(totals)}` : '';
  if (state === 'finished')
    return `${run} has nothing left to ${action}${counts}. It ends once its manifest and report are written. See: renderline show ${run}`;
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
  if (action === 'resume' && progress?.cause?.code === canaryWaitCode) {
    return `${run} is no longer paused: ${progress.cause.message}.\nApprove: renderline approve ${run}`;
  }
  if (action === 'resume' && state !== 'paused' && progress !== null) {
    return `${run} continues${counts}. Follow it: renderline show ${run} --wait`;
  }
  return `${run} was asked to ${action}; no worker has responded yet. See: renderline show ${run}`;
}
