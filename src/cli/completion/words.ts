// Finds out from commander's commands which words may follow on a command line. Pure.
import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings';

/** What is expected at the end of the command line. */
export type Wanted =
  | { kind: 'word'; command: CommandUnknownOpts; index: number; before: readonly string[] }
  | { kind: 'value'; command: CommandUnknownOpts; option: Option; before: readonly string[] };

export interface Candidate {
  value: string;
  told: string;
}

/**
 * Reads the words before the word that is being typed.
 * @returns in `before` the arguments of the command so far
 */
export function wantedAfter(program: CommandUnknownOpts, words: readonly string[]): Wanted {
  let command = program;
  let before: string[] = [];
  let open: Option | null = null;
  for (const word of words) {
    if (open !== null) {
      open = null;
      continue;
    }
    if (word.startsWith('-')) {
      const option = optionNamed(command, word);
      if (option !== undefined && !option.isBoolean()) open = option;
      continue;
    }
    const below = before.length === 0 ? command.commands.find((one) => one.name() === word) : null;
    if (below) {
      command = below;
      before = [];
    } else before.push(word);
  }
  if (open !== null) return { kind: 'value', command, option: open, before };
  return { kind: 'word', command, index: before.length, before };
}

function optionNamed(command: CommandUnknownOpts, word: string): Option | undefined {
  const own = command.options.find(({ short, long }) => short === word || long === word);
  return own ?? (command.parent ? optionNamed(command.parent, word) : undefined);
}

/** Options of the command and its parents. */
export function optionsOf(command: CommandUnknownOpts): Candidate[] {
  const own = command.options.flatMap(({ long, description, hidden }) =>
    long === undefined || long === null || hidden ? [] : [{ value: long, told: description }],
  );
  const above = command.parent ? optionsOf(command.parent) : [];
  const known = new Set(own.map(({ value }) => value));
  return [...own, ...above.filter(({ value }) => !known.has(value) && value !== '--version')];
}

export function commandsOf(command: CommandUnknownOpts): Candidate[] {
  return command.commands.map((one) => ({ value: one.name(), told: one.description() }));
}

/** Candidates that begin with the typed text, which may be quoted. */
export function goingOn(candidates: readonly Candidate[], typed: string): Candidate[] {
  const begun = typed.replace(/^['"]/, '').replaceAll('\\', '');
  return candidates.filter(({ value }) => value.startsWith(begun));
}
