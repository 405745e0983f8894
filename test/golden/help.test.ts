// What `--help` says: every command and option is a promise to whoever scripts it.
import { expect, it } from 'vitest';
import { run } from '../cli/_run-cli.ts';
import { expectGolden } from './_golden.ts';

/** Each command loads its sources. */
const withinMs = 120_000;

it('the help of the program and of each command is as agreed', { timeout: withinMs }, async () => {
  const program = await run(['--help']);
  // Commands stand in groups below the options. Each begins at the margin; what is wrapped stands further in.
  const [, groups = ''] = program.stdout.split('\nWrite a pipeline:\n');
  const names = [...groups.matchAll(/^ {2}([a-z]+)/gm)]
    .map((match) => match[1] ?? '')
    .filter((name) => name !== 'help');
  expect(names.length).toBeGreaterThan(12);

  const pages: Record<string, string[]> = { renderline: program.stdout.trimEnd().split('\n') };
  for (const name of names) {
    const help = await run([name, '--help']);
    expect([help.code, help.stderr]).toEqual([0, '']);
    pages[`renderline ${name}`] = help.stdout.trimEnd().split('\n');
  }
  expectGolden('help', pages);
});
