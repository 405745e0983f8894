// Measures what a glTF draws, from its JSON alone: triangles as drawn, and the box around the scene in metres.
import { findExtension, isObject, type JsonObject, objectsOf } from './gltf-json.ts';
import type { SceneMeasures } from './model-inspection.ts';
import { readTransform, transformKeys } from './node-tree.ts';

type MeshMeasures = { triangles: number; box: Box | null; problem: string | null };

/** Measures a scene whose JSON has passed the checks of the inspection: indices exist, and nodes form trees. */
export function measureScene(root: JsonObject): SceneMeasures {
  const meshes = objectsOf(root, 'meshes').map((mesh, index) => measureMesh(root, mesh, index));
  const accessors = objectsOf(root, 'accessors');
  let triangles = 0;
  let box: Box | null = null;
  let sizeProblem: string | null = null;
  for (const drawnNode of findDrawnNodes(root)) {
    const { node, index } = drawnNode;
    const mesh = meshes[Number(node['mesh'] ?? -1)];
    if (mesh === undefined) continue;
    const instances = findExtension(node, 'EXT_mesh_gpu_instancing');
    triangles += mesh.triangles * (instances ? countInstances(instances, accessors) : 1);
    sizeProblem ??= findPositionProblem(node, index, instances !== undefined) ?? mesh.problem;
    if (mesh.box !== null)
      box = uniteBoxes(box, transformBox(computeWorldMatrix(drawnNode), mesh.box));
  }
  if (sizeProblem !== null) return { triangles, size: null, sizeProblem };
  const [width = 0, height = 0, depth = 0] = (box?.max ?? []).map(
    (max, axis) => max - (box?.min[axis] ?? 0),
  );
  if (![width, height, depth].every(Number.isFinite))
    return { triangles, size: null, sizeProblem: 'the scene has no finite size' };
  return { triangles, size: { width, height, depth }, sizeProblem: null };
}

type DrawnNode = { node: JsonObject; index: number; parents: Matrix };

/** Yields each node of the default or first scene once, or all nodes, with the transform of its parents. */
export function* findDrawnNodes(root: JsonObject): Generator<DrawnNode> {
  const nodes = objectsOf(root, 'nodes');
  const scenes = objectsOf(root, 'scenes');
  const scene = scenes[Number(root['scene'] ?? 0)];
  const stack = (scene === undefined ? rootsOf(nodes) : indicesOf(scene['nodes'])).map((index) => ({
    index,
    parents: identity,
  }));
  const visitedIndexes = new Set<number>();
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { index, parents } = next;
    const node = nodes[index];
    if (node === undefined || visitedIndexes.has(index)) continue;
    visitedIndexes.add(index);
    yield { node, index, parents };
    const children = indicesOf(node['children']);
    if (children.length === 0) continue;
    const matrix = computeWorldMatrix({ node, index, parents });
    for (const child of children) stack.push({ index: child, parents: matrix });
  }
}

function rootsOf(nodes: readonly JsonObject[]): number[] {
  const children = new Set(nodes.flatMap((node) => indicesOf(node['children'])));
  return nodes.flatMap((_, index) => (children.has(index) ? [] : [index]));
}

function indicesOf(list: unknown): number[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'number') : [];
}

/** Returns why the position of a node's mesh does not follow from the JSON, or null if it does. */
function findPositionProblem(node: JsonObject, index: number, isInstanced: boolean): string | null {
  if (node['skin'] !== undefined) return `nodes[${index}] is skinned: its joints place the mesh`;
  return isInstanced ? `nodes[${index}] is instanced: binary data places the instances` : null;
}

function countInstances(instances: JsonObject, accessors: readonly JsonObject[]): number {
  const attributes = instances['attributes'];
  const [first] = isObject(attributes) ? Object.values(attributes) : [];
  return typeof first === 'number' ? Number(accessors[first]?.['count'] ?? 1) : 1;
}

function measureMesh(root: JsonObject, mesh: JsonObject, index: number): MeshMeasures {
  const accessors = objectsOf(root, 'accessors');
  const measures: MeshMeasures = { triangles: 0, box: null, problem: null };
  for (const primitive of objectsOf(mesh, 'primitives')) {
    const attributes = primitive['attributes'];
    const position = isObject(attributes) ? Number(attributes['POSITION'] ?? -1) : -1;
    const positions = accessors[position];
    const corners = accessors[Number(primitive['indices'] ?? position)];
    // A primitive without positions is skipped, because viewers draw nothing without positions.
    if (positions === undefined || !(Number(positions['count']) > 0)) continue;
    measures.triangles += countTriangles(primitive['mode'] ?? 4, Number(corners?.['count'] ?? 0));
    const box = positionBoxOf(positions);
    if (box !== null) measures.box = uniteBoxes(measures.box, box);
    else measures.problem ??= `the positions of meshes[${index}] have no valid min and max`;
  }
  return measures;
}

/** Counts the triangles by the primitive's mode (4 triangles, 5 strip, 6 fan). Other modes are points and lines. */
function countTriangles(mode: unknown, corners: number): number {
  if (mode === 4) return Math.floor(corners / 3);
  return mode === 5 || mode === 6 ? Math.max(0, corners - 2) : 0;
}

/** The stored integer that means 1 in a normalized accessor, by component type. */
const normalizedMax: ReadonlyMap<unknown, number> = new Map([
  [5120, 127],
  [5121, 255],
  [5122, 32_767],
  [5123, 65_535],
]);

function positionBoxOf(positions: JsonObject): Box | null {
  const { min, max } = positions;
  if (!isPointArray(min) || !isPointArray(max)) return null;
  if (min.some((value, axis) => value > (max[axis] ?? value))) return null;
  const maxValue =
    positions['normalized'] === true && normalizedMax.get(positions['componentType']);
  if (!maxValue) return { min, max };
  const toSize = (value: number) => Math.max(value / maxValue, -1);
  return { min: min.map(toSize), max: max.map(toSize) };
}

function isPointArray(value: unknown): value is number[] {
  return Array.isArray(value) && value.length === 3 && value.every(Number.isFinite);
}

function uniteBoxes(box: Box | null, other: Box): Box {
  if (box === null) return other;
  const pick = (choose: typeof Math.min, side: keyof Box) =>
    box[side].map((value, axis) => choose(value, other[side][axis] ?? value));
  return { min: pick(Math.min, 'min'), max: pick(Math.max, 'max') };
}

type Matrix = readonly number[];

type Box = { readonly min: readonly number[]; readonly max: readonly number[] };

const identity: Matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Returns the transform of a node relative to the scene, in column-major order. */
export function computeWorldMatrix({ node, index, parents }: DrawnNode): Matrix {
  const [matrix, translation = [], rotation = [], scale = []] = transformKeys.map((key) =>
    readTransform(node, key, `nodes[${index}]`),
  );
  return multiply(parents, matrix ?? compose(translation, rotation, scale));
}

function compose(
  [tx = 0, ty = 0, tz = 0]: readonly number[],
  [x = 0, y = 0, z = 0, w = 1]: readonly number[],
  [sx = 1, sy = 1, sz = 1]: readonly number[],
): Matrix {
  return [
    ...[1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)].map((n) => n * sx),
    0,
    ...[2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)].map((n) => n * sy),
    0,
    ...[2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)].map((n) => n * sz),
    0,
    tx,
    ty,
    tz,
    1,
  ];
}

function multiply(left: Matrix, right: Matrix): Matrix {
  return left.map((_, index) => {
    const row = index % 4;
    const column = index - row;
    let sum = 0;
    for (let k = 0; k < 4; k += 1) sum += (left[4 * k + row] ?? 0) * (right[column + k] ?? 0);
    return sum;
  });
}

/** Returns the box around a transformed box. */
function transformBox(matrix: Matrix, { min, max }: Box): Box {
  const low = [0, 1, 2].map((row) => matrix[12 + row] ?? 0);
  const high = [...low];
  for (const [row] of low.entries()) {
    for (let column = 0; column < 3; column += 1) {
      const factor = matrix[4 * column + row] ?? 0;
      const ends = [factor * (min[column] ?? 0), factor * (max[column] ?? 0)];
      low[row] = (low[row] ?? 0) + Math.min(...ends);
      high[row] = (high[row] ?? 0) + Math.max(...ends);
    }
  }
  return { min: low, max: high };
}
