// `renderline plan`: previews work, cost and assets of the next run. Read-only.
import type { Command } from '@commander-js/extra-typings';
import { type PlanShape, planPipeline } from '../../../app/plan/plan-pipeline.ts';
import { formatPlanRemarks } from '../../../app/plan/plan-remarks.ts';
import { causeExitCodes } from '../../../app/runs/run-details.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { quoteForShell } from '../../../plan/helpers/quote-for-shell.ts';
import { limitExample, sharedArguments, sharedOptions } from '../../options.ts';
import { parsePairs } from '../../params.ts';
import { formatPlan } from '../../plan/format.ts';
import { formatChosenPreview } from '../../plan/format-chosen-preview.ts';
import type { Session } from '../../session.ts';

export function declarePlan(command: Command, session: Session): void {
  command
    .argument(...sharedArguments.file)
    .option(...sharedOptions.param)
    .option(...sharedOptions.verify)
    .option(...sharedOptions.only)
    .option(...sharedOptions.where)
    .option(...sharedOptions.force)
    .option(...sharedOptions.limit)
    .option(...sharedOptions.withdrawAll)
    .action(
      session.action(async (file, { param, limit, verify, withdrawAll, ...selection }) => {
        const { output } = session;
        const result = await planPipeline(session, file, {
          parameters: parsePairs('--param', param),
          selection,
          limits: limit && parsePairs('--limit', limit, limitExample),
          verify,
          withdrawAll,
        });
        const { shape, chosenPreview } = result;
        if (chosenPreview) output.note(formatChosenPreview(shape.selection ?? null, chosenPreview));
        output.result(shape, () =>
          formatPlan(result, formatDoctorCommand(file, param), output.paint),
        );
        for (const remark of formatPlanRemarks(result)) output.note(remark);
        return exitCodeOf(shape);
      }),
    );
}

function formatDoctorCommand(file: string, parameters: readonly string[] = []): string {
  const words = [file, ...parameters.flatMap((pair) => ['--param', pair])];
  return `renderline doctor ${words.map(quoteForShell).join(' ')}`;
}

/** Returns the exit code of the command. A plan succeeds only if a run could do what the plan says. */
function exitCodeOf({ excess, names }: PlanShape): number {
  if (excess.length > 0) return exitCode.usage;
  const [stop] = names ?? [];
  return stop ? causeExitCodes[stop.kind] : exitCode.done;
}
