// `renderline demo`: runs a whole pipeline on this machine, from sample models to pictures.
import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { type DemoResult, runDemo } from '../../../app/local/run-demo.ts';
import { exitCodeOfRun } from '../../../app/runs/run-details.ts';
import { sharedOptions } from '../../options.ts';
import { followOptions } from '../../runs/progress.ts';
import { summarizeRun } from '../../runs/run-summary.ts';
import type { Session } from '../../session.ts';

export function declareDemo(command: Command, session: Session): void {
  command
    .option('--out <dir>', 'folder for models and pictures', 'renderline-demo')
    .option('--colorways', 'show a grid of colorways instead: pipelines/season.yaml')
    .option('--keep', 'keep everything running until Ctrl-C')
    .option(...sharedOptions.speed, 2)
    .action(
      session.action(async ({ out, keep = false, speed, colorways = false }) => {
        const { io, output } = session;
        const folder = resolve(io.cwd, out);
        const { report } = await runDemo(
          session,
          { folder, colorways, speed, keep },
          {
            stop: io.interrupts.handleFirst(),
            follow: () => followOptions(session),
            async onFinished(result) {
              await output.lazyResult(result.shape, () => formatDemo(result, keep, session));
              if (keep) output.note(formatKeptServices(result.shape));
            },
          },
        );
        return exitCodeOfRun(report);
      }),
    );
}

function formatDemo(result: DemoResult, isKept: boolean, { now, output }: Session): string {
  const { report, shape, pictures } = result;
  return [
    summarizeRun(report.shape, now(), output.paint),
    '',
    `Pictures:       ${pictures}`,
    `Contact sheet:  ${shape.contactSheet.html}`,
    `                ${shape.contactSheet.png}`,
    ...(isKept ? [] : formatTemporalUi(result)),
  ].join('\n');
}

function formatTemporalUi({ shape: { temporalUi }, isTemporalKept }: DemoResult): string[] {
  if (temporalUi === null) return [];
  return [
    isTemporalKept
      ? `Temporal UI:    ${temporalUi}`
      : 'Temporal UI:    stopped with the demo; --keep keeps the server running',
  ];
}

function formatKeptServices({ temporalUi, sandbox }: DemoResult['shape']): string {
  return [
    ...(temporalUi === null ? [] : [`Run in the Temporal UI:   ${temporalUi}`]),
    `Pictures of the sandbox:  ${sandbox}`,
    'Ctrl-C stops everything.',
  ].join('\n');
}
