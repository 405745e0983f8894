// `renderline doctor`: checks everything that a run needs and shows how to fix problems.
import type { Command } from '@commander-js/extra-typings';
import { checkSetup } from '../../../app/doctor/check-setup.ts';
import { worstExitOf } from '../../../app/doctor/health-check.ts';
import { formatChecks } from '../../doctor/format.ts';
import { sharedOptions } from '../../options.ts';
import { parsePairs } from '../../params.ts';
import type { Session } from '../../session.ts';

export function declareDoctor(command: Command, session: Session): void {
  command
    .argument(
      '[files...]',
      'pipeline files; their records stores are tested by writing a small file',
    )
    .option('--fix', 'register missing search attributes')
    .option(...sharedOptions.param)
    .action(
      session.action(async (files, { fix, param }) => {
        const parameters = parsePairs('--param', param);
        const result = await checkSetup(session, { files, parameters, register: fix === true });
        session.output.result(result, () => formatChecks(result.checks, session.output.paint));
        return worstExitOf(result.checks);
      }),
    );
}
