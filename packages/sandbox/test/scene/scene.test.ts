// A file as a scene: triangles in world space, slots in order, and variants as changes of materials.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Accessor, Primitive } from '@gltf-transform/core';
import {
  EXTMeshoptCompression,
  KHRDracoMeshCompression,
  KHRMaterialsUnlit,
  KHRMaterialsVariants,
  KHRTextureTransform,
} from '@gltf-transform/extensions';
import { MeshoptEncoder } from 'meshoptimizer/encoder';
import { describe, expect, it, vi } from 'vitest';
import { bareJson, makeGlb, triangle, triangleGlb } from '../../../../test/glb/_make-glb.ts';
import {
  hasSharedData,
  type ModelRow,
  sharedPath,
  sharedRows,
} from '../../../../test/glb/_shared-data.ts';
import { ModelUnreadableError, readScene, type Scene } from '../../src/scene/scene.ts';
import { authorSquare, square, stripesPng, toGlb } from '../_author.ts';

/** The module has no types. */
const draco = createRequire(import.meta.url)('draco3dgltf') as {
  createEncoderModule(): Promise<object>;
};

const models = sharedRows<ModelRow>('models.jsonl').filter(({ file }) => file.endsWith('.glb'));

function corners({ positions, indices }: Scene): number[][] {
  return Array.from(indices, (vertex) =>
    Array.from(positions.subarray(vertex * 3, vertex * 3 + 3)),
  );
}

// Twice the area vector of the first triangle. Its direction is the direction in which the triangle faces.
function facing(scene: Scene): number[] {
  const [a = [], b = [], c = []] = corners(scene);
  const [ux = 0, uy = 0, uz = 0] = b.map((value, axis) => value - (a[axis] ?? 0));
  const [vx = 0, vy = 0, vz = 0] = c.map((value, axis) => value - (a[axis] ?? 0));
  return [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx].map(
    (value) => Math.sign(Math.round(value * 1e4)) + 0,
  );
}

describe.skipIf(!hasSharedData)('real models', () => {
  it.each(models)('the file $file is read as a scene', async (row) => {
    const scene = await readScene(readFileSync(sharedPath(row.file)), 'glb');
    expect(scene.materials.map(({ name }) => name)).toEqual(row.materials);
    expect(scene.variants).toEqual(row.variants);
    expect(scene.indices.length / 3).toBeGreaterThanOrEqual(row.trianglesOfListPrimitives ?? 0);
    expect(scene.bytes).toBeGreaterThan(scene.positions.byteLength + scene.indices.byteLength);
    const vertices = scene.positions.length / 3;
    expect(scene.indices.every((vertex) => vertex < vertices)).toBe(true);
    const mapped = new Set(scene.parts.flatMap((part) => [...part.variantMaterials.keys()]));
    const expected = (row.primitives ?? []).flatMap(({ variants }) =>
      variants.flatMap((mapping) => mapping.variants.map((index) => row.variants?.[index])),
    );
    expect(mapped).toEqual(new Set(expected));
  });

  it('distinct materials with the same name stay distinct', async () => {
    const file = sharedPath('models/MaterialsVariantsShoe.glb');
    const scene = await readScene(readFileSync(file), 'glb');
    const [part] = scene.parts;
    expect([...(part?.variantMaterials ?? [])]).toEqual([
      ['midnight', 0],
      ['beach', 1],
      ['street', 2],
    ]);
  });

  it('the file kenney-coin.glb is read without its missing texture', async () => {
    const scene = await readScene(readFileSync(sharedPath('models/kenney-coin.glb')), 'glb');
    expect(scene.materials[0]).toMatchObject({ name: 'colormap', baseColorTexture: null });
    expect(scene.indices.length).toBe(252 * 3);
  });
});

describe('geometry', () => {
  it('triangles are placed in the world', async () => {
    const { document, node } = authorSquare();
    node.setTranslation([10, 0, 0]).setScale([2, 3, 1]);
    const scene = await readScene(await toGlb(document), 'glb');
    expect(scene.min).toEqual([8, -3, 0]);
    expect(scene.max).toEqual([12, 3, 0]);
  });

  it('the transforms of parents are multiplied', async () => {
    const { document, node } = authorSquare();
    const parent = document
      .createNode()
      .setTranslation([0, 5, 0])
      .setScale([2, 2, 2])
      .addChild(node);
    node.setTranslation([1, 0, 0]);
    document.getRoot().listScenes()[0]?.addChild(parent);
    const scene = await readScene(await toGlb(document), 'glb');
    expect(scene.min).toEqual([0, 3, 0]);
    expect(scene.max).toEqual([4, 7, 0]);
  });

  it('normals are rotated with their surface', async () => {
    const { document, node } = authorSquare();
    const half = Math.SQRT1_2;
    node.setRotation([-half, 0, 0, half]).setScale([1, 4, 1]);
    const scene = await readScene(await toGlb(document), 'glb');
    expect(facing(scene)).toEqual([0, 1, 0]);
    const [x = 1, y = 0, z = 1] = scene.normals;
    expect([x, y, z].map((value) => Math.round(value * 1e5) / 1e5 + 0)).toEqual([0, 1, 0]);
  });

  it('normals stay perpendicular under uneven scale', async () => {
    const { document, node } = authorSquare();
    const eighth = Math.PI / 8;
    const parent = document.createNode().setScale([1, 1, 3]).addChild(node);
    node.setRotation([0, Math.sin(eighth), 0, Math.cos(eighth)]);
    document.getRoot().listScenes()[0]?.addChild(parent);
    const scene = await readScene(await toGlb(document), 'glb');
    const [a = [], b = []] = corners(scene);
    const along = b.map((value, axis) => value - (a[axis] ?? 0));
    const dot = along.reduce((sum, value, axis) => sum + value * (scene.normals[axis] ?? 0), 0);
    expect(dot).toBeCloseTo(0, 5);
  });

  it('mirrored surfaces still face outwards', async () => {
    const { document, node } = authorSquare();
    node.setScale([-1, 1, 1]);
    const scene = await readScene(await toGlb(document), 'glb');
    expect(facing(scene)).toEqual([0, 0, 1]);
    expect(Array.from(scene.normals.subarray(0, 3)).map((value) => value + 0)).toEqual([0, 0, 1]);
  });

  it.each([
    ['TRIANGLES', [0, 1, 2, 0, 2, 3], 2],
    ['TRIANGLES', [0, 1, 2, 0, 2], 1],
    ['TRIANGLE_STRIP', [3, 0, 2, 1], 2],
    ['TRIANGLE_FAN', [0, 1, 2, 3], 2],
    ['LINES', [0, 1], 0],
    ['POINTS', [0, 1], 0],
  ] as const)(
    'a mesh of %s with %j is read as %i triangles, all facing the same way',
    async (mode, list, count) => {
      const { document, primitive } = authorSquare();
      const value = Primitive.Mode[mode];
      if (value === undefined) throw new Error('unknown mode');
      primitive.setMode(value);
      primitive.setIndices(document.createAccessor().setArray(Uint16Array.from(list)));
      const scene = await readScene(await toGlb(document), 'glb');
      expect(scene.indices.length / 3).toBe(count);
      const points = corners(scene);
      for (let first = 0; first < points.length; first += 3) {
        const [a = [], b = [], c = []] = points.slice(first, first + 3);
        const area =
          ((b[0] ?? 0) - (a[0] ?? 0)) * ((c[1] ?? 0) - (a[1] ?? 0)) -
          ((b[1] ?? 0) - (a[1] ?? 0)) * ((c[0] ?? 0) - (a[0] ?? 0));
        expect(area).toBeGreaterThan(0);
      }
    },
  );

  it('primitives without indices are drawn', async () => {
    const scene = await readScene(triangleGlb(), 'glb');
    expect(scene.indices).toEqual(Uint32Array.from([0, 1, 2]));
    expect(scene.normals).toEqual(new Float32Array(9));
  });

  it('a file without triangles is read as an empty scene', async () => {
    const scene = await readScene(makeGlb(bareJson), 'glb');
    expect(scene.indices.length).toBe(0);
    expect(scene).toMatchObject({ materials: [], variants: [], min: [0, 0, 0], max: [0, 0, 0] });
  });

  it('a .gltf with embedded data is read', async () => {
    const { json, bin } = triangle();
    const uri = `data:application/octet-stream;base64,${bin.toString('base64')}`;
    const text = JSON.stringify({ ...json, buffers: [{ byteLength: 36, uri }] });
    expect((await readScene(Buffer.from(text), 'gltf')).max).toEqual([1, 1, 0]);
  });

  it('a buffer that starts at an odd address is read', async () => {
    const file = triangleGlb();
    const shifted = Buffer.concat([Buffer.from([0]), file]).subarray(1);
    expect((await readScene(shifted, 'glb')).indices.length).toBe(3);
  });
});

describe('compression', () => {
  it('meshopt compression is decoded', async () => {
    await MeshoptEncoder.ready;
    const { document } = authorSquare();
    document.createExtension(EXTMeshoptCompression).setRequired(true);
    const glb = await toGlb(document, [EXTMeshoptCompression], {
      'meshopt.encoder': MeshoptEncoder,
    });
    expect(Buffer.from(glb).includes('EXT_meshopt_compression')).toBe(true);
    expect((await readScene(glb, 'glb')).max).toEqual([1, 1, 0]);
  });

  it('Draco compression is decoded', async () => {
    const { document } = authorSquare();
    document.createExtension(KHRDracoMeshCompression).setRequired(true);
    const glb = await toGlb(document, [KHRDracoMeshCompression], {
      'draco3d.encoder': await draco.createEncoderModule(),
    });
    expect(Buffer.from(glb).includes('KHR_draco_mesh_compression')).toBe(true);
    const scene = await readScene(glb, 'glb');
    expect(scene.indices.length).toBe(6);
    expect(scene.max.map((value) => Math.round(value * 100) / 100)).toEqual([1, 1, 0]);
  });
});

describe('materials', () => {
  it('factors, alpha and sides of materials are read', async () => {
    const { document, material } = authorSquare();
    material
      .setBaseColorFactor([0.1, 0.2, 0.3, 0.4])
      .setMetallicFactor(0.5)
      .setRoughnessFactor(0.6)
      .setEmissiveFactor([0.7, 0.8, 0.9])
      .setAlphaMode('MASK')
      .setAlphaCutoff(0.25)
      .setDoubleSided(true)
      .setExtension(
        'KHR_materials_unlit',
        document.createExtension(KHRMaterialsUnlit).createUnlit(),
      );
    const scene = await readScene(await toGlb(document, [KHRMaterialsUnlit]), 'glb');
    expect(scene.materials[0]).toMatchObject({
      name: 'paint',
      baseColor: [0.1, 0.2, 0.3],
      alpha: 0.4,
      metallic: 0.5,
      roughness: 0.6,
      emissive: [0.7, 0.8, 0.9],
      alphaMode: 'MASK',
      alphaCutoff: 0.25,
      doubleSided: true,
      unlit: true,
    });
  });

  it('texture transforms are read as one matrix', async () => {
    const { document, material } = authorSquare();
    const image = await stripesPng([[255, 0, 0]]);
    material.setBaseColorTexture(
      document.createTexture().setImage(Uint8Array.from(image)).setMimeType('image/png'),
    );
    const transform = document
      .createExtension(KHRTextureTransform)
      .createTransform()
      .setOffset([0.5, 0.25])
      .setScale([2, 3])
      .setRotation(Math.PI / 2);
    material.getBaseColorTextureInfo()?.setExtension('KHR_texture_transform', transform);
    const scene = await readScene(await toGlb(document, [KHRTextureTransform]), 'glb');
    const matrix = scene.materials[0]?.baseColorTexture?.transform ?? [];
    expect(matrix.map((value) => Math.round(value * 1000) / 1000 + 0)).toEqual([
      0, -2, 3, 0, 0.5, 0.25,
    ]);
  });

  it('slots are numbered in file order, whatever their names', async () => {
    const { document } = authorSquare();
    for (const name of ['paint', '', 'b']) {
      const primitive = square(document).setMaterial(document.createMaterial(name));
      const node = document.createNode().setMesh(document.createMesh().addPrimitive(primitive));
      document.getRoot().listScenes()[0]?.addChild(node);
    }
    const scene = await readScene(await toGlb(document), 'glb');
    expect(scene.materials.map(({ name }) => name)).toEqual(['paint', 'paint', null, 'b']);
    expect(scene.parts.map(({ material }) => material)).toEqual([0, 1, 2, 3]);
    expect(scene.parts.map(({ firstTriangle }) => firstTriangle)).toEqual([0, 2, 4, 6]);
  });

  it('variants are mapped to materials, and the default material is kept', async () => {
    const { document, primitive } = authorSquare();
    const extension = document.createExtension(KHRMaterialsVariants);
    const red = extension.createVariant('Red One');
    const blue = extension.createVariant('blue');
    const list = extension.createMappingList();
    list.addMapping(
      extension.createMapping().setMaterial(document.createMaterial('red')).addVariant(red),
    );
    list.addMapping(
      extension.createMapping().setMaterial(document.createMaterial('blue')).addVariant(blue),
    );
    primitive.setExtension('KHR_materials_variants', list);
    const scene = await readScene(await toGlb(document, [KHRMaterialsVariants]), 'glb');
    expect(scene.variants).toEqual(['Red One', 'blue']);
    expect([...(scene.parts[0]?.variantMaterials ?? [])]).toEqual([
      ['Red One', 1],
      ['blue', 2],
    ]);
    expect(scene.parts[0]?.material).toBe(0);
  });
});

describe('files that readScene refuses', () => {
  it.each([
    ['a truncated file', triangleGlb().subarray(0, 50), 'glb', 'TRUNCATED'],
    ['another format', Buffer.from('v 0 0 0'), 'obj', 'NO_READER'],
    [
      'an unknown required extension',
      triangleGlb((json) => ({ ...json, extensionsUsed: ['ACME'], extensionsRequired: ['ACME'] })),
      'glb',
      'UNDECODABLE',
    ],
  ])('readScene refuses %s', async (_, bytes, fileType, code) => {
    const problem = await readScene(bytes, fileType).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(ModelUnreadableError);
    expect(problem).toMatchObject({ code, name: 'ModelUnreadableError' });
  });

  it('readScene refuses an index beyond the vertices', async () => {
    const bin = Buffer.concat([triangle().bin, Buffer.from([0, 0, 1, 0, 9, 0, 0, 0])]);
    const glb = makeGlb(
      {
        ...triangle().json,
        meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
        accessors: [
          { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' },
          { bufferView: 1, componentType: 5123, count: 3, type: 'SCALAR' },
        ],
        bufferViews: [
          { buffer: 0, byteLength: 36 },
          { buffer: 0, byteOffset: 36, byteLength: 6 },
        ],
        buffers: [{ byteLength: 44 }],
      },
      bin,
    );
    await expect(readScene(glb, 'glb')).rejects.toThrow(
      'An index refers to vertex 9, but the number of vertices is 3.',
    );
  });
});

describe('a model of many nodes that share one mesh', () => {
  /** One triangle and any number of vertices, which every node draws. */
  function shared(nodes: number, vertexCount: number, primitives = 1): Buffer {
    const bin = Buffer.alloc(vertexCount * 12);
    const corners = [0, 1, 2].map((index) => Buffer.from(Uint32Array.of(index).buffer));
    const all = Array.from({ length: nodes }, (_, index) => index);
    const primitive = { attributes: { POSITION: 0 }, indices: 1 };
    return makeGlb(
      {
        ...bareJson,
        buffers: [{ byteLength: bin.length + 12 }],
        bufferViews: [
          { buffer: 0, byteLength: bin.length },
          { buffer: 0, byteOffset: bin.length, byteLength: 12 },
        ],
        accessors: [
          {
            bufferView: 0,
            componentType: 5126,
            count: vertexCount,
            type: 'VEC3',
            min: [0, 0, 0],
            max: [0, 0, 0],
          },
          { bufferView: 1, componentType: 5125, count: 3, type: 'SCALAR' },
        ],
        meshes: [{ primitives: Array.from({ length: primitives }, () => primitive) }],
        nodes: all.map(() => ({ mesh: 0 })),
        scenes: [{ nodes: all }],
        scene: 0,
      },
      Buffer.concat([bin, ...corners]),
    );
  }

  it.each([
    ['with 1,000 nodes over 100,000 vertices', 1_000, 100_000, 1, 'TOO_MANY_VERTICES'],
    ['with 3,000 nodes over 3,000 primitives of three vertices', 3_000, 3, 3_000, 'TOO_MANY_PARTS'],
  ])(
    'a model of many nodes that share one mesh is refused before any vertex is copied: %s',
    async (_, nodes, vertices, primitives, code) => {
      const copies = vi.spyOn(Accessor.prototype, 'getElement');
      const read = readScene(shared(nodes, vertices, primitives), 'glb');
      await expect(read).rejects.toMatchObject({ code });
      expect(copies).not.toHaveBeenCalled();
      copies.mockRestore();
    },
  );

  it('a model of more than 100,000 nodes is refused', async () => {
    const nodes = Array.from({ length: 100_001 }, () => ({}));
    await expect(readScene(makeGlb({ ...bareJson, nodes }), 'glb')).rejects.toMatchObject({
      code: 'TOO_MANY_OBJECTS',
    });
  });

  it('a model of many nodes is read if its size is small', async () => {
    const scene = await readScene(shared(100, 1_000), 'glb');
    expect(scene.positions).toHaveLength(100 * 1_000 * 3);
    expect(scene.parts).toHaveLength(100);
  });
});
