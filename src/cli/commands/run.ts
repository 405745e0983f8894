// `renderline run`: starts a pipeline's run and, when asked, follows it to its end.
import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { exitCode } from '../../failures/exit-code.ts';
import { compilePipeline } from '../compiled-file.ts';
import { duration, gather, parsePairs } from '../params.ts';
import { placed, runPlace } from '../run-place.ts';
import { nothingToDo, refuseExcess, remarkOnWorkers } from '../runs/local-run.ts';
import { endOfRun } from '../runs/run-report.ts';
import { summarizeRun } from '../runs/run-summary.ts';
import { waitForRun } from '../runs/wait-for-run.ts';
import type { Session } from '../session.ts';
import { runPage, withTemporal } from '../temporal-session.ts';

export function addRun(program: Command, session: Session): void {
  program
    .command('run')
    .description('start a run; with --wait follow it to its end')
    .argument('<file>', 'pipeline file')
    .option('--param <name=value>', 'parameter of the pipeline (repeatable)', gather)
    .option('--wait', 'follow the run; the exit code is then the run’s')
    .option(
      '--take-over <duration>',
      'take over assets that runs of another Temporal server have held for so long',
      duration('--take-over'),
    )
    .option('--verify', 'compare what looks unchanged by content, also what was delivered')
    .action(
      session.action(async (file, { param, wait, takeOver, verify }) => {
        const { plan, limits } = await compilePipeline(session, file, parsePairs('--param', param));
        const { output } = session;
        const nothing = await nothingToDo(plan);
        if (nothing !== null) {
          output.answer(nothing, () => `Nothing to do: no file for ${plan.pipeline}.`);
          return exitCode.done;
        }
        await refuseExcess(session, plan, limits);
        const place = await runPlace(session);
        const { taskQueue } = place;
        return withTemporal(session, async (temporal) => {
          const { startRun } = await import('../runs/start-run.ts');
          const run = await startRun(temporal, placed(plan, place), taskQueue, session.io.now(), {
            limits,
            path: resolve(session.io.cwd, file),
            ...(takeOver === undefined ? {} : { takeOverMs: takeOver }),
            ...(verify ? { verify } : {}),
          });
          // From here on Ctrl-C leaves the run going and says how to come back.
          const leave = session.io.interrupts.take();
          const temporalUi = await runPage(session, temporal.namespace, run);
          const workers = await remarkOnWorkers(session, temporal, taskQueue);
          if (wait !== true) {
            const shape = { schema: 'renderline/started/v1', run, pipeline: plan.pipeline };
            output.answer({ ...shape, taskQueue, workers, temporalUi }, () =>
              startedLines(run, temporalUi),
            );
            return exitCode.done;
          }
          output.note(temporalUi === null ? `Run ${run}` : `Run ${run}: ${temporalUi}`);
          const report = await waitForRun(session, temporal.client, run, leave);
          output.answer(report.shape, () => summarizeRun(report.shape, output.paint));
          if (report.remark !== null) output.note(report.remark);
          return endOfRun(report);
        });
      }),
    );
}

function startedLines(run: string, temporalUi: string | null): string {
  return [
    run,
    `  follow it:  renderline show ${run} --wait`,
    `  cancel it:  renderline cancel ${run}`,
    ...(temporalUi === null ? [] : [`  its page:   ${temporalUi}`]),
  ].join('\n');
}
