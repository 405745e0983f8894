// Each attack in SECURITY.md has an existing test file, and each connector has a row about its secrets.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connectorTypes } from '../../src/connectors/index.ts';

const page = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8');

/** Cells of the table below a heading, without the header row. */
function rowsOf(heading: string): string[][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  const lines = own.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\) \| /)
      .map((cell) => cell.trim()),
  );
}

test('each attack has an existing test file', () => {
  const rows = rowsOf('Tests of attacks');
  expect(rows.length).toBeGreaterThan(10);
  for (const [attack, tests = ''] of rows) {
    const files = [...tests.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file);
    expect(files.length, attack).toBeGreaterThan(0);
    expect(
      files.filter((file) => !existsSync(file)),
      attack,
    ).toEqual([]);
  }
});

test('every connector has a row about its secrets', () => {
  const secrets = rowsOf('Where secrets go')
    .map(([secret = '']) => secret.toLowerCase())
    .join();
  const names = { s3: 's3', gcs: 'google', sftp: 'sftp', azure: 'azure', local: null };
  for (const { type } of connectorTypes) {
    const name = names[type as keyof typeof names];
    expect(name, type).not.toBeUndefined();
    if (name !== null) expect(secrets, type).toContain(name);
  }
});
