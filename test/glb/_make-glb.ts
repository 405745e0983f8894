// Handmade GLB files, so that tests can break each part.

export type Json = Record<string, unknown>;

export const bareJson: Json = { asset: { version: '2.0' } };

function chunk(type: number, data: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(data.byteLength, 0);
  head.writeUInt32LE(type, 4);
  return Buffer.concat([head, data]);
}

function padded(data: Uint8Array, filler: number): Buffer {
  return Buffer.concat([data, Buffer.alloc((4 - (data.byteLength % 4)) % 4, filler)]);
}

export type GlbOptions = {
  readonly version?: number;
  /** Number that is added to the declared length. */
  readonly lengthError?: number;
  readonly extraChunks?: number;
};

/** A GLB of JSON (object, text or raw bytes) and optional binary data. */
export function makeGlb(
  json: Json | string | Buffer,
  bin?: Uint8Array,
  options: GlbOptions = {},
): Buffer {
  const plain = typeof json === 'string' || Buffer.isBuffer(json);
  const text = plain ? Buffer.from(json) : Buffer.from(JSON.stringify(json));
  const chunks = [chunk(0x4e4f534a, padded(text, 0x20))];
  if (bin !== undefined) chunks.push(chunk(0x004e4942, padded(bin, 0)));
  for (let extra = 0; extra < (options.extraChunks ?? 0); extra += 1) {
    chunks.push(chunk(0x31415926, Buffer.alloc(4)));
  }
  const body = Buffer.concat(chunks);
  const head = Buffer.alloc(12);
  head.write('glTF', 0, 'latin1');
  head.writeUInt32LE(options.version ?? 2, 4);
  head.writeUInt32LE(12 + body.byteLength + (options.lengthError ?? 0), 8);
  return Buffer.concat([head, body]);
}

/** Little-endian 32-bit floats. */
export function floats(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeFloatLE(value, index * 4));
  return bytes;
}

/** JSON and data of one triangle in the z = 0 plane, facing +z. `change` may break or extend the JSON. */
export function triangle(change: (json: Json) => Json = (json) => json): {
  json: Json;
  bin: Buffer;
} {
  const bin = floats(0, 0, 0, 1, 0, 0, 0, 1, 0);
  const json = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
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
    bufferViews: [{ buffer: 0, byteLength: 36 }],
    buffers: [{ byteLength: 36 }],
  };
  return { json: change(json), bin };
}

export function triangleGlb(change?: (json: Json) => Json): Buffer {
  const { json, bin } = triangle(change);
  return makeGlb(json, bin);
}
