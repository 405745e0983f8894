// `renderline failures`: shows the failures of a run by cause.
import type { Command } from '@commander-js/extra-typings';
import { listFailures } from '../../../app/failures/list-failures.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { formatFailures } from '../../failures/format.ts';
import type { Session } from '../../session.ts';

export function declareFailures(command: Command, session: Session): void {
  command.argument('<run>', 'run id, as `renderline runs` lists it').action(
    session.action(async (run) => {
      const shape = await listFailures(session, run);
      session.output.result(shape, () => formatFailures(shape, session.output.paint));
      return exitCode.done;
    }),
  );
}
