// The output of `--help`: scripts rely on every command and option.
import { expect, it } from 'vitest';
import { run } from '../cli/_run-cli.ts';
import { expectGolden } from './_golden.ts';

/** Each command loads its sources. */
const withinMs = 120_000;

it('the help of the program and of each command matches the golden file', {
  timeout: withinMs,
}, async () => {
  const program = await run(['--help']);
  // Commands are listed in groups below the options. Each begins at the margin, and wrapped lines are indented further.
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
