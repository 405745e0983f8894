// Finds options in a command line that the program does not have.
import { buildProgram } from '../../src/cli/program.ts';
import { Session } from '../../src/cli/session.ts';
import { createIo } from '../cli/_fake-io.ts';

/** Unknown options of a command. Contains the command itself if it does not exist. */
export async function findUnknownOptions(words: readonly string[]): Promise<string[]> {
  const [name = '', ...rest] = words;
  const program = await buildProgram(new Session(createIo().io, false), words);
  const top = program.commands.find((known) => known.name() === name);
  if (top === undefined) return [name];
  const command = top.commands.find((known) => known.name() === rest[0]) ?? top;
  const flags = command.options.map(({ long }) => long);
  return rest.filter((word) => word.startsWith('--') && !flags.includes(word));
}
