// Which words of a command line the program does not know.
import { buildProgram } from '../../src/cli/program.ts';
import { Session } from '../../src/cli/session.ts';
import { ioOf } from '../cli/_screen.ts';

/** Options that a command of ours does not have, and the command itself where there is none. */
export async function unknownWords(words: readonly string[]): Promise<string[]> {
  const [name = '', ...rest] = words;
  const program = await buildProgram(new Session(ioOf().io, false), words);
  const top = program.commands.find((known) => known.name() === name);
  if (top === undefined) return [name];
  const command = top.commands.find((known) => known.name() === rest[0]) ?? top;
  const flags = command.options.map(({ long }) => long);
  return rest.filter((word) => word.startsWith('--') && !flags.includes(word));
}
