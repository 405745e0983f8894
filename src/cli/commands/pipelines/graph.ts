// `renderline graph`: draws the nodes of a pipeline.
import { type Command, Option } from '@commander-js/extra-typings';
import { drawPipeline } from '../../../app/validate/draw-pipeline.ts';
import { sharedArguments } from '../../options.ts';
import type { Session } from '../../session.ts';

const formats = ['terminal', 'mermaid', 'dot'] as const;

export function declareGraph(command: Command, session: Session): void {
  command
    .argument(...sharedArguments.file)
    .addOption(
      new Option('--format <format>', 'output format').choices(formats).default('terminal'),
    )
    .action(
      session.action(async (file, { format }) => {
        const shape = await drawPipeline(session, file, format);
        session.output.result(shape, () => shape.graph.trimEnd());
      }),
    );
}
