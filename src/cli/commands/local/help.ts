// `renderline help`: shows the help of the program, a command or a subcommand.
import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings';
import { unknownCommandError } from '../../commander-errors.ts';

export function declareHelp(command: Command): void {
  command
    .argument('[command...]', 'command, optionally followed by a subcommand')
    .action((path) => {
      let target: CommandUnknownOpts = command.parent ?? command;
      for (const name of path) {
        const subcommand = target.commands.find((child) => child.name() === name);
        if (subcommand === undefined) throw unknownCommandError(target, name);
        target = subcommand;
      }
      target.outputHelp();
    });
}
