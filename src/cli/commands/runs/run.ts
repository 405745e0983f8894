// `renderline run`: starts a run of a pipeline and, with `--wait`, follows it to its end.
import { type Command, Option } from '@commander-js/extra-typings';
import { RenderlineError } from '../../../app/renderline-error.ts';
import { previewStart, startPreviewed } from '../../../app/runs/start-pipeline.ts';
import { commandFailures } from '../../../failures/commands.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { formatCount } from '../../../plan/helpers/format-count.ts';
import { type Plan, priorities } from '../../../plan/types.ts';
import { confirm } from '../../confirm.ts';
import {
  collectOption,
  durationParser,
  hostParser,
  parsePairs,
  reasonOption,
} from '../../params.ts';
import { formatChosenPreview } from '../../plan/format-chosen-preview.ts';
import {
  parseLimits,
  type SelectionFlags,
  selectionOptions,
} from '../../runs/selection-options.ts';
import { launchOptions, printStartedRun } from '../../runs/start.ts';
import type { Session } from '../../session.ts';
import { escapeForTerminal } from '../../terminal-text.ts';

export function declareRun(command: Command, session: Session): void {
  command
    .argument('<file>', 'pipeline file')
    .option('--param <name=value>', 'parameter of the pipeline (repeatable)', collectOption)
    .option('--wait', 'follow the run; the exit code is then the run’s')
    .option(
      '--take-over <duration>',
      'take over assets that runs of another Temporal server have held longer than this',
      durationParser('--take-over', '1h'),
    )
    .option(
      '--host <name>',
      'run on the workers of this host, which has the local folders',
      hostParser('--host'),
    )
    .addOption(
      new Option('--priority <name>', 'priority among the runs of a task queue').choices(
        priorities,
      ),
    )
    .option('--verify', 'compare apparently unchanged sources and delivered files by content')
    .option(...selectionOptions.only)
    .option(...selectionOptions.where)
    .option(...selectionOptions.force)
    .option(...selectionOptions.limit)
    .option(...selectionOptions.withdrawAll)
    .option('--dry-run', 'only show what it would do')
    .option(
      '--yes',
      'skip the confirmation; also render pictures again that exist neither at the destination nor on the platform',
    )
    .option(...reasonOption)
    .action(session.action((file, flags) => run(session, file, flags)));
}

interface RunFlags extends SelectionFlags {
  param?: string[] | undefined;
  wait?: true | undefined;
  takeOver?: number | undefined;
  host?: string | undefined;
  priority?: Plan['priority'] | undefined;
  verify?: true | undefined;
  withdrawAll?: true | undefined;
  reason?: string | undefined;
  dryRun?: true | undefined;
  yes?: true | undefined;
}

async function run(session: Session, file: string, flags: RunFlags): Promise<number> {
  const { only, where, force, dryRun = false, yes = false, wait = false } = flags;
  const { verify, withdrawAll, host, priority, takeOver: takeOverMs, reason } = flags;
  refuseForceWithVerify(flags);
  const preview = await previewStart(session, file, {
    parameters: parsePairs('--param', flags.param),
    selection: { only, where, force },
    limits: parseLimits(flags),
    dryRun,
    mayRerender: yes,
    verify,
    withdrawAll,
    host,
    priority,
    takeOverMs,
    reason,
  });
  const { output } = session;
  const { plan, chosen, emptyResult, isChosen } = preview;
  if (emptyResult !== null) {
    const pipeline = escapeForTerminal(plan.pipeline);
    output.result(emptyResult, () => `Nothing to do: no file for ${pipeline}.`);
    for (const { key, message } of emptyResult.warnings) output.note(`warning ${key}: ${message}`);
    return exitCode.done;
  }
  const previewText = chosen && formatChosenPreview(preview.selection, chosen);
  if (dryRun || chosen?.assets === 0) {
    output.result(preview.shape, () => `${previewText}\nNothing was started.`);
    return exitCode.done;
  }
  // A run of selected or limited assets is shown and confirmed before it spends anything.
  if (isChosen) {
    output.questionContext(
      previewText ??
        `The folders of ${plan.pipeline} are on host ${plan.host}, so there is no preview.`,
      yes,
    );
    const what = chosen === null ? 'the run' : `a run of ${formatCount(chosen.assets, 'asset')}`;
    await confirm(session, `Start ${what}?`, yes);
  }
  return printStartedRun(
    session,
    await startPreviewed(session, preview, launchOptions(session, wait)),
  );
}

function refuseForceWithVerify({ force, verify }: RunFlags): void {
  if (!force || !verify) return;
  throw new RenderlineError(
    commandFailures.USAGE,
    '--force processes all assets again, so --verify has nothing to compare.',
    {
      fix: 'Use only one of the two options.',
    },
  );
}
