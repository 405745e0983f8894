// Pipelines in a ConfigMap. Kubernetes links each file to a folder whose name changes with every version.
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readAppliedFiles } from '../../../src/app/apply/applied-files.ts';
import { Session } from '../../../src/cli/session.ts';
import { createIo } from '../../cli/_fake-io.ts';
import { folderWith } from '../../cli/_folder.ts';

const text = [
  'name: nightly',
  'connectors: { m: { type: local, path: models } }',
  'records: m',
  'nodes: [{ id: take, type: connector_poll, config: { connector: m } }]',
  'schedule: { cron: "0 2 * * *" }',
].join('\n');

const versions = ['..2026_11_24_16_00_00.1234567', '..2026_11_25_09_30_00.7654321'];

test('the path of a file stays the same when the ConfigMap changes', async () => {
  const files = versions.map((version) => [`${version}/nightly.yaml`, text] as const);
  const folder = folderWith(Object.fromEntries(files));
  symlinkSync('..data/nightly.yaml', join(folder, 'nightly.yaml'));
  const paths: string[] = [];
  for (const version of versions) {
    rmSync(join(folder, '..data'), { force: true });
    symlinkSync(version, join(folder, '..data'));
    const { scheduled } = await readAppliedFiles(new Session(createIo().io, false), [folder]);
    paths.push(...scheduled.map(({ path }) => path));
  }
  expect(paths).toEqual([join(folder, 'nightly.yaml'), join(folder, 'nightly.yaml')]);
});
