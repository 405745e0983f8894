// `renderline run`: starts a run of a pipeline and, with `--wait`, follows it to its end.
import { resolve } from 'node:path';
import { type Command, Option } from '@commander-js/extra-typings';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { count } from '../../plan/count.ts';
import { type Plan, priorities } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { compilePipeline } from '../compiled-file.ts';
import { confirm } from '../confirm.ts';
import { CliError } from '../exit.ts';
import { duration, gather, hostOption, parsePairs, reasonOption } from '../params.ts';
import { runPlace } from '../run-place.ts';
import { chosenText, lookAtChosen } from '../runs/chosen-preview.ts';
import { launchRun } from '../runs/launch-run.ts';
import { isElsewhere, nothingToDo, refuseExcess } from '../runs/local-run.ts';
import { spelledOut } from '../screen-text.ts';
import { limitsWith, type SelectionFlags, selectionOf, selectionOptions } from '../selection.ts';
import type { Session } from '../session.ts';
import { withTemporal } from '../temporal-session.ts';

export function declareRun(command: Command, session: Session): void {
  command
    .argument('<file>', 'pipeline file')
    .option('--param <name=value>', 'parameter of the pipeline (repeatable)', gather)
    .option('--wait', 'follow the run; the exit code is then the run’s')
    .option(
      '--take-over <duration>',
      'take over assets that runs of another Temporal server have held longer than this',
      duration('--take-over'),
    )
    .option(
      '--host <name>',
      'run on the workers of this host, which has the local folders',
      hostOption('--host'),
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
    .option('--yes', 'do not ask for confirmation, also not to render lost pictures again')
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
  const {
    wait,
    takeOver,
    verify,
    withdrawAll,
    host,
    priority,
    dryRun = false,
    yes = false,
  } = flags;
  const selection = selectionOf(flags);
  refuseBoth(flags);
  const compiled = await compilePipeline(session, file, parsePairs('--param', flags.param));
  const limits = limitsWith(compiled.limits, flags);
  const plan: Plan = { ...compiled.plan, ...withoutUndefined({ host, priority }) };
  const { pipeline } = plan;
  const { output } = session;
  const isAway = isElsewhere(plan);
  if (isAway && dryRun) throw notHere(plan);
  const nothing = isAway || withdrawAll ? null : await nothingToDo(plan);
  if (nothing !== null) {
    output.answer(nothing, () => `Nothing to do: no file for ${spelledOut(pipeline)}.`);
    for (const { key, message } of nothing.warnings) output.note(`warning ${key}: ${message}`);
    return exitCode.done;
  }
  // A run of selected or limited assets is shown and confirmed before it spends anything.
  const isChosen = selection !== null || flags.limit !== undefined;
  const wanted = { selection, limits, verify: verify === true, withdrawAll, dryRun };
  const preview =
    !isAway && (isChosen || dryRun) ? await lookAtChosen(session, plan, wanted) : null;
  const told = preview && chosenText(selection, preview);
  if (dryRun || preview?.assets === 0) {
    const shape = { schema: 'renderline/run-preview/v1', pipeline, dryRun, selection };
    output.answer({ ...shape, limits, preview }, () => `${told}\nNothing was started.`);
    return exitCode.done;
  }
  if (isChosen) {
    output.subject(
      told ?? `The folders of ${pipeline} are on host ${plan.host}, so there is no preview.`,
      yes,
    );
    const what = preview === null ? 'the run' : `a run of ${count(preview.assets, 'asset')}`;
    await confirm(session, `Start ${what}?`, yes);
  } else if (!isAway) await refuseExcess(session, plan, limits);
  const place = await runPlace(session);
  const options = {
    limits,
    path: resolve(session.io.cwd, file),
    rendersAgain: yes,
    ...withoutUndefined({
      takeOverMs: takeOver,
      verify,
      withdrawAll,
      reason: flags.reason,
      selection: selection ?? undefined,
    }),
  };
  const chosen = isChosen ? { selection, preview } : {};
  const answer = { schema: 'renderline/started/v1', ...chosen };
  return withTemporal(session, (temporal) =>
    launchRun(session, temporal, { plan, place, options, wait: wait === true, answer }),
  );
}

function refuseBoth({ force, verify }: RunFlags): void {
  if (!force || !verify) return;
  throw new CliError(
    commandFailures.USAGE,
    '--force processes all assets again, so --verify has nothing to compare.',
    {
      fix: 'Use only one of the two options.',
    },
  );
}

function notHere({ host, pipeline }: Plan): CliError {
  return new CliError(
    commandFailures.USAGE,
    `The folders of ${pipeline} are on host ${host}, so a dry run is not possible here.`,
    { fix: 'Run the command on that host, or without --host.' },
  );
}
