// A valid GLB of any size that takes almost no disk space, because its data is a hole in a sparse file.
import { open } from 'node:fs/promises';

const headerBytes = 12;
const chunkHeaderBytes = 8;
/** Length of the JSON chunk. The scene is shorter and is padded with spaces. */
const textBytes = 1024;

/** Writes a GLB of about `bytes` bytes, rounded down to a multiple of four. */
export async function writeSparseModel(file: string, bytes: number): Promise<void> {
  const size = bytes - (bytes % 4);
  const data = size - headerBytes - 2 * chunkHeaderBytes - textBytes;
  const scene = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    // Points, because triangles whose corners are all 0 draw nothing.
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, mode: 0 }] }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' }],
    bufferViews: [{ buffer: 0, byteOffset: 0, byteLength: 36 }],
    buffers: [{ byteLength: data }],
  };
  const text = JSON.stringify(scene).padEnd(textBytes, ' ');
  const head = Buffer.alloc(headerBytes + 2 * chunkHeaderBytes + textBytes);
  head.write('glTF', 0, 'latin1');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(size, 8);
  head.writeUInt32LE(textBytes, 12);
  head.write('JSON', 16, 'latin1');
  head.write(text, 20, 'latin1');
  head.writeUInt32LE(data, 20 + textBytes);
  head.write('BIN\0', 24 + textBytes, 'latin1');
  const handle = await open(file, 'w');
  try {
    await handle.write(head);
    await handle.truncate(size);
  } finally {
    await handle.close();
  }
}
