// Which problems mean that a file does not exist.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isMissingFile, readPipelineFile } from '../../src/compile/yaml/read-file.ts';

it.each<[path: string, isMissing: boolean]>([
  ['none.yaml', true],
  ['file.yaml/below.yaml', true],
  ['.', false],
])('the file %s does not exist: %s', async (path, isMissing) => {
  const folder = await mkdtemp(join(tmpdir(), 'read-file-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'file.yaml'), '\xFF', 'latin1');
  const read = await readPipelineFile(join(folder, path), path);
  expect(read.ok ? null : isMissingFile(read.problem)).toBe(isMissing);
});

it('a problem of another file with the same text does not mean that this file is missing', async () => {
  const read = await readPipelineFile('/none.yaml', 'none.yaml');
  if (read.ok) throw new Error('the file exists');
  expect(isMissingFile({ ...read.problem, file: 'part.yaml' })).toBe(false);
});
