// `renderline __complete -- WORDS`: prints completions for a shell, one per line, each followed by a tab and its
// description. Completion never fails and never prints errors, because they would appear in the line that a person
// types. Names with control characters or line breaks are not offered.
import type { Argument, CommandUnknownOpts } from '@commander-js/extra-typings';
import { escapeToOneLine } from '../../api/responses/plain-text.ts';
import {
  type Candidate,
  listCodeCandidates,
  listConditionCandidates,
  listOperationCandidates,
  listParameterCandidates,
  listPipelineCandidates,
  listPlatformPipelineCandidates,
  listRunCandidates,
  listScheduleCandidates,
} from '../../app/completion/name-candidates.ts';
import type { Session } from '../session.ts';
import {
  type CompletionTarget,
  filterByPrefix,
  findCompletionTarget,
  listCandidates,
  optionCandidates,
} from './command-line.ts';
import { filesMarker, shells } from './scripts.ts';

type Candidates = Candidate[] | 'files';

/** @param words the command line after the program's name. The last word is being typed and may be empty */
export async function complete(
  session: Session,
  program: CommandUnknownOpts,
  words: readonly string[],
): Promise<string> {
  const typed = words.at(-1) ?? '';
  const target = findCompletionTarget(program, words.slice(0, -1));
  session.flags = target.flags;
  const candidates = await findCandidates(session, target, typed).catch((): Candidates => []);
  if (candidates === 'files') return `${filesMarker}\n`;
  return filterByPrefix(candidates, typed)
    .filter(({ value }) => escapeToOneLine(value) === value)
    .map(
      ({ value, description }) =>
        `${value}\t${escapeToOneLine(description.split('\n')[0] ?? '')}\n`,
    )
    .join('');
}

async function findCandidates(
  session: Session,
  target: CompletionTarget,
  typed: string,
): Promise<Candidates> {
  const { command, before } = target;
  if (target.kind === 'value') {
    const { option } = target;
    const choices = option.argChoices ?? [];
    if (choices.length > 0) return choices.map((value) => ({ value, description: '' }));
    if (option.long === '--param') {
      return listParameterCandidates(session, valueOfArgument(command, before, 'file'), typed);
    }
    if (option.long === '--pipeline') return listPipelineCandidates(session);
    if (option.long === '--run') return listRunCandidates(session);
    if (option.long === '--where')
      return listConditionCandidates(session, valueOfArgument(command, before, 'run'));
    return /<(?:file|dir)>/.test(option.flags) ? 'files' : [];
  }
  if (typed.startsWith('-')) return optionCandidates(command);
  if (command.commands.length > 0 && target.index === 0) return listCandidates(command);
  const argument = findArgument(command, target.index)?.name() ?? '';
  const result = (await argumentCandidates[argument]?.(session)) ?? [];
  // A value that starts with a dash would be parsed as an option, so it is not offered.
  return result === 'files' ? result : result.filter(({ value }) => !value.startsWith('-'));
}

/** Functions that list the values of an argument, by the argument's name. */
const argumentCandidates: Readonly<
  Record<string, (session: Session) => Candidates | Promise<Candidates>>
> = {
  run: listRunCandidates,
  operation: listOperationCandidates,
  subject: listCodeCandidates,
  shell: () => shells.map((value) => ({ value, description: '' })),
  name: listScheduleCandidates,
  pipeline: listPlatformPipelineCandidates,
  file: () => 'files',
  files: () => 'files',
  paths: () => 'files',
  dir: () => 'files',
};

function findArgument(command: CommandUnknownOpts, index: number): Argument | undefined {
  const args = command.registeredArguments;
  const last = args.at(-1);
  return args[index] ?? (last?.variadic ? last : undefined);
}

/** Returns the word on the command line that is the argument with this name. */
function valueOfArgument(command: CommandUnknownOpts, words: readonly string[], name: string) {
  const index = command.registeredArguments.findIndex((argument) => argument.name() === name);
  return index < 0 ? undefined : words[index];
}
