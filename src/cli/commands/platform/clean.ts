// `renderline clean`: deletes unused resources that runs of a pipeline created on the platform.
import type { Command } from '@commander-js/extra-typings';
import { cleanPipeline } from '../../../app/clean/clean.ts';
import { type CleanShape, previewClean } from '../../../app/clean/preview-clean.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { formatDeletion, formatPreview, formatQuestion } from '../../clean/format.ts';
import type { Paint } from '../../color.ts';
import { reword, sharedArguments, sharedOptions } from '../../options.ts';
import { createDurationParser, parsePairs } from '../../params.ts';
import { confirm } from '../../prompt.ts';
import type { Session } from '../../session.ts';

export function declareClean(command: Command, session: Session): void {
  command
    .argument(...sharedArguments.file)
    .option(...sharedOptions.param)
    .option(
      '--older-than <duration>',
      'keep resources that are newer than this (default: 1d)',
      createDurationParser('--older-than', '7d'),
    )
    .option(
      '--removed-colorways',
      'also delete resources of colorways that the file or its table no longer contains',
    )
    .option(...reword(sharedOptions.dryRun, 'only show what would be deleted'))
    .option(...sharedOptions.yes)
    .option(...sharedOptions.reason)
    .action(
      session.action(async (file, { param, olderThan, yes = false, reason, ...flags }) => {
        const { output } = session;
        const parameters = parsePairs('--param', param);
        const options = { ...flags, parameters, olderThanMs: olderThan };
        const preview = await previewClean(session, file, options);
        const text = (paint: Paint) => formatPreview(preview.shape, session.now(), paint);
        if (flags.dryRun || preview.isEmpty) {
          output.result(preview.shape, () => text(output.paint));
          return exitCode.done;
        }
        output.questionContext(text(output.paintNote), yes);
        await confirm(session, formatQuestion(preview), yes);
        const shape = await cleanPipeline(session, preview, {
          reason,
          isPreviewOld: !yes,
          onDeleting: () => session.io.interrupts.handleFirst(),
        });
        return printDeletion(session, shape);
      }),
    );
}

/** Prints the result of a deletion and returns the exit code. */
export function printDeletion({ output }: Pick<Session, 'output'>, shape: CleanShape): number {
  output.result(shape, () => formatDeletion(shape));
  return shape.refused.length > 0 ? exitCode.partial : exitCode.done;
}
