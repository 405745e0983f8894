// `renderline test --watch`: which changes start the tests again.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from './_folder.ts';
import { startCli } from './_run-cli.ts';

test.each(['catalog.yaml', 'rows.csv', 'rows.tsv', 'rows.jsonl', 'rows.ndjson', 'Rows.XLSX'])(
  'tests run again when %s changes',
  async (name) => {
    const cwd = folderWith({ 'catalog.test.yaml': 'no tests' });
    const { stderr, interrupts, done } = startCli(['test', '--watch', '.'], { cwd });
    await stderr.shows(/Waiting for changes/);
    writeFileSync(join(cwd, name), 'changed');
    await stderr.shows(/Waiting for changes.*Waiting for changes/s);
    interrupts.interrupt();
    expect((await done).code).toBe(0);
  },
);

test.each([
  ['pipeline', 'pipelines/shop.yaml'],
  ['shared part', 'parts/places.shared.yaml'],
  ['table', 'tables/skus.csv'],
])('tests run again when a %s in another folder changes', async (_what, path) => {
  // The names of the tests are not unique, so that they end at once.
  const used = 'files: [{ path: skus.csv, copy: ../tables/skus.csv }], expect: {}';
  const tests = `[{ name: a, ${used} }, { name: a, expect: {} }]`;
  const cwd = folderWith({
    '.git/HEAD': '',
    'tests/shop.test.yaml': `pipeline: ../pipelines/shop.yaml\ntests: ${tests}\n`,
    'pipelines/shop.yaml': 'name: shop\ninclude: ../parts/places.shared.yaml\n',
    'parts/places.shared.yaml': 'connectors: {}\n',
    'tables/skus.csv': 'sku\n1\n',
  });
  const { stderr, interrupts, done } = startCli(['test', '--watch', 'tests'], { cwd });
  await stderr.shows(/two tests are named "a".*Waiting for changes/s);
  writeFileSync(join(cwd, path), 'changed\n');
  await stderr.shows(/Waiting for changes.*Waiting for changes/s);
  interrupts.interrupt();
  expect((await done).code).toBe(0);
});
