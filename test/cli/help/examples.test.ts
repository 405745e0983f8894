// All examples in `--help` are valid command lines.
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, it, test } from 'vitest';
import { commands, nameOf } from '../../../src/cli/commands/index.ts';
import { examples } from '../../../src/cli/help/examples.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import { Session } from '../../../src/cli/session.ts';
import { createIo } from '../_fake-io.ts';
import { run } from '../_run-cli.ts';

/** Splits a line into arguments like a shell, without pipes and redirections. */
function wordsOf(line: string): string[] {
  const command = line.replace(/^source <\((.*)\)$/, '$1').replace(/ [<>] \S+$/, '');
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .slice(1);
}

const lines = Object.entries(examples).flatMap(([path, some]) =>
  some.map(([line]) => [line, path] as const),
);

test.each(lines)('this example is a valid command line: %s', async (line, path) => {
  const words = wordsOf(line);
  expect(words.join(' ')).toMatch(new RegExp(`^${path.split(' ')[0]}`));
  const program = await buildProgram(new Session(createIo().io, false), words);
  const done: string[] = [];
  // Only parsing is tested, so actions do nothing.
  const silence = (command: CommandUnknownOpts) => {
    command.action(() => void done.push(command.name()));
    for (const below of command.commands) silence(below);
  };
  for (const command of program.commands) silence(command);
  await program.parseAsync(words, { from: 'user' });
  expect(done).toHaveLength(1);
});

test('every command and subcommand has an example', async () => {
  const names = commands.map(nameOf);
  const program = await buildProgram(new Session(createIo().io, false), names);
  const paths = program.commands.flatMap((command) => [
    command.name(),
    ...command.commands.map((below) => `${command.name()} ${below.name()}`),
  ]);
  expect(paths.filter((path) => examples[path] === undefined)).toEqual([]);
});

describe('--quiet', () => {
  it('--quiet keeps results and errors, and drops notes', async () => {
    const file = 'pipelines/catalog.yaml';
    const loud = await run(['validate', file]);
    const quiet = await run(['-q', 'validate', file]);
    expect(loud.stderr).toContain('note RL601');
    expect([quiet.stderr, quiet.stdout]).toEqual(['', loud.stdout]);
    const refused = await run(['plan', 'none.yaml', '--quiet']);
    expect(refused.stderr).toContain('error none.yaml does not exist.');
  });
});

test('global options are listed only in the help of the program', async () => {
  const { stdout } = await run(['run', '--help']);
  expect(stdout).not.toContain('--base-url');
  expect(stdout).toContain('renderline --help');
  expect((await run(['--help'])).stdout).toContain('--base-url');
});
