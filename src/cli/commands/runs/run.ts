// `renderline run`: starts a run of a pipeline and, with `--wait`, follows it to its end.

import { type Command, Option } from '@commander-js/extra-typings';
import { formatWarning } from '../../../app/plan/plan-remarks.ts';
import { describeSource } from '../../../app/plan/preview-assets.ts';
import { usageError } from '../../../app/renderline-error.ts';
import { isNothingDue, previewStart, startPreviewed } from '../../../app/runs/start-pipeline.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { formatCount } from '../../../plan/helpers/format-count.ts';
import { priorities } from '../../../plan/types.ts';
import { limitExample, sharedArguments, sharedOptions } from '../../options.ts';
import { createDurationParser, parsePairs } from '../../params.ts';
import { formatChosenPreview } from '../../plan/format-chosen-preview.ts';
import { confirm } from '../../prompt.ts';
import { launchOptions, printStartedRun } from '../../runs/start.ts';
import type { Session } from '../../session.ts';
import { escapeForTerminal } from '../../terminal-text.ts';

export function declareRun(command: Command, session: Session): void {
  command
    .argument(...sharedArguments.file)
    .option(...sharedOptions.param)
    .option(...sharedOptions.wait)
    .option(
      '--take-over <duration>',
      'take over assets that runs on another Temporal server have held for longer than this',
      createDurationParser('--take-over', '1h'),
    )
    .option(...sharedOptions.workersOfHost)
    .addOption(
      new Option('--priority <name>', 'priority among the runs of a task queue').choices(
        priorities,
      ),
    )
    .option(...sharedOptions.verify)
    .option(...sharedOptions.only)
    .option(...sharedOptions.where)
    .option(...sharedOptions.force)
    .option(...sharedOptions.limit)
    .option(...sharedOptions.withdrawAll)
    .option(...sharedOptions.dryRun)
    .option(...sharedOptions.yes)
    .option(
      '--rerender-lost',
      'render pictures again that exist neither at the destination nor on the platform',
    )
    .option(...sharedOptions.reason)
    .action(
      session.action(async (file, { only, where, force, ...flags }) => {
        const { param, limit, takeOver: takeOverMs, rerenderLost: mayRerender, ...options } = flags;
        const { dryRun = false, yes = false, wait = false } = options;
        if (force && options.verify) {
          const problem = '--force processes all assets again, so --verify has nothing to compare.';
          throw usageError(problem, 'Use only one of the two options.');
        }
        const preview = await previewStart(session, file, {
          ...options,
          parameters: parsePairs('--param', param),
          selection: { only, where, force },
          limits: limit && parsePairs('--limit', limit, limitExample),
          mayRerender,
          takeOverMs,
        });
        const { output } = session;
        const { plan, chosenPreview, emptyResult, isChosen } = preview;
        if (emptyResult !== null) {
          const source = `${plan.pipeline} in ${describeSource(plan)}`;
          const text = escapeForTerminal(`No files found for ${source}. Nothing was started.`);
          output.result(emptyResult, () => text);
          for (const warning of emptyResult.warnings) output.note(formatWarning(warning));
          return exitCode.done;
        }
        const previewText = chosenPreview && formatChosenPreview(preview.selection, chosenPreview);
        if (dryRun || isNothingDue(preview)) {
          output.result(preview.shape, () => `${previewText}\nNothing was started.`);
          return exitCode.done;
        }
        // A run of selected or limited assets is shown and confirmed before it spends anything.
        if (isChosen) {
          const noPreview = `The folders of ${plan.pipeline} are on host ${plan.host}, so no preview is possible here.`;
          output.questionContext(previewText ?? noPreview, yes);
          const count = chosenPreview?.assets ? formatCount(chosenPreview.assets, 'asset') : null;
          await confirm(session, count ? `Start a run of ${count}?` : 'Start the run?', yes);
        }
        const launch = launchOptions(session, wait);
        return printStartedRun(session, await startPreviewed(session, preview, launch));
      }),
    );
}
