// `renderline help`: shows the help of the program, a command or a subcommand.
import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings';
import { unknownCommandError } from '../../usage-errors.ts';

export function declareHelp(command: Command): void {
  command.argument('[command...]', 'a command, and its subcommand').action((path) => {
    let found: CommandUnknownOpts = command.parent ?? command;
    for (const name of path) {
      const below = found.commands.find((one) => one.name() === name);
      if (below === undefined) throw unknownCommandError(found, name);
      found = below;
    }
    found.outputHelp();
  });
}
