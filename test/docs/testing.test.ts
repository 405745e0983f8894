// TESTING.md has a row for each existing suite and for no others.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const page = readFileSync('TESTING.md', 'utf8');

it.each(['system', 'extended'])('TESTING.md lists exactly the suites of test/%s', (folder) => {
  const [, section = ''] = page.split(`: \`test/${folder}\`\n`);
  const [rows = ''] = section.split('\n## ');
  const named = rows
    .split('\n')
    .flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name),
    );
  const suites = readdirSync(`test/${folder}`)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => name.replace('.test.ts', ''));
  expect(named.toSorted()).toEqual(suites.toSorted());
});
