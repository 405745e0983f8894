// `renderline graph`: draws the nodes of a pipeline.
import { type Command, Option } from '@commander-js/extra-typings';
import { checkFile, refuseInvalid } from '../../app/compile-pipeline.ts';
import { drawDot, drawGraph, drawMermaid } from '../../compile/graph/graph.ts';
import { exitCode } from '../../failures/exit-code.ts';
import type { Session } from '../session.ts';

const formats = ['terminal', 'mermaid', 'dot'] as const;

export function declareGraph(command: Command, session: Session): void {
  command
    .argument('<file>', 'pipeline file')
    .addOption(
      new Option('--format <format>', 'output format').choices(formats).default('terminal'),
    )
    .action(
      session.action(async (file, { format }) => {
        // The graph does not depend on parameters.
        const checked = await checkFile(session, file, null);
        refuseInvalid(session, checked);
        const draw = { terminal: drawGraph, mermaid: drawMermaid, dot: drawDot };
        const graph = draw[format](checked.graph);
        const shape = { schema: 'renderline/graph/v1', file, format, nodes: checked.graph, graph };
        session.output.result(shape, () => graph.trimEnd());
        return exitCode.done;
      }),
    );
}
