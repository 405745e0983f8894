// `renderline completion`: prints the script that lets a shell complete Renderline commands.
import { Argument, type Command } from '@commander-js/extra-typings';
import { completionScripts, type Shell, shells } from '../../completion/scripts.ts';
import type { Session } from '../../session.ts';

export function declareCompletion(command: Command, session: Session): void {
  command.addArgument(new Argument('<shell>', 'the shell').choices(shells)).action(
    session.action(async (shell: Shell) => {
      const script = completionScripts[shell];
      session.output.result({ schema: 'renderline/completion/v1', shell, script }, () =>
        script.trimEnd(),
      );
    }),
  );
}
