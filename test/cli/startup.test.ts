// What every command loads before it knows which one it is: each library would cost all of them its time.
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, Help } from '@commander-js/extra-typings';
import { expect, it } from 'vitest';
import { commands } from '../../src/cli/commands/index.ts';
import { Session } from '../../src/cli/session.ts';
import { ioOf } from './_screen.ts';

/** Static imports; those of types alone are gone when it is built. */
const imports = /^(?:import|export)\s(?!type\b)[^;]*?from '([^']+)'/gm;

/** Libraries that a module loads, by way of whatever it imports. */
function librariesOf(first: string): Set<string> {
  const libraries = new Set<string>();
  const files = new Set([first]);
  for (const file of files) {
    for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(imports)) {
      if (from.startsWith('.')) files.add(resolve(dirname(file), from));
      else if (!isBuiltin(from)) libraries.add(from);
    }
  }
  return libraries;
}

it('no library but the one that reads the command line', () => {
  const program = fileURLToPath(new URL('../../src/cli/program.ts', import.meta.url));
  expect([...librariesOf(program)]).toEqual(['@commander-js/extra-typings']);
});

it.each(commands)(
  '$term: its line in the list of commands is what the command declares',
  async ({ term, load }) => {
    const command = new Command(term.split(' ')[0]);
    (await load())(command, new Session(ioOf().io, false));
    expect(new Help().subcommandTerm(command)).toBe(term);
  },
);
