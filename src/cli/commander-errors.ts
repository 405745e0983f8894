// Rewords the errors of commander, which parses command lines, as usage errors with the thing, the command and the fix.
import type { CommanderError, CommandUnknownOpts } from '@commander-js/extra-typings';
import { findNearestName } from '../api/requests/nearest-name.ts';
import { type RenderlineError, usageError } from '../app/renderline-error.ts';
import { formatCount } from '../plan/helpers/format-count.ts';
import { findCompletionTarget, optionCandidates } from './completion/command-line.ts';

export function toUsageError(
  { code, message }: CommanderError,
  program: CommandUnknownOpts,
  argv: readonly string[],
): RenderlineError {
  const { command, before } = findCompletionTarget(program, argv);
  const fail = (text: string, hint = '') => commandError(command, text, hint);
  // Commander puts the subject of an error in quotes.
  const quoted = /'(.*)'/s.exec(message)?.[1] ?? '';
  const [flag = ''] = /^--?[\w-]*/.exec(quoted) ?? [];
  const args = command.registeredArguments;
  switch (code) {
    case 'commander.help':
      return fail('needs a command.');
    case 'commander.unknownCommand':
      return unknownCommandError(command, quoted);
    case 'commander.unknownOption': {
      const names = optionCandidates(command).map(({ value }) => value);
      return fail(`has no option ${flag}.`, suggest(flag, names));
    }
    case 'commander.excessArguments': {
      if (command.commands.length > 0) return unknownCommandError(command, before[0] ?? '');
      const max =
        args.length === 0 ? 'no arguments' : `at most ${formatCount(args.length, 'argument')}`;
      const words = before.map((word) => JSON.stringify(word)).join(', ');
      return fail(
        `takes ${max}; received: ${words}.`,
        'Quote a value that contains spaces or `*`. ',
      );
    }
    case 'commander.missingArgument': {
      const match = args.find((argument) => argument.name() === quoted);
      return fail(`needs <${quoted}>: ${match?.description ?? ''}.`);
    }
    case 'commander.optionMissingArgument':
      return fail(`${flag} needs a value.`, `Write it as ${quoted}. `);
    case 'commander.missingMandatoryOptionValue':
      return fail(`needs ${quoted}.`);
    case 'commander.conflictingOption': {
      const options = quoted.replace(/' cannot .* '/, ' and ');
      return fail(`${options} cannot be combined.`, 'Use only one of the two. ');
    }
    default: {
      const { value = '', name = '' } =
        /option '(?<name>--[\w-]+).*?' argument '(?<value>.*)' is invalid/s.exec(message)?.groups ??
        /value '(?<value>.*)' is invalid for argument '(?<name>.*)'/s.exec(message)?.groups ??
        {};
      const [, choices = ''] = /Allowed choices are (.*)\.$/.exec(message) ?? [];
      const problem = `${name} ${JSON.stringify(value)} is not one of: ${choices}.`;
      return fail(problem, suggest(value, choices.split(', ')));
    }
  }
}

/**
 * Refuses empty values: they usually come from unset shell variables, and an empty path would be the current folder.
 * @throws RenderlineError USAGE
 */
export function assertNoEmptyValues(command: CommandUnknownOpts): void {
  const hint = 'Is a shell variable unset? ';
  const index = command.args.indexOf('');
  const argument = command.registeredArguments[index] ?? command.registeredArguments.at(-1);
  if (index >= 0) throw commandError(command, `<${argument?.name()}> is empty.`, hint);
  for (const [name, value] of Object.entries<unknown>(command.optsWithGlobals())) {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if ([value].flat().includes('')) throw commandError(command, `${flag} is empty.`, hint);
  }
}

/** @param word the word in place of a command of the program or a subcommand of the group */
export function unknownCommandError(command: CommandUnknownOpts, word: string): RenderlineError {
  const names = command.commands.map((child) => child.name());
  const kind = command.parent ? 'subcommand' : 'command';
  const hint = command.parent && names.length > 0 ? ` Available: ${names.join(', ')}.` : '';
  const problem = `has no ${kind} ${JSON.stringify(word)}.${hint}`;
  return commandError(command, problem, suggest(word, names));
}

function suggest(word: string, names: readonly string[]): string {
  const match = findNearestName(word, names);
  return match === null ? '' : `Did you mean ${match}? `;
}

/** @param text follows the name of the command @param hint the fix, shown before the command that prints the help */
function commandError(command: CommandUnknownOpts, text: string, hint: string): RenderlineError {
  const path = pathOf(command);
  return usageError(`${path} ${text}`, `${hint}See: ${path} --help`);
}

function pathOf(command: CommandUnknownOpts): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
