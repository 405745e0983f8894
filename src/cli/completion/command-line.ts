// Finds out from commander's commands which words may follow on a command line. Pure.
import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings';

/** What is expected at the end of the command line. */
export type CompletionTarget =
  | { kind: 'word'; command: CommandUnknownOpts; index: number; before: readonly string[] }
  | { kind: 'value'; command: CommandUnknownOpts; option: Option; before: readonly string[] };

export interface Candidate {
  value: string;
  description: string;
}

/**
 * Reads the words before the word that is being typed.
 * @returns in `before` the arguments of the command so far
 */
export function findCompletionTarget(
  program: CommandUnknownOpts,
  words: readonly string[],
): CompletionTarget {
  let command = program;
  let before: string[] = [];
  let openOption: Option | null = null;
  for (const word of words) {
    if (openOption !== null) {
      openOption = null;
      continue;
    }
    if (word.startsWith('-')) {
      const option = findOption(command, word);
      if (option !== undefined && !option.isBoolean()) openOption = option;
      continue;
    }
    const subcommand =
      before.length === 0 ? command.commands.find((one) => one.name() === word) : null;
    if (subcommand) {
      command = subcommand;
      before = [];
    } else before.push(word);
  }
  if (openOption !== null) return { kind: 'value', command, option: openOption, before };
  return { kind: 'word', command, index: before.length, before };
}

function findOption(command: CommandUnknownOpts, word: string): Option | undefined {
  const own = command.options.find(({ short, long }) => short === word || long === word);
  return own ?? (command.parent ? findOption(command.parent, word) : undefined);
}

/** Options of the command and its parents. */
export function optionCandidates(command: CommandUnknownOpts): Candidate[] {
  const own = command.options.flatMap(({ long, description, hidden }) =>
    long === undefined || long === null || hidden ? [] : [{ value: long, description }],
  );
  const above = command.parent ? optionCandidates(command.parent) : [];
  const known = new Set(own.map(({ value }) => value));
  return [...own, ...above.filter(({ value }) => !known.has(value) && value !== '--version')];
}

export function commandCandidates(command: CommandUnknownOpts): Candidate[] {
  return command.commands.map((one) => ({ value: one.name(), description: one.description() }));
}

/** Candidates that begin with the typed text, which may be quoted. */
export function filterByPrefix(candidates: readonly Candidate[], typed: string): Candidate[] {
  const prefix = typed.replace(/^['"]/, '').replaceAll('\\', '');
  return candidates.filter(({ value }) => value.startsWith(prefix));
}
