// `renderline rerun`: runs the undelivered assets of a run again, each from the step where it stopped.
import { type Command, Option } from '@commander-js/extra-typings';
import { previewRerun, type RerunOptions, startRerun } from '../../../app/rerun/rerun.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { formatCount } from '../../../plan/helpers/format-count.ts';
import { confirm } from '../../confirm.ts';
import { collectOption, parsePairs, reasonOption } from '../../params.ts';
import { formatNothingToRerun, formatPreview } from '../../rerun/format.ts';
import { launchOptions, printStartedRun } from '../../runs/start.ts';
import type { Session } from '../../session.ts';

interface RerunFlags {
  failed?: true | undefined;
  where?: string | undefined;
  with?: RerunOptions['with'];
  param?: string[] | undefined;
  yes?: true | undefined;
  dryRun?: true | undefined;
  wait?: true | undefined;
  reason?: string | undefined;
}

export function declareRerun(command: Command, session: Session): void {
  command
    .argument('<run>', 'run id, as `renderline runs` lists it')
    .argument('[file]', 'pipeline file for --with latest (default: the file of the run)')
    .option('--failed', 'only failed assets, not cancelled or unstarted ones')
    .option('--where <cel>', 'only matching assets, such as \'code == "RENDER_FAILED"\'')
    .addOption(
      new Option(
        '--with <plan>',
        'plan of the earlier run (pinned) or current file (latest); required if they differ',
      ).choices(['pinned', 'latest'] as const),
    )
    .option('--param <name=value>', 'override a parameter of the run (repeatable)', collectOption)
    .option('--dry-run', 'only show what it would do')
    .option('--yes', 'do not ask for confirmation')
    .option('--wait', 'follow the run; the exit code is then the run’s')
    .option(...reasonOption)
    .action(session.action((run, file, flags) => rerun(session, run, file, flags)));
}

async function rerun(
  session: Session,
  run: string,
  file: string | undefined,
  flags: RerunFlags,
): Promise<number> {
  const { param, failed, where, dryRun, yes = false, wait = false, reason } = flags;
  const { output } = session;
  const parameters = parsePairs('--param', param);
  const options = { file, parameters, with: flags.with, failed, where };
  const preview = await previewRerun(session, run, options);
  const { again, preview: work } = preview.shape;
  if (work === null || preview.isEmpty) {
    output.result(preview.shape, () => formatNothingToRerun(preview.shape));
    return exitCode.done;
  }
  if (dryRun) {
    const text = formatPreview(again, work, output.paint);
    output.result(preview.shape, () => `${text}\nNothing was started.`);
    return exitCode.done;
  }
  output.questionContext(formatPreview(again, work, output.paintNote), yes);
  // A rerun without assets is refused, so nobody is asked.
  if (work.assets > 0) await confirm(session, `Rerun ${formatCount(work.assets, 'asset')}?`, yes);
  const launch = launchOptions(session, wait);
  return printStartedRun(session, await startRerun(session, preview, { reason, ...launch }));
}
