// Each case has one broken part, and the expected code of the refusal.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileTypeOf, inspectBytes, inspectModelFile } from '../../src/glb/inspect-model.ts';
import { bareJson, floats, type Json, makeGlb, triangle, triangleGlb } from './_make-glb.ts';

function changed(patch: Json): (json: Json) => Json {
  return (json) => ({ ...json, ...patch });
}

const good = triangleGlb();
const wholeTriangle = triangle().json;
describe('the container of a GLB', () => {
  it.each([
    ['whole', good, null],
    ['without binary data', makeGlb(bareJson), null],
    ['with an unknown third chunk', makeGlb(bareJson, floats(1), { extraChunks: 1 }), null],
    ['empty', Buffer.alloc(0), 'EMPTY_FILE'],
    ['text', Buffer.from('hello, this is not a model'), 'NOT_A_GLB'],
    ['three bytes of the magic', good.subarray(0, 3), 'TRUNCATED'],
    ['cut in the header', good.subarray(0, 9), 'TRUNCATED'],
    ['cut after the header', good.subarray(0, 12), 'TRUNCATED'],
    ['cut in the JSON', good.subarray(0, 40), 'TRUNCATED'],
    ['cut in the data', good.subarray(0, good.length - 1), 'TRUNCATED'],
    ['declaring more than it has', makeGlb(bareJson, undefined, { lengthError: 4 }), 'TRUNCATED'],
    [
      'declaring less than it has',
      makeGlb(bareJson, undefined, { lengthError: -4 }),
      'CHUNK_TOO_BIG',
    ],
    ['version 1', makeGlb(bareJson, undefined, { version: 1 }), 'UNSUPPORTED_VERSION'],
    ['version 3', makeGlb(bareJson, undefined, { version: 3 }), 'UNSUPPORTED_VERSION'],
    ['with thousands of chunks', makeGlb(bareJson, undefined, { extraChunks: 2000 }), 'GLB_BOMB'],
    ['with far too much JSON', makeGlb(' '.repeat(33 * 1024 * 1024)), 'JSON_TOO_BIG'],
  ])('inspectBytes() checks a container: %s', async (_, bytes, code) => {
    const look = await inspectBytes(bytes, 'glb');
    expect(look.code).toBe(code);
    expect(look.verdict).toBe(code === null ? 'accept' : 'reject');
    expect(look.container).toBe('glb');
  });

  it('a container is recognized whatever the extension says', async () => {
    expect((await inspectBytes(good, 'vrm')).container).toBe('glb');
  });
});

describe('JSON', () => {
  it.each([
    ['not JSON', '{]', 'INVALID_JSON'],
    ['UTF-16', Buffer.from('{"asset":{}}', 'utf16le'), 'INVALID_JSON'],
    ['a list', '[]', 'NOT_GLTF2'],
    ['no asset', '{}', 'NOT_GLTF2'],
    ['glTF 1', '{"asset":{"version":"1.0"}}', 'NOT_GLTF2'],
    ['glTF 3', '{"asset":{"version":"3.0"}}', 'NOT_GLTF2'],
    ['glTF 20', '{"asset":{"version":"20.0"}}', 'NOT_GLTF2'],
    ['nesting that would exhaust memory', '['.repeat(1_000_000), 'TOO_DEEP'],
    ['millions of empty objects', `{"nodes":[${'{},'.repeat(2_000_000)}{}]}`, 'JSON_TOO_BIG'],
    [
      'as many commas inside a text',
      `{"asset":{"version":"2.1","copyright":"${','.repeat(600_000)}"}}`,
      null,
    ],
    [
      'brackets inside a text',
      `{"asset":{"version":"2.1","copyright":"\\"${'['.repeat(500)}"}}`,
      null,
    ],
    ['meshes that are not a list', '{"asset":{"version":"2.0"},"meshes":{}}', 'INVALID_SCHEMA'],
    ['nodes that are not objects', '{"asset":{"version":"2.0"},"nodes":[1]}', 'INVALID_SCHEMA'],
  ])('inspectBytes() checks the JSON: %s', async (_, json, code) => {
    expect((await inspectBytes(makeGlb(json), 'glb')).code).toBe(code);
  });
});

describe('references', () => {
  it.each<[string, Json]>([
    ['scene', { scene: 1 }],
    ['scene node', { scenes: [{ nodes: [7] }] }],
    ['node child', { nodes: [{ mesh: 0, children: [1] }] }],
    ['node mesh', { nodes: [{ mesh: 1 }] }],
    ['node skin', { nodes: [{ mesh: 0, skin: 0 }] }],
    ['negative', { nodes: [{ mesh: -1 }] }],
    ['fraction', { nodes: [{ mesh: 0.5 }] }],
    ['text', { nodes: [{ mesh: '0' }] }],
    ['attribute', { meshes: [{ primitives: [{ attributes: { POSITION: 3 } }] }] }],
    ['indices', { meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 9 }] }] }],
    ['material', { meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }] }],
    [
      'morph target',
      { meshes: [{ primitives: [{ attributes: {}, targets: [{ POSITION: 5 }] }] }] },
    ],
    ['texture', { materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }] }],
    [
      'texture of an extension',
      { materials: [{ extensions: { KHR_materials_sheen: { sheenColorTexture: { index: 2 } } } }] },
    ],
    ['image', { textures: [{ source: 0 }] }],
    ['image view', { images: [{ bufferView: 4, mimeType: 'image/png' }] }],
    [
      'buffer view',
      { accessors: [{ bufferView: 1, componentType: 5126, count: 1, type: 'SCALAR' }] },
    ],
    ['buffer', { bufferViews: [{ buffer: 1, byteLength: 4 }] }],
    [
      'animation node',
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
      'animation sampler',
      { animations: [{ samplers: [], channels: [{ sampler: 0, target: {} }] }] },
    ],
    ['skin joint', { skins: [{ joints: [9] }] }],
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
    expect(look.message).toContain('nodes[1].mesh is 4, but the file has 1 meshes');
  });

  it('a buffer without data is refused', async () => {
    expect((await inspectBytes(makeGlb(wholeTriangle), 'glb')).code).toBe('UNRESOLVED_REFERENCE');
  });
});

describe('nodes', () => {
  const chain = (length: number): Json[] =>
    Array.from({ length }, (_, index) => (index + 1 < length ? { children: [index + 1] } : {}));

  it.each<[string, Json[], string | null]>([
    ['a chain of 1,000', chain(1_000), null],
    ['a chain of 1,001', chain(1_001), 'TOO_DEEP'],
    ['a chain of 10,000', chain(10_000), 'TOO_DEEP'],
    ['a node that is its own child', [{ children: [0] }], 'NODE_CYCLE'],
    ['a ring', [{}, { children: [2] }, { children: [3] }, { children: [1] }], 'NODE_CYCLE'],
    ['a shared child', [{ children: [2] }, { children: [2] }, {}], null],
    ['a child named twice', [{ children: [1, 1] }, {}], null],
    [
      'a ring behind a shared child',
      [{ children: [1] }, { children: [2] }, { children: [1] }],
      'NODE_CYCLE',
    ],
  ])('inspectBytes() checks nodes: %s', async (_, nodes, code) => {
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
      'GLB_BOMB',
    ],
    ['an accessor one element too long', { accessors: [{ ...accessor, count: 4 }] }, 'GLB_BOMB'],
    [
      'an accessor with an offset past the end',
      { accessors: [{ ...accessor, byteOffset: 4 }] },
      'GLB_BOMB',
    ],
    [
      'a huge accessor without data',
      { accessors: [{ componentType: 5126, count: 1e9, type: 'VEC3' }] },
      'GLB_BOMB',
    ],
    [
      'a sparse accessor that replaces more than it has',
      { accessors: [{ ...accessor, sparse: { count: 9, indices: {}, values: {} } }] },
      'GLB_BOMB',
    ],
    ['a negative count', { accessors: [{ ...accessor, count: -1 }] }, 'INVALID_SCHEMA'],
    ['an unknown type', { accessors: [{ ...accessor, type: 'VEC9' }] }, 'INVALID_SCHEMA'],
    ['a view past its buffer', { bufferViews: [{ buffer: 0, byteLength: 37 }] }, 'OUT_OF_BOUNDS'],
    ['a buffer larger than the BIN chunk', { buffers: [{ byteLength: 1e9 }] }, 'OUT_OF_BOUNDS'],
    [
      'a view with an offset past its buffer',
      { bufferViews: [{ buffer: 0, byteOffset: 1e9, byteLength: 36 }] },
      'OUT_OF_BOUNDS',
    ],
  ])('inspectBytes() checks sizes: %s', async (_, patch, code) => {
    expect((await inspectBytes(triangleGlb(changed(patch)), 'glb')).code).toBe(code);
  });

  it('interleaved data counts once', async () => {
    const patch = {
      accessors: [accessor, { ...accessor, byteOffset: 12, type: 'VEC2', count: 1 }],
      bufferViews: [{ buffer: 0, byteLength: 36 }],
    };
    expect((await inspectBytes(triangleGlb(changed(patch)), 'glb')).code).toBeNull();
  });

  it('a thousand views of the same bytes that unpack to gigabytes are refused', async () => {
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

describe('text glTF', () => {
  const data = `data:application/octet-stream;base64,${triangle().bin.toString('base64')}`;
  const text = (uri: string | undefined): Buffer =>
    Buffer.from(JSON.stringify({ ...wholeTriangle, buffers: [{ byteLength: 36, uri }] }));

  it.each([
    ['data inside', text(data), null],
    ['data in another file', text('couch.bin'), 'EXTERNAL_BUFFER'],
    ['data above the folder', text('../../secret.bin'), 'EXTERNAL_BUFFER'],
    ['data on the web', text('https://example.com/a.bin'), 'EXTERNAL_BUFFER'],
    ['no data', text(undefined), 'UNRESOLVED_REFERENCE'],
    ['less data than declared', text('data:,AA'), 'OUT_OF_BOUNDS'],
    ['not JSON', Buffer.from('solid cube'), 'INVALID_JSON'],
    ['empty', Buffer.alloc(0), 'EMPTY_FILE'],
  ])('inspectBytes() checks a text glTF: %s', async (_, bytes, code) => {
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
    ['whole', withMappings([{ material: 0, variants: [0] }]), null],
    ['no mappings', withMappings([]), 'INVALID_VARIANTS'],
    ['no material', withMappings([{ variants: [0] }]), 'INVALID_VARIANTS'],
    ['no variants', withMappings([{ material: 0 }]), 'INVALID_VARIANTS'],
    ['a missing material', withMappings([{ material: 1, variants: [0] }]), 'UNRESOLVED_REFERENCE'],
    ['a missing variant', withMappings([{ material: 0, variants: [1] }]), 'UNRESOLVED_REFERENCE'],
    [
      'a variant without a name',
      withMappings([{ material: 0, variants: [0] }], [{}]),
      'INVALID_VARIANTS',
    ],
  ])('inspectBytes() checks variants: %s', async (_, bytes, code) => {
    expect((await inspectBytes(bytes, 'glb')).code).toBe(code);
  });

  it("names of variants keep the author's case and spaces", async () => {
    const bytes = withMappings(
      [{ material: 0, variants: [0] }],
      [{ name: ' Mango  Velvet ' }, { name: '' }],
    );
    expect((await inspectBytes(bytes, 'glb')).variants).toEqual([' Mango  Velvet ', '']);
  });
});

describe('other formats', () => {
  const zip = Buffer.from([0x50, 0x4b, 3, 4, 0, 0]);
  it.each([
    ['usdz', zip, null],
    ['usdz', Buffer.from('#usda 1.0'), 'NOT_A_ZIP'],
    ['usdz', Buffer.from('PK'), 'NOT_A_ZIP'],
    ['fbx', Buffer.from('Kaydara FBX Binary  \0'), null],
    ['fbx', Buffer.from('; FBX 7.4.0 project file'), null],
    ['fbx', zip, 'NOT_AN_FBX'],
    ['fbx', Buffer.from('<html>not found</html>'), 'NOT_AN_FBX'],
    ['obj', Buffer.from('v 0 0 0\nf 1 1 1\n'), null],
    ['obj', zip, 'NOT_AN_OBJ'],
    ['stl', Buffer.from('solid'), null],
    ['stl', Buffer.alloc(0), 'EMPTY_FILE'],
    ['', Buffer.from('anything'), null],
  ])('inspectBytes() checks a file in another format: .%s', async (fileType, bytes, code) => {
    const look = await inspectBytes(bytes, fileType);
    expect({ code: look.code, container: look.container }).toEqual({ code, container: 'other' });
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
  ])('the file %j has the verdict %s', async (name, code) => {
    const look = await inspectModelFile(join(folder, name));
    expect(look.code).toBe(code);
    if (code !== null) expect(look.message).not.toContain(folder);
  });
});

describe('names and lengths', () => {
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
