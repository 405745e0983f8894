// Models and pictures for the system tests: real ones if the data folder lies next to the repository, and tiny ones.

import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { linearOfHex } from '../../packages/sandbox/src/drawing/color.ts';

const data = fileURLToPath(new URL('../../../shared/data', import.meta.url));

/** The folder of real files; prints a reason and returns null if it is missing. An empty folder is an error. */
export async function dataFolder(...parts: string[]): Promise<string | null> {
  if (!existsSync(data)) {
    process.stderr.write(`skipped: ${data} is not there; it holds the real models\n`);
    return null;
  }
  const folder = join(data, ...parts);
  const files = existsSync(folder) ? await readdir(folder) : [];
  if (files.length === 0) throw new Error(`${folder} is empty; it must hold the real models`);
  return folder;
}

/** Copies the files whose names match and returns their names in order. Throws if there are none. */
export async function copyFiles(from: string, to: string, takes: RegExp): Promise<string[]> {
  const names = (await readdir(from)).filter((name) => takes.test(name)).sort();
  if (names.length === 0) throw new Error(`${from} holds nothing like ${takes}`);
  await mkdir(to, { recursive: true });
  for (const name of names) await copyFile(join(from, name), join(to, name));
  return names;
}

/** Writes a small GLB with its own content under each name plus `.glb`. */
export async function writeModels(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = join(folder, `${name}.glb`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, smallModel(name));
  }
}

/** `shoe-01`, `shoe-02`, … */
export function names(prefix: string, count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => `${prefix}-${String(index + 1).padStart(2, '0')}`,
  );
}

/** A triangle as GLB. Equal names give equal bytes; `paddingBytes` makes it bigger. */
export function smallModel(name: string, { color = '#b0503c', paddingBytes = 0 } = {}): Buffer {
  const positions = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
  const binary = Buffer.concat([positions, Buffer.alloc(Math.ceil(paddingBytes / 4) * 4, 7)]);
  const baseColorFactor = [...linearOfHex(color), 1];
  const document = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, name }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
    materials: [{ name: 'Body', doubleSided: true, pbrMetallicRoughness: { baseColorFactor } }],
    accessors: [
      {
        bufferView: 0,
        componentType: 5126,
        count: 3,
        type: 'VEC3',
        min: [0, 0, 0],
        max: [1, 1, 0],
      },
    ],
    bufferViews: [{ buffer: 0, byteOffset: 0, byteLength: binary.length }],
    buffers: [{ byteLength: binary.length }],
  };
  const text = JSON.stringify(document);
  const json = Buffer.from(text + ' '.repeat((4 - (Buffer.byteLength(text) % 4)) % 4));
  const body = Buffer.concat([chunk('JSON', json), chunk('BIN\0', binary)]);
  const header = Buffer.alloc(12);
  header.write('glTF', 'latin1');
  header.writeUInt32LE(2, 4);
  header.writeUInt32LE(header.length + body.length, 8);
  return Buffer.concat([header, body]);
}

function chunk(type: string, bytes: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(bytes.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, bytes]);
}

/** All files below a folder, for searches for forbidden text. */
export async function* filesBelow(folder: string): AsyncGenerator<{ path: string; bytes: Buffer }> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    yield { path, bytes: await readFile(path) };
  }
}
