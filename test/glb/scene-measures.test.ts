// Measures of a glTF from its JSON alone: triangles, and the size of the scene in metres.
import { describe, expect, it } from 'vitest';
import { toBufferSource } from '../../src/glb/byte-source.ts';
import {
  inspectModelFile,
  inspectSource,
  type ModelInspection,
} from '../../src/glb/inspect-model.ts';
import { type Json, makeGlb } from './_make-glb.ts';
import { hasSharedData, type ModelRow, sharedPath, sharedRows } from './_shared-data.ts';

type Node = Record<string, unknown>;
interface Scene {
  nodes?: Node[];
  primitive?: Json;
  /** Overrides of the accessor of the positions. */
  accessor?: Json;
  more?: Json;
}

/** Six positions between -1 and 1, 0 and 2, 0 and 4, without their bytes. */
function sceneJson({ nodes = [{ mesh: 0 }], primitive, accessor, more }: Scene): Json {
  const children = new Set(nodes.flatMap((node) => (node['children'] ?? []) as number[]));
  const roots = nodes.map((_, index) => index).filter((index) => !children.has(index));
  const positions = {
    componentType: 5126,
    count: 6,
    type: 'VEC3',
    min: [-1, 0, 0],
    max: [1, 2, 4],
  };
  return {
    asset: { version: '2.0' },
    scenes: [{ nodes: roots }],
    nodes,
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, ...primitive }] }],
    accessors: [
      { ...positions, ...accessor },
      { componentType: 5125, count: 12, type: 'SCALAR' },
      { componentType: 5126, count: 3, type: 'VEC3' },
      { componentType: 5126, count: 1, type: 'MAT4' },
    ],
    ...more,
  };
}

async function inspect(json: Json): Promise<ModelInspection> {
  return inspectSource(toBufferSource(makeGlb(json)), 'glb', { isMeasured: true });
}

const measured = async (scene: Scene) => (await inspect(sceneJson(scene))).measures;
const size = (width: number, height: number, depth: number) => ({ width, height, depth });

describe('triangles', () => {
  const instances = { extensions: { EXT_mesh_gpu_instancing: { attributes: { TRANSLATION: 2 } } } };
  it.each<[string, Scene, number]>([
    ['a list without indices', {}, 2],
    ['a list with indices', { primitive: { indices: 1 } }, 4],
    ['a strip', { primitive: { mode: 5 } }, 4],
    ['a fan with indices', { primitive: { mode: 6, indices: 1 } }, 10],
    ['points and lines', { primitive: { mode: 1 } }, 0],
    ['a mesh that two nodes use', { nodes: [{ mesh: 0 }, { mesh: 0 }] }, 4],
    ['a mesh that no node uses', { nodes: [{}] }, 0],
    ['three instances of a mesh', { nodes: [{ mesh: 0, ...instances }] }, 6],
    [
      'a node outside the default scene',
      { nodes: [{ mesh: 0 }, { mesh: 0 }], more: { scenes: [{ nodes: [1] }] } },
      2,
    ],
    ['the second scene', { more: { scene: 1, scenes: [{ nodes: [0] }, {}] } }, 0],
    ['a file without scenes', { nodes: [{ children: [1] }, { mesh: 0 }], more: { scenes: [] } }, 2],
    [
      'a node that has two parents',
      { nodes: [{ children: [2] }, { children: [2] }, { mesh: 0 }] },
      2,
    ],
  ])('triangles are counted in %s', async (_, scene, expected) => {
    expect((await measured(scene))?.triangles).toBe(expected);
  });
});

describe('the size of a scene', () => {
  const quarter = Math.SQRT1_2;
  it.each<[string, Scene, ReturnType<typeof size>]>([
    ['from positions', {}, size(2, 2, 4)],
    [
      'with the scale of a parent',
      { nodes: [{ scale: [0.5, 2, 1], children: [1] }, { mesh: 0 }] },
      size(1, 4, 4),
    ],
    ['with a mirrored node', { nodes: [{ scale: [-1, -1, -1], mesh: 0 }] }, size(2, 2, 4)],
    [
      'with a quarter turn around y',
      { nodes: [{ rotation: [0, quarter, 0, quarter], mesh: 0 }] },
      size(4, 2, 2),
    ],
    [
      'with a matrix',
      { nodes: [{ matrix: [0, 0, -1, 0, 0, 3, 0, 0, 1, 0, 0, 0, 9, 9, 9, 1], mesh: 0 }] },
      size(4, 6, 2),
    ],
    [
      'with two meshes that are apart',
      { nodes: [{ mesh: 0 }, { translation: [0, 10, 0], mesh: 0 }] },
      size(2, 12, 4),
    ],
    [
      'with quantized positions',
      { accessor: { componentType: 5121, normalized: true, min: [0, 0, 0], max: [255, 51, 0] } },
      size(1, 0.2, 0),
    ],
    ['for a scene without meshes', { nodes: [{}] }, size(0, 0, 0)],
  ])('the size is measured %s', async (_, scene, expected) => {
    const { size: found, sizeProblem } = (await measured(scene)) ?? {};
    expect(sizeProblem).toBeNull();
    for (const side of ['width', 'height', 'depth'] as const)
      expect(found?.[side]).toBeCloseTo(expected[side]);
  });

  it.each<[string, Scene, string]>([
    [
      'a skinned mesh',
      { nodes: [{ mesh: 0, skin: 0 }], more: { skins: [{ joints: [0] }] } },
      'nodes[0] is skinned',
    ],
    [
      'instances',
      { nodes: [{ mesh: 0, extensions: { EXT_mesh_gpu_instancing: { attributes: {} } } }] },
      'nodes[0] is instanced',
    ],
    [
      'positions without a min',
      { accessor: { min: undefined } },
      'meshes[0] have no valid min and max',
    ],
    [
      'a min above the max',
      { accessor: { min: [5, 0, 0] } },
      'meshes[0] have no valid min and max',
    ],
    [
      'a min that is text',
      { accessor: { min: ['a', 0, 0] } },
      'meshes[0] have no valid min and max',
    ],
    [
      'a transform that overflows',
      { nodes: [{ mesh: 0, scale: [1e308, 1, 1], translation: [1e308, 0, 0] }] },
      'no finite size',
    ],
  ])('the size is unknown for %s', async (_, scene, problem) => {
    const measures = await measured(scene);
    expect(measures?.size).toBeNull();
    expect(measures?.sizeProblem).toContain(problem);
  });
});

it('a scene of 100,000 nodes is measured', async () => {
  const nodes = Array.from({ length: 100_000 }, (_, index) => ({
    mesh: 0,
    translation: [index, 0, 0],
  }));
  expect(await measured({ nodes })).toMatchObject({
    triangles: 200_000,
    size: size(100_001, 2, 4),
  });
});

it('a cycle and a negative count are refused before the scene is measured', async () => {
  const cycle = sceneJson({ nodes: [{ mesh: 0, children: [1] }, { children: [0] }] });
  expect((await inspect(cycle)).code).toBe('NODE_CYCLE');
  expect((await inspect(sceneJson({ accessor: { count: -3 } }))).code).toBe('INVALID_SCHEMA');
});

it('the scene is measured only on request', async () => {
  const look = await inspectSource(toBufferSource(makeGlb(sceneJson({}))), 'glb');
  expect(look).not.toHaveProperty('measures');
});

describe.skipIf(!hasSharedData)('real models', () => {
  const models = sharedRows<ModelRow>('models.jsonl').filter(({ file }) => file.endsWith('.glb'));
  it.each(models)('the model $file is measured', async ({ file, images = [], ...row }) => {
    const look = await inspectModelFile(sharedPath(file), { isMeasured: true });
    const { triangles = 0, size: found, textures = [] } = look.measures ?? {};
    // A mesh that several nodes draw counts several times.
    const { nodes = 0, meshes = 0, trianglesOfListPrimitives = 0 } = row;
    expect(triangles).toBeGreaterThanOrEqual(trianglesOfListPrimitives);
    if (nodes <= meshes) expect(triangles).toBe(trianglesOfListPrimitives);
    expect(found?.height).toBeGreaterThanOrEqual(0);
    expect(textures.map(({ size: pixels }) => pixels !== null)).toEqual(
      images.map(({ uri }) => uri === undefined),
    );
  });

  it.each([
    ['Box.glb', size(1, 1, 1), 12],
    ['blender-default-cube-beveled.glb', size(2, 2, 2), 60],
  ])(
    'the measured size of the model %s matches the known size',
    async (file, expected, triangles) => {
      const { measures } = await inspectModelFile(sharedPath(`models/${file}`), {
        isMeasured: true,
      });
      expect(measures).toMatchObject({ triangles, size: expected });
    },
  );
});
