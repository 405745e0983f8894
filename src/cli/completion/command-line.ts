// Determines from commander's commands which words may come next on a command line. Pure.
import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import type { Candidate } from '../../app/completion/name-candidates.ts';

/** The kind of word that is expected at the end of the command line. */
export type CompletionTarget = (
  | { kind: 'word'; index: number }
  | { kind: 'value'; option: Option }
) & {
  command: CommandUnknownOpts;
  /** Arguments of the command that precede the word. */
  before: readonly string[];
  /** Values, by attribute name, of the program's options that precede the word. */
  flags: Readonly<Record<string, string>>;
};

/** Reads the words before the word that is being typed. */
export function findCompletionTarget(
  program: CommandUnknownOpts,
  words: readonly string[],
): CompletionTarget {
  let command = program;
  let before: string[] = [];
  let openOption: Option | null = null;
  const flags: Record<string, string> = {};
  for (const word of words) {
    if (openOption !== null) {
      if (program.options.includes(openOption)) flags[openOption.attributeName()] = word;
      openOption = null;
      continue;
    }
    if (word.startsWith('-')) {
      const option = findOption(command, word);
      if (option !== undefined && !option.isBoolean()) openOption = option;
      continue;
    }
    // `help` itself is skipped, because the words of a command follow it.
    if (word === 'help' && command === program && before.length === 0) continue;
    const subcommand =
      before.length === 0 ? command.commands.find((child) => child.name() === word) : null;
    if (subcommand) {
      command = subcommand;
      before = [];
    } else before.push(word);
  }
  const line = { command, before, flags };
  if (openOption !== null) return { kind: 'value', option: openOption, ...line };
  return { kind: 'word', index: before.length, ...line };
}

function findOption(command: CommandUnknownOpts, word: string): Option | undefined {
  const option = command.options.find(({ short, long }) => short === word || long === word);
  return option ?? (command.parent ? findOption(command.parent, word) : undefined);
}

/** Lists the options of the command and its parents. */
export function optionCandidates(command: CommandUnknownOpts): Candidate[] {
  const options = command.options.flatMap(({ long, description, hidden }) =>
    long === undefined || long === null || hidden ? [] : [{ value: long, description }],
  );
  const outer = command.parent ? optionCandidates(command.parent) : [];
  const names = new Set(options.map(({ value }) => value));
  return [...options, ...outer.filter(({ value }) => !names.has(value) && value !== '--version')];
}

export function listCandidates(command: CommandUnknownOpts): Candidate[] {
  return command.commands.map((item) => ({ value: item.name(), description: item.description() }));
}

/** Returns the candidates that start with the typed text, which may be quoted. */
export function filterByPrefix(candidates: readonly Candidate[], typed: string): Candidate[] {
  const prefix = typed.replace(/^['"]/, '').replaceAll('\\', '');
  return candidates.filter(({ value }) => value.startsWith(prefix));
}
