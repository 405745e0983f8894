// `renderline run`: starts a run of a pipeline and, with `--wait`, follows it to its end.
import { resolve } from 'node:path';
import { type Command, Option } from '@commander-js/extra-typings';
import { compilePipeline } from '../../app/compile-pipeline.ts';
import { RenderlineError } from '../../app/renderline-error.ts';
import { chooseRunTarget } from '../../app/run-target.ts';
import { formatChosenPreview, previewChosen } from '../../app/runs/chosen-preview.ts';
import { launchRun } from '../../app/runs/launch-run.ts';
import {
  mergeLimits,
  readSelection,
  type SelectionFlags,
  selectionOptions,
} from '../../app/runs/selection.ts';
import { isOnOtherHost, refuseExcess, resultIfNothingToDo } from '../../app/runs/start-checks.ts';
import { withTemporal } from '../../app/temporal-client.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import { type Plan, priorities } from '../../plan/types.ts';
import { confirm } from '../confirm.ts';
import { collectOption, durationParser, hostParser, parsePairs, reasonOption } from '../params.ts';
import type { Session } from '../session.ts';
import { escapeForTerminal } from '../terminal-text.ts';

export function declareRun(command: Command, session: Session): void {
  command
    .argument('<file>', 'pipeline file')
    .option('--param <name=value>', 'parameter of the pipeline (repeatable)', collectOption)
    .option('--wait', 'follow the run; the exit code is then the run’s')
    .option(
      '--take-over <duration>',
      'take over assets that runs of another Temporal server have held longer than this',
      durationParser('--take-over'),
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
  const selection = readSelection(flags);
  refuseForceWithVerify(flags);
  const compiled = await compilePipeline(session, file, parsePairs('--param', flags.param));
  const limits = mergeLimits(compiled.limits, flags);
  const plan: Plan = { ...compiled.plan, ...withoutUndefined({ host, priority }) };
  const { pipeline } = plan;
  const { output } = session;
  const isRemote = isOnOtherHost(plan);
  if (isRemote && dryRun) throw otherHostError(plan);
  const emptyResult = isRemote || withdrawAll ? null : await resultIfNothingToDo(plan);
  if (emptyResult !== null) {
    output.result(emptyResult, () => `Nothing to do: no file for ${escapeForTerminal(pipeline)}.`);
    for (const { key, message } of emptyResult.warnings) output.note(`warning ${key}: ${message}`);
    return exitCode.done;
  }
  // A run of selected or limited assets is shown and confirmed before it spends anything.
  const isChosen = selection !== null || flags.limit !== undefined;
  const previewOptions = { selection, limits, verify: verify === true, withdrawAll, dryRun };
  const preview =
    !isRemote && (isChosen || dryRun) ? await previewChosen(session, plan, previewOptions) : null;
  const previewText = preview && formatChosenPreview(selection, preview);
  if (dryRun || preview?.assets === 0) {
    const shape = { schema: 'renderline/run-preview/v1', pipeline, dryRun, selection };
    output.result({ ...shape, limits, preview }, () => `${previewText}\nNothing was started.`);
    return exitCode.done;
  }
  if (isChosen) {
    output.questionContext(
      previewText ?? `The folders of ${pipeline} are on host ${plan.host}, so there is no preview.`,
      yes,
    );
    const what = preview === null ? 'the run' : `a run of ${formatCount(preview.assets, 'asset')}`;
    await confirm(session, `Start ${what}?`, yes);
  } else if (!isRemote) await refuseExcess(session, plan, limits);
  const place = await chooseRunTarget(session);
  const options = {
    limits,
    path: resolve(session.io.cwd, file),
    mayRerender: yes,
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
    launchRun(session, temporal, {
      plan,
      target: place,
      options,
      wait: wait === true,
      result: answer,
    }),
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

function otherHostError({ host, pipeline }: Plan): RenderlineError {
  return new RenderlineError(
    commandFailures.USAGE,
    `The folders of ${pipeline} are on host ${host}, so a dry run is not possible here.`,
    { fix: 'Run the command on that host, or without --host.' },
  );
}
