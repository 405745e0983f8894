// Whether a file would be refused. The check runs before work on its asset begins.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { LocalConnector } from '../../src/connectors/local.ts';
import { inspectFile, isBrokenFile } from '../../src/features/models/inspect-file.ts';
import { sourceOf } from '../../src/store/records/source-version.ts';
import { folderWith } from '../cli/_folder.ts';

const good = triangleGlb(['seat']);

test.each<[string, string, Uint8Array | null, boolean]>([
  ['a model', 'a.glb', good, false],
  ['a truncated model', 'a.glb', good.subarray(0, good.length - 8), true],
  ['an empty file', 'a.glb', new Uint8Array(0), true],
  ['a text file', 'a.glb', Buffer.from('a model, they said'), true],
  ['a picture', 'a.png', Buffer.from('89504e470d0a1a0a', 'hex'), false],
  ['a missing file', 'a.glb', null, true],
])('isBrokenFile() recognizes whether %s is broken', async (_name, path, bytes, expected) => {
  const folder = folderWith({ 'other.glb': 'x' });
  if (bytes !== null) writeFileSync(join(folder, path), bytes);
  const connector = new LocalConnector({ type: 'local', path: folder });
  const entry = bytes === null ? null : await connector.stat(path);
  const source = {
    path,
    bytes: entry?.bytes ?? 10,
    mtimeMs: entry?.mtimeMs ?? 1,
    version: entry === null ? '1-1' : sourceOf(entry).version,
  };
  expect(await isBrokenFile(source, connector, new AbortController().signal)).toBe(expected);
});

test.each<[string, string, (folder: string) => void]>([
  ['deleted with its folder', 'FOLDER_NOT_FOUND', (folder) => rmSync(folder, { recursive: true })],
  [
    'in a folder that is no longer mounted',
    'SOURCE_EMPTY',
    (folder) => rmSync(join(folder, 'a.glb')),
  ],
])('a file that is %s does not fail its asset: the source is to blame', async (_, code, remove) => {
  const folder = folderWith({ 'a.glb': good });
  const open = () => new LocalConnector({ type: 'local', path: folder });
  const entry = (await open().stat('a.glb')) ?? expect.fail('not written');
  remove(folder);
  const { signal } = new AbortController();
  const error = await inspectFile(sourceOf(entry), open(), signal).catch((thrown) => thrown);
  expect(error).toMatchObject({ code, isOfOneFile: false });
});

test('a folder that is deleted while its files are read does not fail their assets', async () => {
  const folder = folderWith({ 'a.glb': good, 'b.glb': good });
  const connector = new LocalConnector({ type: 'local', path: folder });
  const entry = (await connector.stat('a.glb')) ?? expect.fail('not written');
  rmSync(folder, { recursive: true });
  const { signal } = new AbortController();
  const reading = inspectFile(sourceOf(entry), connector, signal);
  await expect(reading).rejects.toMatchObject({ isOfOneFile: false });
});

test('a texture set is not inspected', async () => {
  const connector = new LocalConnector({ type: 'local', path: folderWith() });
  const set = { name: 'wood', files: { color: 'wood-color.png' } };
  const source = { path: 'wood', bytes: 10, mtimeMs: 1, version: '1', set };
  expect(await isBrokenFile(source, connector, new AbortController().signal)).toBe(false);
});
