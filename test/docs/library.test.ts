// docs/library.md lists exactly the exports of the package. Its examples run in test/extended/package.test.ts.
import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

const page = readFileSync('docs/library.md', 'utf8');
const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  exports: Record<string, Record<string, string>>;
};
const modules = Object.entries(exports).flatMap(([path, { 'renderline-source': source = '' }]) =>
  path.endsWith('/*') ? [] : [{ name: `renderline${path.slice(1)}`, source }],
);

function exportedBy(source: string): string[] {
  const { staticExports } = parseSync(source, readFileSync(source, 'utf8')).module;
  return staticExports.flatMap(({ entries }) =>
    entries.map(({ exportName }) => exportName.name ?? ''),
  );
}

test('the page contains a section for each module', () => {
  const sections = [...page.matchAll(/^## (renderline\/\S+)$/gm)].map(([, name]) => name);
  expect(new Set(sections)).toEqual(new Set(modules.map(({ name }) => name)));
});

test.each(modules)('the page lists the exports of $name', ({ name, source }) => {
  const [, section = ''] = page.split(`## ${name}\n`);
  const [table = ''] = section.split('\n## ');
  const named = [...table.matchAll(/^\| `(\w+)/gm)].map(([, one]) => one);
  expect(new Set(named)).toEqual(new Set(exportedBy(source)));
});
