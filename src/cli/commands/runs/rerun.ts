// `renderline rerun`: reruns the undelivered assets of a run, each from the step where it stopped.

import { type Command, Option } from '@commander-js/extra-typings';
import { usageError } from '../../../app/renderline-error.ts';
import { formatNothingToRerun } from '../../../app/rerun/format-rerun-work.ts';
import { previewRerun, type RerunOptions, startRerun } from '../../../app/rerun/rerun.ts';
import { previewRecentRerun, startRecentRerun } from '../../../app/rerun/rerun-recent.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { formatCount } from '../../../plan/helpers/format-count.ts';
import { rerunSinceCommand } from '../../../plan/run/rerun-command.ts';
import { reword, sharedArguments, sharedOptions } from '../../options.ts';
import { parsePairs } from '../../params.ts';
import { confirm } from '../../prompt.ts';
import { formatPreview } from '../../rerun/format.ts';
import { formatRecentRerun, formatStartedReruns } from '../../rerun/format-recent.ts';
import { readRunOrSince } from '../../runs/since-options.ts';
import { launchOptions, printStartedRun } from '../../runs/start.ts';
import type { Session } from '../../session.ts';

interface RerunFlags extends Pick<RerunOptions, 'failed' | 'where' | 'with'> {
  pipeline?: string | undefined;
  param?: string[] | undefined;
  yes?: true | undefined;
  dryRun?: true | undefined;
  wait?: true | undefined;
  reason?: string | undefined;
}

export function declareRerun(command: Command, session: Session): void {
  command
    .argument(...sharedArguments.optionalRun)
    .argument('[file]', 'pipeline file for --with latest (default: the file of the run)')
    .option(...reword(sharedOptions.since, (text) => `with --failed: ${text}`))
    .option(...sharedOptions.sincePipeline)
    .option('--failed', 'only failed assets, not cancelled or unstarted ones')
    .option(
      ...reword(sharedOptions.where, 'only matching assets, such as \'code == "RENDER_FAILED"\''),
    )
    .addOption(
      new Option(
        '--with <plan>',
        'plan of the earlier run (pinned) or current file (latest); required if they differ',
      ).choices(['pinned', 'latest'] as const),
    )
    .option(
      ...reword(
        sharedOptions.param,
        'with --with latest: override a parameter of the run (repeatable)',
      ),
    )
    .option(...sharedOptions.dryRun)
    .option(...sharedOptions.yes)
    .option(...sharedOptions.wait)
    .option(...sharedOptions.reason)
    .action(
      session.action((runId, file, flags) => {
        const otherFlags = { '--pipeline': flags.pipeline };
        const example = '--since 7d --failed';
        const { run, since } = readRunOrSince('rerun', runId, flags.since, otherFlags, example);
        if (run !== null) return rerun(session, run, file, flags);
        return rerunRecent(session, since, flags);
      }),
    );
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
  const { shape } = preview;
  const { preview: work } = shape;
  if (work === null || preview.isEmpty) {
    output.result(shape, () => formatNothingToRerun(shape));
    return exitCode.done;
  }
  if (dryRun) {
    const text = formatPreview(shape, work, output.paint);
    output.result(shape, () => `${text}\nNothing was started.`);
    return exitCode.done;
  }
  output.questionContext(formatPreview(shape, work, output.paintNote), yes);
  // A rerun without assets is not confirmed, because its start fails anyway.
  if (work.assets > 0) await confirm(session, `Rerun ${formatCount(work.assets, 'asset')}?`, yes);
  const launch = launchOptions(session, wait);
  return printStartedRun(session, await startRerun(session, preview, { reason, ...launch }));
}

/** Reruns the failed assets of many runs after one preview. Each rerun is a separate run. */
async function rerunRecent(session: Session, since: string, flags: RerunFlags): Promise<number> {
  const { output } = session;
  const { pipeline, where, failed, dryRun, yes = false, reason } = flags;
  assertNoRunFlags(flags);
  if (!failed)
    throw usageError('--since requires --failed.', rerunSinceCommand(since, { pipeline, where }));
  const preview = await previewRecentRerun(session, { since, pipeline, where, with: flags.with });
  const { shape } = preview;
  const code = shape.refused.length > 0 ? exitCode.partial : exitCode.done;
  if (dryRun || shape.ready.length === 0) {
    const text = formatRecentRerun(shape, output.paint);
    output.result(shape, () => `${text}\nNothing was started.`);
    return code;
  }
  output.questionContext(formatRecentRerun(shape, output.paintNote), yes);
  const runs = formatCount(shape.ready.length, 'run');
  await confirm(session, `Rerun ${formatCount(shape.assets, 'asset')} in ${runs}?`, yes);
  const result = await startRecentRerun(session, preview, { reason });
  output.result(result, () => formatStartedReruns(result, output.paint));
  return result.refused.length > 0 ? exitCode.partial : exitCode.done;
}

/** @throws RenderlineError USAGE for options that apply only to a single run */
function assertNoRunFlags({ wait, param }: RerunFlags): void {
  if (!wait && param === undefined) return;
  throw usageError(
    `${wait ? '--wait' : '--param'} cannot be combined with --since.`,
    'Rerun one run: renderline rerun RUN. Follow many: renderline runs',
  );
}
