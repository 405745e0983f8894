// `renderline show`: shows one run by asset and step.
import type { Command } from '@commander-js/extra-typings';
import { exitCodeOfRun } from '../../../app/runs/run-report.ts';
import { showRun } from '../../../app/runs/show-run.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { formatShownRun } from '../../runs/format-shown-run.ts';
import { followOptions } from '../../runs/progress.ts';
import type { Session } from '../../session.ts';

const assetsShown = 30;

export function declareShow(command: Command, session: Session): void {
  command
    .argument('<run>', 'run id, as `renderline runs` lists it')
    .option('--wait', 'follow the run to its end; the exit code is then the run’s')
    .option('--all', 'list every asset')
    .action(
      session.action(async (run, { wait = false, all }) => {
        const { output } = session;
        const shown = await showRun(session, run, wait ? { follow: followOptions(session) } : {});
        const max = all === true ? Infinity : assetsShown;
        output.result(shown.shape, () => formatShownRun(shown, max, output.paint));
        const { temporalUi } = shown.shape;
        if (temporalUi !== null && !output.json) output.raw(temporalUi);
        return wait ? exitCodeOfRun(shown) : exitCode.done;
      }),
    );
}
