// What `run` and `rerun` do after a person has confirmed: start the run, follow it with --wait and print the result.
import type { LaunchedRun, LaunchOptions } from '../../app/runs/launch-run.ts';
import { exitCodeOfRun, type RunDetails } from '../../app/runs/run-details.ts';
import { formatResumeHint } from '../../app/runs/server-outage.ts';
import { formatStartHint } from '../../app/runs/start-run.ts';
import { exitCode } from '../../failures/exit-code.ts';
import type { Session } from '../session.ts';
import { escapeForTerminal } from '../terminal-text.ts';
import { followOptions } from './progress.ts';
import { summarizeRun } from './run-summary.ts';

/** Options for starting a run. Once the run has started, Ctrl-C leaves it running and prints how to follow it again. */
export function launchOptions(session: Session, wait: boolean): LaunchOptions {
  return {
    follow: wait ? followOptions(session) : undefined,
    onStarting: (run) => {
      const hint = formatStartHint(run);
      session.resumeHint = hint;
      session.io.interrupts.handleFirst().addEventListener('abort', () => {
        if (session.resumeHint === hint)
          session.output.note(
            'Waiting until Temporal confirms the start. Ctrl-C again ends the command at once.',
          );
      });
    },
    onStarted: (run) => {
      session.resumeHint = formatResumeHint(run);
    },
  };
}

/** Prints a run that was started, or the result of a run that was followed. Returns the exit code. */
export async function printStartedRun<Shape extends LaunchedRun & { schema: string }>(
  { output, now }: Session,
  { shape, report }: { shape: Shape; report: RunDetails | null },
): Promise<number> {
  if (report === null) {
    output.result(shape, () => formatStartedRun(escapeForTerminal(shape)));
    return exitCode.done;
  }
  await output.lazyResult(report.shape, () => summarizeRun(report.shape, now(), output.paint));
  if (report.remark !== null) output.note(escapeForTerminal(report.remark));
  return exitCodeOfRun(report);
}

function formatStartedRun({ run, temporalUi }: LaunchedRun): string {
  return [
    run,
    `  follow it:  renderline show ${run} --wait`,
    `  cancel it:  renderline cancel ${run}`,
    ...(temporalUi === null ? [] : [`  its page:   ${temporalUi}`]),
  ].join('\n');
}
