// Each case has one broken part, and the expected code of the refusal.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileTypeOf, inspectBytes, inspectModelFile } from '../../src/glb/inspect-model.ts';
import { maxMessageLength } from '../../src/glb/model-inspection.ts';
import { bareJson, floats, type Json, makeGlb, triangle, triangleGlb } from './_make-glb.ts';

function changed(patch: Json): (json: Json) => Json {
  return (json) => ({ ...json, ...patch });
}

const good = triangleGlb();
const wholeTriangle = triangle().json;
describe('the container of a GLB', () => {
  it.each([
    ['a complete file', good, null],
    ['a file without binary data', makeGlb(bareJson), null],
    ['a file with an unknown third chunk', makeGlb(bareJson, floats(1), { extraChunks: 1 }), null],
    ['an empty file', Buffer.alloc(0), 'EMPTY_FILE'],
    ['plain text', Buffer.from('hello, this is not a model'), 'NOT_A_GLB'],
    ['only three bytes of the magic number', good.subarray(0, 3), 'TRUNCATED'],
    ['a file truncated in the header', good.subarray(0, 9), 'TRUNCATED'],
    ['a file truncated after the header', good.subarray(0, 12), 'TRUNCATED'],
    ['a file truncated in the JSON', good.subarray(0, 40), 'TRUNCATED'],
    ['a file truncated in the data', good.subarray(0, good.length - 1), 'TRUNCATED'],
    [
      'a file that declares more bytes than it has',
      makeGlb(bareJson, undefined, { lengthError: 4 }),
      'TRUNCATED',
    ],
    [
      'a file that declares fewer bytes than it has',
      makeGlb(bareJson, undefined, { lengthError: -4 }),
      'CHUNK_TOO_BIG',
    ],
    ['a file of version 1', makeGlb(bareJson, undefined, { version: 1 }), 'UNSUPPORTED_VERSION'],
    ['a file of version 3', makeGlb(bareJson, undefined, { version: 3 }), 'UNSUPPORTED_VERSION'],
    [
      'a file with thousands of chunks',
      makeGlb(bareJson, undefined, { extraChunks: 2000 }),
      'GLB_BOMB',
    ],
    ['a file with far too much JSON', makeGlb(' '.repeat(33 * 1024 * 1024)), 'JSON_TOO_BIG'],
  ])('inspectBytes() returns the expected result for %s', async (_, bytes, code) => {
    const look = await inspectBytes(bytes, 'glb');
    expect(look.code).toBe(code);
    expect(look.verdict).toBe(code === null ? 'accept' : 'reject');
    expect(look.container).toBe('glb');
  });

  it('a container is recognized regardless of the extension', async () => {
    expect((await inspectBytes(good, 'vrm')).container).toBe('glb');
  });
});

describe('JSON', () => {
  it.each([
    ['text that is not JSON', '{]', 'INVALID_JSON'],
    ['UTF-16', Buffer.from('{"asset":{}}', 'utf16le'), 'INVALID_JSON'],
    ['a list', '[]', 'NOT_GLTF2'],
    ['a missing asset object', '{}', 'NOT_GLTF2'],
    ['glTF 1', '{"asset":{"version":"1.0"}}', 'NOT_GLTF2'],
    ['glTF 3', '{"asset":{"version":"3.0"}}', 'NOT_GLTF2'],
    ['glTF 20', '{"asset":{"version":"20.0"}}', 'NOT_GLTF2'],
    ['nesting that would exhaust memory', '['.repeat(1_000_000), 'TOO_DEEP'],
    ['millions of empty objects', `{"nodes":[${'{},'.repeat(2_000_000)}{}]}`, 'JSON_TOO_BIG'],
    [
      'just as many commas inside a string',
      `{"asset":{"version":"2.1","copyright":"${','.repeat(600_000)}"}}`,
      null,
    ],
    [
      'brackets inside a string',
      `{"asset":{"version":"2.1","copyright":"\\"${'['.repeat(500)}"}}`,
      null,
    ],
    ['meshes that are not a list', '{"asset":{"version":"2.0"},"meshes":{}}', 'INVALID_SCHEMA'],
    ['nodes that are not objects', '{"asset":{"version":"2.0"},"nodes":[1]}', 'INVALID_SCHEMA'],
  ])('inspectBytes() returns the expected result for %s', async (_, json, code) => {
    expect((await inspectBytes(makeGlb(json), 'glb')).code).toBe(code);
  });
});

describe('references', () => {
  it.each<[string, Json]>([
    ['the default scene', { scene: 1 }],
    ['a node of a scene', { scenes: [{ nodes: [7] }] }],
    ['a child of a node', { nodes: [{ mesh: 0, children: [1] }] }],
    ['the mesh of a node', { nodes: [{ mesh: 1 }] }],
    ['the skin of a node', { nodes: [{ mesh: 0, skin: 0 }] }],
    ['a negative index', { nodes: [{ mesh: -1 }] }],
    ['a fractional index', { nodes: [{ mesh: 0.5 }] }],
    ['an index that is text', { nodes: [{ mesh: '0' }] }],
    ['an attribute', { meshes: [{ primitives: [{ attributes: { POSITION: 3 } }] }] }],
    ['the indices', { meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 9 }] }] }],
    ['a material', { meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }] }],
    [
      'a morph target',
      { meshes: [{ primitives: [{ attributes: {}, targets: [{ POSITION: 5 }] }] }] },
    ],
    ['a texture', { materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }] }],
    [
      'a texture of an extension',
      { materials: [{ extensions: { KHR_materials_sheen: { sheenColorTexture: { index: 2 } } } }] },
    ],
    ['an image', { textures: [{ source: 0 }] }],
    ['the buffer view of an image', { images: [{ bufferView: 4, mimeType: 'image/png' }] }],
    [
      'the buffer view of an accessor',
      { accessors: [{ bufferView: 1, componentType: 5126, count: 1, type: 'SCALAR' }] },
    ],
    ['a buffer', { bufferViews: [{ buffer: 1, byteLength: 4 }] }],
    [
      'the node of an animation',
      {
        animations: [
          {
            samplers: [{ input: 0, output: 0 }],
            channels: [{ sampler: 0, target: { node: 3, path: 'scale' } }],
          },
        ],
      },
    ],
    [
      'the sampler of an animation',
      { animations: [{ samplers: [], channels: [{ sampler: 0, target: {} }] }] },
    ],
    ['a joint of a skin', { skins: [{ joints: [9] }] }],
  ])('an invalid reference is refused: %s', async (_, patch) => {
    const look = await inspectBytes(triangleGlb(changed(patch)), 'glb');
    expect(look).toMatchObject({
      verdict: 'reject',
      code: 'UNRESOLVED_REFERENCE',
      level: 'schema',
    });
  });

  it('problems with references are reported with their position', async () => {
    const look = await inspectBytes(triangleGlb(changed({ nodes: [{}, { mesh: 4 }] })), 'glb');
    expect(look.message).toContain('nodes[1].mesh is 4, but the list of meshes has length 1');
  });

  it('a buffer without any data is refused', async () => {
    expect((await inspectBytes(makeGlb(wholeTriangle), 'glb')).code).toBe('UNRESOLVED_REFERENCE');
  });
});

describe('nodes', () => {
  const chain = (length: number): Json[] =>
    Array.from({ length }, (_, index) => (index + 1 < length ? { children: [index + 1] } : {}));

  it.each<[string, Json[], string | null]>([
    ['a chain of 1,000 nodes', chain(1_000), null],
    ['a chain of 1,001 nodes', chain(1_001), 'TOO_DEEP'],
    ['a chain of 10,000 nodes', chain(10_000), 'TOO_DEEP'],
    ['a node that is its own child', [{ children: [0] }], 'NODE_CYCLE'],
    ['a cycle', [{}, { children: [2] }, { children: [3] }, { children: [1] }], 'NODE_CYCLE'],
    ['a shared child', [{ children: [2] }, { children: [2] }, {}], null],
    ['a child listed twice', [{ children: [1, 1] }, {}], null],
    [
      'a cycle behind a shared child',
      [{ children: [1] }, { children: [2] }, { children: [1] }],
      'NODE_CYCLE',
    ],
  ])('inspectBytes() returns the expected result for %s', async (_, nodes, code) => {
    const json = { ...bareJson, nodes };
    expect((await inspectBytes(makeGlb(json), 'glb')).code).toBe(code);
  });
});

describe('sizes', () => {
  const accessor = { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' };
  it.each<[string, Json, string]>([
    [
      'an accessor with a billion elements',
      { accessors: [{ ...accessor, count: 1e9 }] },
      'OUT_OF_BOUNDS',
    ],
    [
      'an accessor one element too long',
      { accessors: [{ ...accessor, count: 4 }] },
      'OUT_OF_BOUNDS',
    ],
    [
      'an accessor with an offset past the end',
      { accessors: [{ ...accessor, byteOffset: 4 }] },
      'OUT_OF_BOUNDS',
    ],
    [
      'a huge accessor without data',
      { accessors: [{ componentType: 5126, count: 1e9, type: 'VEC3' }] },
      'GLB_BOMB',
    ],
    [
      'a sparse accessor that replaces more elements than it has',
      { accessors: [{ ...accessor, sparse: { count: 9, indices: {}, values: {} } }] },
      'OUT_OF_BOUNDS',
    ],
    ['a negative count', { accessors: [{ ...accessor, count: -1 }] }, 'INVALID_SCHEMA'],
    ['an unknown type', { accessors: [{ ...accessor, type: 'VEC9' }] }, 'INVALID_SCHEMA'],
    [
      'a view that extends past its buffer',
      { bufferViews: [{ buffer: 0, byteLength: 37 }] },
      'OUT_OF_BOUNDS',
    ],
    ['a buffer larger than the BIN chunk', { buffers: [{ byteLength: 1e9 }] }, 'OUT_OF_BOUNDS'],
    [
      'a view with an offset past its buffer',
      { bufferViews: [{ buffer: 0, byteOffset: 1e9, byteLength: 36 }] },
      'OUT_OF_BOUNDS',
    ],
  ])('inspectBytes() returns the expected result for %s', async (_, patch, code) => {
    expect((await inspectBytes(triangleGlb(changed(patch)), 'glb')).code).toBe(code);
  });

  it('interleaved data is counted once', async () => {
    const patch = {
      accessors: [accessor, { ...accessor, byteOffset: 12, type: 'VEC2', count: 1 }],
      bufferViews: [{ buffer: 0, byteLength: 36 }],
    };
    expect((await inspectBytes(triangleGlb(changed(patch)), 'glb')).code).toBeNull();
  });

  it('a thousand views of the same bytes that would unpack to gigabytes are refused', async () => {
    const many = Array.from({ length: 1000 }, () => ({
      componentType: 5126,
      count: 100_000,
      type: 'MAT4',
    }));
    const look = await inspectBytes(
      triangleGlb(
        changed({ accessors: many, meshes: [], nodes: [], scenes: [], scene: undefined }),
      ),
      'glb',
    );
    expect(look.code).toBe('GLB_BOMB');
  });
});

describe('glTF in text form', () => {
  const data = `data:application/octet-stream;base64,${triangle().bin.toString('base64')}`;
  const text = (uri: string | undefined): Buffer =>
    Buffer.from(JSON.stringify({ ...wholeTriangle, buffers: [{ byteLength: 36, uri }] }));

  it.each([
    ['embedded data', text(data), null],
    ['data in another file', text('couch.bin'), 'EXTERNAL_BUFFER'],
    ['data above the folder', text('../../secret.bin'), 'EXTERNAL_BUFFER'],
    ['data on the web', text('https://example.com/a.bin'), 'EXTERNAL_BUFFER'],
    ['no data', text(undefined), 'UNRESOLVED_REFERENCE'],
    ['less data than declared', text('data:,AA'), 'OUT_OF_BOUNDS'],
    ['base64 of three bytes too few', text(data.slice(0, -4)), 'OUT_OF_BOUNDS'],
    ['percent-encoded data of half the bytes', text(`data:,${'%00'.repeat(18)}`), 'OUT_OF_BOUNDS'],
    ['text that is not JSON', Buffer.from('solid cube'), 'INVALID_JSON'],
    ['an empty file', Buffer.alloc(0), 'EMPTY_FILE'],
  ])('inspectBytes() returns the expected result for %s', async (_, bytes, code) => {
    const look = await inspectBytes(bytes, 'gltf');
    expect({ code: look.code, container: look.container }).toEqual({ code, container: 'gltf' });
  });
});

describe('variants', () => {
  const withMappings = (mappings: unknown, variants: unknown = [{ name: 'Red' }]): Buffer =>
    triangleGlb(
      changed({
        materials: [{ name: 'a' }],
        extensions: { KHR_materials_variants: { variants } },
        meshes: [
          {
            primitives: [
              { attributes: { POSITION: 0 }, extensions: { KHR_materials_variants: { mappings } } },
            ],
          },
        ],
      }),
    );

  it.each<[string, Buffer, string | null]>([
    ['a complete extension', withMappings([{ material: 0, variants: [0] }]), null],
    ['an empty list of mappings', withMappings([]), 'INVALID_VARIANTS'],
    ['a mapping without a material', withMappings([{ variants: [0] }]), 'INVALID_VARIANTS'],
    ['a mapping without variants', withMappings([{ material: 0 }]), 'INVALID_VARIANTS'],
    ['a missing material', withMappings([{ material: 1, variants: [0] }]), 'UNRESOLVED_REFERENCE'],
    ['a missing variant', withMappings([{ material: 0, variants: [1] }]), 'UNRESOLVED_REFERENCE'],
    [
      'a variant without a name',
      withMappings([{ material: 0, variants: [0] }], [{}]),
      'INVALID_VARIANTS',
    ],
  ])('inspectBytes() returns the expected result for %s', async (_, bytes, code) => {
    expect((await inspectBytes(bytes, 'glb')).code).toBe(code);
  });

  it("variant names keep the author's case and spaces", async () => {
    const bytes = withMappings(
      [{ material: 0, variants: [0] }],
      [{ name: ' Mango  Velvet ' }, { name: '' }],
    );
    expect((await inspectBytes(bytes, 'glb')).variants).toEqual([' Mango  Velvet ', '']);
  });
});

describe('messages', () => {
  const long = 'x'.repeat(100_000);
  const of = (patch: Json) => makeGlb({ ...triangle().json, ...patch }, triangle().bin);
  it.each([
    ['a version', of({ asset: { version: long } }), 'NOT_GLTF2'],
    ['a minor version', of({ asset: { version: `2.${'0'.repeat(100_000)}` } }), null],
    ['a count', of({ buffers: [{ byteLength: long }] }), 'INVALID_SCHEMA'],
    ['a camera', of({ nodes: [{ camera: long }] }), null],
    ['an extension', of({ extensionsRequired: [long] }), null],
    [
      'the name of an attribute',
      of({ meshes: [{ primitives: [{ attributes: { [long]: 9 } }] }] }),
      'UNRESOLVED_REFERENCE',
    ],
  ])('a message quotes only the start of %s', async (_, bytes, code) => {
    const { code: reject, message, warnings } = await inspectBytes(bytes, 'glb');
    expect(reject).toBe(code);
    expect(message).toMatch(/[x0]{100}…$/);
    for (const text of [message, ...warnings.map((warning) => warning.message)])
      expect(text.length).toBeLessThanOrEqual(maxMessageLength + 1);
  });
});

describe('inspection of a file on disk', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'look-'));
    await writeFile(join(folder, 'good.GLB'), good);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    ['good.GLB', null],
    ['gone.glb', 'FILE_GONE'],
    ['good.GLB/inside.glb', 'FILE_GONE'],
    ['', 'UNREADABLE'],
  ])('the file %j gets the verdict %s', async (name, code) => {
    const look = await inspectModelFile(join(folder, name));
    expect(look.code).toBe(code);
    if (code !== null) expect(look.message).not.toContain(folder);
  });
});

describe('file name extensions', () => {
  it.each([
    ['shoe.glb', 'glb'],
    ['/a/b.c/Shoe.GLB', 'glb'],
    ['shoe.tar.gz', 'gz'],
    ['shoe', ''],
    ['.glb', ''],
  ])('the type of %s is %j', (name, fileType) => {
    expect(fileTypeOf(name)).toBe(fileType);
  });
});
