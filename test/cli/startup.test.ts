// Modules that every command loads at the start. Each additional library would slow down all commands.
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, Help } from '@commander-js/extra-typings';
import { expect, it } from 'vitest';
import { commands } from '../../src/cli/commands/index.ts';
import { Session } from '../../src/cli/session.ts';
import { createIo } from './_fake-io.ts';

/** Static imports, without type-only imports, which the build removes. */
const imports = /^(?:import|export)\s(?!type\b)[^;]*?from '([^']+)'/gm;

/** Files and libraries that a module loads, directly and indirectly. */
function loadedBy(module: string): { files: Set<string>; libraries: string[] } {
  const libraries = new Set<string>();
  const files = new Set([fileURLToPath(new URL(`../../src/cli/${module}`, import.meta.url))]);
  for (const file of files) {
    for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(imports)) {
      if (from.startsWith('.')) files.add(resolve(dirname(file), from));
      else if (!isBuiltin(from)) libraries.add(from);
    }
  }
  return { files, libraries: [...libraries].sort() };
}

it('a command loads only the library for command lines, and few files', () => {
  const { files, libraries } = loadedBy('program.ts');
  expect(libraries).toEqual(['@commander-js/extra-typings']);
  expect(files.size).toBeLessThan(65);
});

// No HTTP client, Temporal client, sharp or S3 client.
it.each(['pipelines/validate.ts', 'pipelines/graph.ts', 'pipelines/schema.ts'])(
  '%s loads only the libraries that parse a file',
  (name) => {
    const { libraries } = loadedBy(`commands/${name}`);
    const reading = ['@commander-js/extra-typings', '@marcbachmann/cel-js', 'yaml', 'zod'];
    const small = ['p-limit', 'p-queue'];
    expect(libraries.filter((one) => ![...reading, ...small].includes(one))).toEqual([]);
  },
);

/** Files of the bundle that a file loads statically. `npm run build` creates the bundle. */
function chunksOf(first: string): { chunks: string[]; libraries: string[] } {
  const chunks = new Set([first]);
  const libraries = new Set<string>();
  for (const chunk of chunks) {
    const url = new URL(`../../dist/program/cli/${chunk}`, import.meta.url);
    for (const [, from = ''] of readFileSync(url, 'utf8').matchAll(/^import .*?"([^"]+)";$/gm)) {
      if (from.startsWith('.')) chunks.add(from.slice(2));
      else if (!isBuiltin(from)) libraries.add(from);
    }
  }
  return { chunks: [...chunks], libraries: [...libraries].sort() };
}

it.each([
  ['main.js', 4, []],
  ['program.js', 4, []],
  ['validate.js', 8, ['p-limit', 'p-queue']],
])(
  'the bundle %s loads at most %d files, and only the listed libraries',
  (name, max, libraries) => {
    const loaded = chunksOf(name);
    expect(loaded.libraries).toEqual(libraries);
    expect(loaded.chunks.length).toBeLessThanOrEqual(max);
  },
);

it.each(commands)(
  'the list of commands shows $term as the command declares it',
  async ({ term, load }) => {
    const command = new Command(term.split(' ')[0]);
    (await load())(command, new Session(createIo().io, false));
    // The library's default term does not show that a command has subcommands.
    const mark = command.commands.length > 0 ? ' [command]' : '';
    expect(`${new Help().subcommandTerm(command)}${mark}`).toBe(term);
  },
);
