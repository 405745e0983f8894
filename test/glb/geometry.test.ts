// What a pipeline refuses because nothing would be drawn, and what it does not refuse because something might be.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toBufferSource } from '../../src/glb/byte-source.ts';
import { inspectSource } from '../../src/glb/inspect-model.ts';
import { bareJson, floats, type Json, makeGlb, triangle } from './_make-glb.ts';
import { hasSharedData, type ModelRow, sharedPath, sharedRows } from './_shared-data.ts';

const { json, bin } = triangle();
const position = { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' };

/** A GLB of the triangle with other JSON, other positions or indices. */
function glbOf({
  positions = bin,
  indices,
  ...patch
}: Json & { positions?: Buffer; indices?: number[] }): Buffer {
  const data = Buffer.concat([positions, Buffer.from(indices ?? [])]);
  const meshes = [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }];
  const withIndices = indices && {
    meshes,
    accessors: [
      position,
      { bufferView: 1, componentType: 5121, count: indices.length, type: 'SCALAR' },
    ],
    bufferViews: [
      { buffer: 0, byteLength: positions.length },
      { buffer: 0, byteOffset: positions.length, byteLength: indices.length },
    ],
  };
  const buffers = [{ byteLength: data.length }];
  return makeGlb({ ...json, buffers, ...withIndices, ...patch }, data);
}

const primitiveOf = (primitive: Json) => ({
  meshes: [{ primitives: [{ attributes: { POSITION: 0 }, ...primitive }] }],
});
const accessorOf = (accessor: Json) => ({ accessors: [{ ...position, ...accessor }] });
const samePoints = floats(1, 1, 1, 1, 1, 1, 1, 1, 1);
const animations = [
  {
    samplers: [{ input: 0, output: 0 }],
    channels: [{ sampler: 0, target: { node: 0, path: 'scale' } }],
  },
];

async function inspect(bytes: Buffer, fileType = 'glb') {
  const source = toBufferSource(bytes);
  const { code, message, warnings } = await inspectSource(source, fileType, {
    isGeometryRead: true,
  });
  return { code, message, warnings };
}

describe('a model of which nothing would be drawn', () => {
  it.each<[string, Buffer]>([
    ['without nodes', makeGlb({ ...bareJson, nodes: [] })],
    ['whose nodes have no mesh', glbOf({ nodes: [{}] })],
    ['whose mesh has no primitives', glbOf({ meshes: [{ primitives: [] }] })],
    ['whose mesh has no positions', glbOf(primitiveOf({ attributes: {} }))],
    ['with 0 positions', glbOf(accessorOf({ count: 0 }))],
    ['with two positions', glbOf(accessorOf({ count: 2 }))],
    ['with positions that have no data', glbOf(accessorOf({ bufferView: undefined }))],
    ['whose triangle is a point', glbOf({ positions: samePoints })],
    ['whose triangle is a line', glbOf({ positions: floats(0, 0, 0, 1, 2, 3, 2, 4, 6) })],
    ['whose triangles use the same vertex twice', glbOf({ indices: [0, 0, 1, 1, 2, 2] })],
    ['whose node is scaled to 0', glbOf({ nodes: [{ mesh: 0, scale: [0, 0, 0] }] })],
    ['scaled to a line', glbOf({ nodes: [{ mesh: 0, scale: [0, 1, 0] }] })],
    [
      'below a node that is scaled to 0',
      glbOf({ nodes: [{ children: [1], scale: [0, 0, 0] }, { mesh: 0 }] }),
    ],
    ['with a matrix of 0', glbOf({ nodes: [{ mesh: 0, matrix: Array(16).fill(0) }] })],
  ])('causes a warning: a model %s', async (_, bytes) => {
    expect(await inspect(bytes)).toMatchObject({
      code: null,
      warnings: [
        {
          code: 'EMPTY_SCENE',
          message: expect.stringMatching(
            /: (no node has a mesh|its meshes have no triangle with an area|all nodes with a mesh are scaled to 0)\./,
          ),
        },
      ],
    });
  });

  it.each<[string, Buffer]>([
    ['with a flat scale', glbOf({ nodes: [{ mesh: 0, scale: [1, 1, 0] }] })],
    [
      'with one node that is not scaled to 0',
      glbOf({ nodes: [{ mesh: 0, scale: [0, 0, 0] }, { mesh: 0 }], scenes: [{ nodes: [0, 1] }] }),
    ],
    ['that an animation scales up', glbOf({ nodes: [{ mesh: 0, scale: [0, 0, 0] }], animations })],
    ['that joints move', glbOf({ positions: samePoints, skins: [{ joints: [0] }] })],
    [
      'that a target changes',
      glbOf({ positions: samePoints, ...primitiveOf({ targets: [{ POSITION: 0 }] }) }),
    ],
    ['of points', glbOf({ positions: samePoints, ...primitiveOf({ mode: 0 }) })],
    [
      'of lines',
      glbOf({ positions: floats(0, 0, 0, 1, 1, 1, 2, 2, 2), ...primitiveOf({ mode: 1 }) }),
    ],
    ['with an index that restarts a strip', glbOf({ indices: [0, 1, 2, 255, 0, 1, 2] })],
    [
      'whose mesh is in another scene',
      glbOf({ nodes: [{ mesh: 0 }, {}], scenes: [{ nodes: [1] }] }),
    ],
    ['without a scene', glbOf({ scene: undefined, scenes: undefined })],
    ['with positions without bounds', glbOf(accessorOf({}))],
    [
      'with sparse positions',
      glbOf(accessorOf({ bufferView: undefined, sparse: { count: 3, indices: {}, values: {} } })),
    ],
    [
      'that Draco compresses',
      glbOf({
        ...accessorOf({ bufferView: undefined }),
        ...primitiveOf({ extensions: { KHR_draco_mesh_compression: { bufferView: 0 } } }),
      }),
    ],
    ['whose extension may draw something', glbOf({ nodes: [{}], extensionsUsed: ['ACME_splats'] })],
    ['with a second triangle that has an area', glbOf({ indices: [0, 0, 0, 0, 1, 2] })],
  ])('is not assumed: a model %s is accepted', async (_, bytes) => {
    expect(await inspect(bytes)).toMatchObject({ code: null, warnings: [] });
  });
});

describe('vertices that are not numbers, or not there', () => {
  const raw = (text: string) => makeGlb(JSON.stringify(json).replace('[1,1,0]', text), bin);
  it.each<[string, Buffer, string]>([
    [
      'an infinite bound',
      raw('[1e999,1,0]'),
      'accessors[0].max, a bound of positions, is not finite',
    ],
    ['a bound that was NaN', raw('[null,null,null]'), 'accessors[0].max, a bound'],
    [
      'a position that is NaN',
      glbOf({ positions: floats(0, 0, 0, 1, 0, 0, 0, NaN, 0) }),
      'Position 2 of accessors[0] is not finite',
    ],
    [
      'an infinite position',
      glbOf({ positions: floats(0, 0, 0, 1, 0, 0, 0, Infinity, 0) }),
      'Position 2 of accessors[0]',
    ],
    [
      'an index past the end',
      glbOf({ indices: [0, 1, 3] }),
      'meshes[0].primitives[0].indices use vertex 3, but there are 3 vertices',
    ],
  ])('are refused with their place: %s', async (_, bytes, message) => {
    expect(await inspect(bytes)).toMatchObject({
      code: 'INVALID_GEOMETRY',
      message: expect.stringContaining(message),
    });
  });

  it('are found in glTF as text', async () => {
    const data = floats(0, 0, 0, 1, 0, 0, NaN, 1, 0).toString('base64');
    const buffers = [{ byteLength: 36, uri: `data:application/gltf-buffer;base64,${data}` }];
    const look = await inspect(Buffer.from(JSON.stringify({ ...json, buffers })), 'gltf');
    expect(look.code).toBe('INVALID_GEOMETRY');
  });

  it.each<[string, Json]>([
    ['translation', { translation: ['x', 0, 0] }],
    ['rotation', { rotation: [null, null, null, null] }],
    ['scale', { scale: [1, 1] }],
    ['matrix', { matrix: Array(15).fill(1) }],
  ])('are refused in the %s of a node', async (key, transform) => {
    expect(await inspect(glbOf({ nodes: [{ mesh: 0, ...transform }] }))).toMatchObject({
      code: 'INVALID_SCHEMA',
      message: expect.stringMatching(`nodes\\[0\\]\\.${key} is not a list of \\d+ finite numbers`),
    });
  });
});

describe('textures in a model', () => {
  it.each<[string, Buffer, string[]]>([
    ['PNG', Buffer.from('89504e470d0a1a0a', 'hex'), []],
    ['JPEG', Buffer.from('ffd8ffe0', 'hex'), []],
    ['WebP', Buffer.from('RIFF\x04\0\0\0WEBPVP8 '), []],
    ['KTX2', Buffer.from('\xabKTX 20\xbb\r\n\x1a\n', 'latin1'), []],
    ['AVIF', Buffer.from('\0\0\0\x20ftypavif'), []],
    ['a web page', Buffer.from('<!doctype html>'), ['UNREADABLE_TEXTURE']],
    ['nothing', Buffer.alloc(0), ['UNREADABLE_TEXTURE']],
  ])('that contain %s get the expected warnings', async (_, picture, codes) => {
    const bytes = glbOf({
      positions: Buffer.concat([bin, picture]),
      bufferViews: [
        { buffer: 0, byteLength: 36 },
        { buffer: 0, byteOffset: 36, byteLength: picture.length },
      ],
      images: [{ bufferView: 1, mimeType: 'image/png', name: 'wood' }],
    });
    const look = await inspectSource(toBufferSource(bytes), 'glb', { isGeometryRead: true });
    expect(look.warnings.map(({ code }) => code)).toEqual(codes);
    expect(look.message).toContain(codes.length > 0 ? 'no pictures ("wood")' : '');
  });

  it('in other files are not read, and textures as text are', async () => {
    const images = [
      { uri: 'textures/wood.png' },
      { uri: 'data:image/png;base64,aGVsbG8gaGVsbG8=' },
    ];
    const look = await inspectSource(toBufferSource(glbOf({ images })), 'glb', {
      isGeometryRead: true,
    });
    expect(look.warnings.map(({ code }) => code)).toEqual([
      'UNREADABLE_TEXTURE',
      'EXTERNAL_TEXTURE',
    ]);
    expect(look.message).toContain('no pictures ("images[1]")');
  });
});

describe('reading', () => {
  it.each([
    ['share their data', { bufferView: 0 }],
    ['share positions without data', { bufferView: undefined }],
  ])('thousands of primitives that %s are inspected in bounded time', async (_, accessor) => {
    const count = 100_000;
    const positions = Buffer.alloc(12 * count);
    const primitives = Array.from({ length: 5_000 }, () => ({ attributes: { POSITION: 0 } }));
    const bufferViews = [{ buffer: 0, byteLength: positions.length }];
    const patch = { ...accessorOf({ count, ...accessor }), meshes: [{ primitives }] };
    expect((await inspect(glbOf({ positions, bufferViews, ...patch }))).code).toBeNull();
  });

  it('the data of a file above 4 MiB is not read', async () => {
    const source = toBufferSource(
      glbOf({ positions: Buffer.concat([samePoints, Buffer.alloc(5e6)]) }),
    );
    let largestRead = 0;
    const counted = {
      size: source.size,
      read: (offset: number, length: number) => {
        largestRead = Math.max(largestRead, length);
        return source.read(offset, length);
      },
    };
    expect((await inspectSource(counted, 'glb', { isGeometryRead: true })).code).toBeNull();
    expect(largestRead).toBeLessThan(2_000);
  });
});

describe.skipIf(!hasSharedData)('real models', () => {
  const models = sharedRows<ModelRow>('models.jsonl').filter(({ file }) => file.endsWith('.glb'));
  it.each(models)('the file $file is drawn', async ({ file }) => {
    expect(await inspect(readFileSync(sharedPath(file)))).toMatchObject({ code: null });
  });
});
