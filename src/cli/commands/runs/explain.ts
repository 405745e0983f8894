// `renderline explain`: shows why the next run would process or skip an asset, or what a code means. Read-only.
import type { Command } from '@commander-js/extra-typings';
import { explainAsset } from '../../../app/explain/explain-asset.ts';
import { explainCode } from '../../../app/explain/explain-code.ts';
import { formatCode, formatExplanation } from '../../explain/format.ts';
import { sharedOptions } from '../../options.ts';
import { parsePairs } from '../../params.ts';
import type { Session } from '../../session.ts';

export function declareExplain(command: Command, session: Session): void {
  command
    .argument('<subject>', 'key, path or platform id of an asset; or a code, such as RL201')
    .argument('[file]', 'pipeline file of the asset')
    .option(...sharedOptions.param)
    .action(
      session.action(async (subject, file, { param }) => {
        const { output } = session;
        if (file === undefined) {
          const shape = explainCode(subject);
          output.result(shape, () => formatCode(shape, output.paint));
        } else {
          const parameters = parsePairs('--param', param);
          const { shape, explanation } = await explainAsset(session, subject, file, parameters);
          output.result(shape, () => formatExplanation(explanation, output.paint));
        }
      }),
    );
}
