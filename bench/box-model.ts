// The smallest visible model: one triangle with a material, as GLB.

const jsonChunk = 0x4e4f534a;
const binaryChunk = 0x004e4942;

/** Linear red, green and blue. */
export type Color = readonly [number, number, number];

/** Creates a GLB of about 700 bytes. */
export function boxModel([red, green, blue]: Color = [0.8, 0.2, 0.2]): Buffer {
  const positions = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]);
  const binary = Buffer.from(positions.buffer);
  const document = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
    materials: [{ name: 'Body', pbrMetallicRoughness: { baseColorFactor: [red, green, blue, 1] } }],
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
  const json = Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4, ' '));
  const body = Buffer.concat([chunk(jsonChunk, json), chunk(binaryChunk, binary)]);
  const header = Buffer.alloc(12);
  header.write('glTF', 0, 'latin1');
  header.writeUInt32LE(2, 4);
  header.writeUInt32LE(header.length + body.length, 8);
  return Buffer.concat([header, body]);
}

function chunk(type: number, bytes: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(bytes.length, 0);
  head.writeUInt32LE(type, 4);
  return Buffer.concat([head, bytes]);
}
