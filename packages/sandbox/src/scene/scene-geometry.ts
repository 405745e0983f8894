// Merges the meshes of a scene into one triangle list in world space.
import { type Accessor, type mat4, type Node, Primitive } from '@gltf-transform/core';
import type { MappingList } from '@gltf-transform/extensions';
import { maxParts, maxTriangles } from 'renderline/sandbox/bounds';
import { ModelUnreadableError, type Scene, type ScenePart } from './scene-types.ts';

/** Limit on merged vertices, since each node copies its mesh: enough for triangles that share no vertices. */
const maxVertices = 3 * maxTriangles;

/** A primitive with the transform of its node. */
export type PlacedPrimitive = {
  readonly primitive: Primitive;
  readonly matrix: mat4;
  readonly indices: Uint32Array;
  readonly vertexCount: number;
};

type Geometry = Pick<
  Scene,
  'positions' | 'normals' | 'uv0' | 'uv1' | 'colors' | 'indices' | 'parts'
>;

/** Finds every primitive with a surface below the root nodes. */
export function placePrimitives(roots: readonly Node[]): readonly PlacedPrimitive[] {
  const placedPrimitives: PlacedPrimitive[] = [];
  const unrolled = new Map<Primitive, Uint32Array>();
  let triangles = 0;
  let vertices = 0;
  let parts = 0;
  const visit = (node: Node): void => {
    for (const primitive of node.getMesh()?.listPrimitives() ?? []) {
      const vertexCount = primitive.getAttribute('POSITION')?.getCount() ?? 0;
      parts += 1;
      assertAtMost('parts', parts, maxParts);
      vertices += vertexCount;
      assertAtMost('vertices', vertices, maxVertices);
      if (vertexCount === 0) continue;
      const indices = unrolled.get(primitive) ?? triangleIndices(primitive, vertexCount);
      unrolled.set(primitive, indices);
      triangles += indices.length / 3;
      assertAtMost('triangles', triangles, maxTriangles);
      // A skinned mesh is placed by its joints, so its node's transform is ignored.
      const matrix = node.getSkin() === null ? node.getWorldMatrix() : identity;
      if (indices.length > 0) placedPrimitives.push({ primitive, matrix, indices, vertexCount });
    }
    for (const child of node.listChildren()) visit(child);
  };
  for (const root of roots) visit(root);
  return placedPrimitives;
}

function assertAtMost(
  kind: 'parts' | 'vertices' | 'triangles',
  count: number,
  maxCount: number,
): void {
  if (count <= maxCount) return;
  const message = `The model has more than ${maxCount} ${kind} in all its nodes.`;
  throw new ModelUnreadableError(`TOO_MANY_${kind.toUpperCase()}`, message);
}

const identity: mat4 = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Merges the placed primitives. `materialIndex` is an index of the document's materials. */
export function mergeGeometry(
  placed: readonly PlacedPrimitive[],
  materialIndex: (material: ReturnType<Primitive['getMaterial']>) => number,
): Geometry {
  const vertices = placed.reduce((sum, { vertexCount }) => sum + vertexCount, 0);
  const corners = placed.reduce((sum, { indices }) => sum + indices.length, 0);
  const has = (name: string): boolean =>
    placed.some(({ primitive }) => primitive.getAttribute(name) !== null);
  const geometry = {
    positions: new Float32Array(vertices * 3),
    normals: new Float32Array(vertices * 3),
    uv0: has('TEXCOORD_0') ? new Float32Array(vertices * 2) : null,
    uv1: has('TEXCOORD_1') ? new Float32Array(vertices * 2) : null,
    colors: has('COLOR_0') ? new Float32Array(vertices * 4).fill(1) : null,
    indices: new Uint32Array(corners),
  };
  const parts: ScenePart[] = [];
  let vertex = 0;
  let corner = 0;
  for (const { primitive, matrix, indices, vertexCount } of placed) {
    copyPoints(primitive.getAttribute('POSITION'), geometry.positions, vertex, matrix);
    copyNormals(primitive.getAttribute('NORMAL'), geometry.normals, vertex, matrix);
    if (geometry.uv0) copyValues(primitive.getAttribute('TEXCOORD_0'), geometry.uv0, vertex, 2);
    if (geometry.uv1) copyValues(primitive.getAttribute('TEXCOORD_1'), geometry.uv1, vertex, 2);
    if (geometry.colors) copyValues(primitive.getAttribute('COLOR_0'), geometry.colors, vertex, 4);
    copyIndices(indices, geometry.indices, {
      corner,
      vertex,
      vertexCount,
      flip: isMirrorMatrix(matrix),
    });
    parts.push({
      firstTriangle: corner / 3,
      triangleCount: indices.length / 3,
      material: materialIndex(primitive.getMaterial()),
      variantMaterials: variantMaterialsOf(primitive, materialIndex),
    });
    vertex += vertexCount;
    corner += indices.length;
  }
  return { ...geometry, parts };
}

function variantMaterialsOf(
  primitive: Primitive,
  materialIndex: (material: ReturnType<Primitive['getMaterial']>) => number,
): ReadonlyMap<string, number> {
  const map = new Map<string, number>();
  const list = primitive.getExtension<MappingList>('KHR_materials_variants');
  for (const mapping of list?.listMappings() ?? []) {
    for (const variant of mapping.listVariants()) {
      map.set(variant.getName(), materialIndex(mapping.getMaterial()));
    }
  }
  return map;
}

function isMirrorMatrix(m: mat4): boolean {
  const determinant =
    m[0] * (m[5] * m[10] - m[6] * m[9]) -
    m[4] * (m[1] * m[10] - m[2] * m[9]) +
    m[8] * (m[1] * m[6] - m[2] * m[5]);
  return determinant < 0;
}

function copyPoints(source: Accessor | null, out: Float32Array, first: number, m: mat4): void {
  const point = [0, 0, 0];
  const count = source?.getCount() ?? 0;
  for (let index = 0; index < count; index += 1) {
    source?.getElement(index, point);
    const [x = 0, y = 0, z = 0] = point;
    const offset = (first + index) * 3;
    out[offset] = toFinite(m[0] * x + m[4] * y + m[8] * z + m[12]);
    out[offset + 1] = toFinite(m[1] * x + m[5] * y + m[9] * z + m[13]);
    out[offset + 2] = toFinite(m[2] * x + m[6] * y + m[10] * z + m[14]);
  }
}

function toFinite(value: number): number {
  return Math.abs(value) < 1e9 ? value : 0;
}

function copyNormals(source: Accessor | null, out: Float32Array, first: number, m: mat4): void {
  const normal = [0, 0, 0];
  const count = source?.getCount() ?? 0;
  // The cofactor matrix keeps normals perpendicular under non-uniform scale.
  const c = [
    m[5] * m[10] - m[6] * m[9],
    m[2] * m[9] - m[1] * m[10],
    m[1] * m[6] - m[2] * m[5],
    m[6] * m[8] - m[4] * m[10],
    m[0] * m[10] - m[2] * m[8],
    m[2] * m[4] - m[0] * m[6],
    m[4] * m[9] - m[5] * m[8],
    m[1] * m[8] - m[0] * m[9],
    m[0] * m[5] - m[1] * m[4],
  ] as const;
  const sign = isMirrorMatrix(m) ? -1 : 1;
  for (let index = 0; index < count; index += 1) {
    source?.getElement(index, normal);
    const [x = 0, y = 0, z = 0] = normal;
    const nx = c[0] * x + c[1] * y + c[2] * z;
    const ny = c[3] * x + c[4] * y + c[5] * z;
    const nz = c[6] * x + c[7] * y + c[8] * z;
    const length = Math.hypot(nx, ny, nz);
    if (!(length > 0)) continue;
    const offset = (first + index) * 3;
    out[offset] = (sign * nx) / length;
    out[offset + 1] = (sign * ny) / length;
    out[offset + 2] = (sign * nz) / length;
  }
}

function copyValues(source: Accessor | null, out: Float32Array, first: number, size: number): void {
  const element = [1, 1, 1, 1];
  const count = source?.getCount() ?? 0;
  const components = Math.min(size, source?.getElementSize() ?? 0);
  for (let index = 0; index < count; index += 1) {
    source?.getElement(index, element);
    for (let part = 0; part < components; part += 1) {
      out[(first + index) * size + part] = toFinite(element[part] ?? 0);
    }
  }
}

function copyIndices(
  source: Uint32Array,
  out: Uint32Array,
  target: { corner: number; vertex: number; vertexCount: number; flip: boolean },
): void {
  for (let index = 0; index < source.length; index += 1) {
    // A mirrored node flips its triangles, and swapping two corners flips them back.
    const sourceIndex = target.flip && index % 3 !== 0 ? index + (index % 3 === 1 ? 1 : -1) : index;
    const value = source[sourceIndex] ?? 0;
    if (value >= target.vertexCount) {
      const message = `An index refers to vertex ${value}, but the number of vertices is ${target.vertexCount}.`;
      throw new ModelUnreadableError('OUT_OF_BOUNDS', message);
    }
    out[target.corner + index] = target.vertex + value;
  }
}

/** Unrolls strips and fans to three vertex indices per triangle. Empty for points and lines. */
function triangleIndices(primitive: Primitive, vertexCount: number): Uint32Array {
  const source = primitive.getIndices()?.getArray() ?? null;
  const count = source?.length ?? vertexCount;
  const vertexAt = (index: number): number => (source === null ? index : (source[index] ?? 0));
  const mode = primitive.getMode();
  if (mode === Primitive.Mode['TRIANGLES']) {
    const length = count - (count % 3);
    return Uint32Array.from({ length }, (_, index) => vertexAt(index));
  }
  if (mode !== Primitive.Mode['TRIANGLE_STRIP'] && mode !== Primitive.Mode['TRIANGLE_FAN']) {
    return new Uint32Array(0);
  }
  const out = new Uint32Array(Math.max(0, count - 2) * 3);
  for (let index = 0; index + 2 < count; index += 1) {
    const fan = mode === Primitive.Mode['TRIANGLE_FAN'];
    // Every second triangle of a strip has the opposite winding.
    const odd = !fan && index % 2 === 1;
    out[index * 3] = vertexAt(fan ? 0 : index);
    out[index * 3 + 1] = vertexAt(odd ? index + 2 : index + 1);
    out[index * 3 + 2] = vertexAt(odd ? index + 1 : index + 2);
  }
  return out;
}
