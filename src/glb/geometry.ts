// Refuses a glTF whose vertices are not finite or do not exist, and finds one with nothing to draw. What cannot be known,
// such as the contents of compressed geometry, counts as drawn.
import { dracoExtension, meshoptExtensions } from './buffer-bounds.ts';
import type { ByteSource } from './byte-source.ts';
import type { ChunkRange } from './container.ts';
import { findExtension, isObject, type JsonObject, objectsOf, refuseSchema } from './gltf-json.ts';
import { computeWorldMatrix, findDrawnNodes } from './scene-measures.ts';

/** The geometry and textures of larger files are not read, because that would take several requests to a bucket. */
export const maxReadBytes = 4 * 1024 * 1024;
/** Maximum number of values that are compared, because thousands of primitives may share their data. */
const maxValues = 4_000_000;

interface Values {
  count: number;
  get(index: number, component?: number): number;
}

type GetValue = (view: DataView, offset: number) => number;

/** Size in bytes of each component type, and how it is read. */
const components: ReadonlyMap<unknown, readonly [bytes: number, get: GetValue]> = new Map([
  [5120, [1, (view, offset) => view.getInt8(offset)]],
  [5121, [1, (view, offset) => view.getUint8(offset)]],
  [5122, [2, (view, offset) => view.getInt16(offset, true)]],
  [5123, [2, (view, offset) => view.getUint16(offset, true)]],
  [5125, [4, (view, offset) => view.getUint32(offset, true)]],
  [5126, [4, (view, offset) => view.getFloat32(offset, true)]],
]);

/**
 * Checks a glTF whose JSON has passed the other checks.
 * @param isExtensible true if an extension that is not known here may draw something, or hide it
 * @returns why nothing would be drawn. Null if something is drawn, or if this is not known
 * @throws RejectedModelError INVALID_GEOMETRY
 */
export async function checkGeometry(
  root: JsonObject,
  source: ByteSource,
  bin: ChunkRange | null,
  isExtensible: boolean,
): Promise<string | null> {
  const nodes = objectsOf(root, 'nodes');
  const usedMeshes = new Set(nodes.map(({ mesh }) => mesh));
  const isRead = source.size <= maxReadBytes;
  const geometry = new Geometry(root, isRead ? await readBuffers(root, source, bin) : []);
  const drawnMeshes = new Set<unknown>();
  objectsOf(root, 'meshes').forEach((mesh, meshIndex) => {
    if (!usedMeshes.has(meshIndex)) return;
    objectsOf(mesh, 'primitives').forEach((primitive, index) => {
      const jsonPath = `meshes[${meshIndex}].primitives[${index}]`;
      if (geometry.isDrawn(primitive, jsonPath)) drawnMeshes.add(meshIndex);
    });
  });
  if (isExtensible) return null;
  if (nodes.every(({ mesh }) => mesh === undefined)) return 'no node has a mesh';
  if (drawnMeshes.size === 0) return 'its meshes have no triangle with an area';
  const drawnNodes = [...findDrawnNodes(root)].filter(({ node }) => drawnMeshes.has(node['mesh']));
  const isEmpty = drawnNodes.length > 0 && !geometry.isMoving && drawnNodes.every(isFlattened);
  return isEmpty ? 'all nodes with a mesh are scaled to 0' : null;
}

/** True for a scale of 0 along two axes or more. */
function isFlattened(drawnNode: Parameters<typeof computeWorldMatrix>[0]): boolean {
  const matrix = computeWorldMatrix(drawnNode);
  const isZero = (column: number) =>
    matrix.slice(4 * column, 4 * column + 3).every((value) => value === 0);
  return [0, 1, 2].filter(isZero).length > 1;
}

/** Returns the data of each buffer. Undefined if it is not in the file. */
async function readBuffers(root: JsonObject, source: ByteSource, bin: ChunkRange | null) {
  const binary = bin === null ? undefined : await source.read(bin.offset, bin.bytes);
  return objectsOf(root, 'buffers').map(({ uri }, index) => {
    if (typeof uri !== 'string') return index === 0 ? binary : undefined;
    const base64 = /^data:[^,]*;base64,/i.exec(uri);
    return base64 ? Buffer.from(uri.slice(base64[0].length), 'base64') : undefined;
  });
}

class Geometry {
  readonly #accessors: readonly JsonObject[];
  readonly #views: readonly JsonObject[];
  readonly #buffers: ReadonlyArray<Uint8Array | undefined>;
  readonly #checkedPositions = new Set<number>();
  #remainingValues = maxValues;
  /** True if joints, or an animation of scales, decide the shape of meshes. */
  readonly isMoving: boolean;

  constructor(root: JsonObject, buffers: ReadonlyArray<Uint8Array | undefined>) {
    this.#accessors = objectsOf(root, 'accessors');
    this.#views = objectsOf(root, 'bufferViews');
    this.#buffers = buffers;
    const skins = objectsOf(root, 'skins');
    this.isMoving = skins.length + objectsOf(root, 'animations').length > 0;
  }

  /** True unless a primitive draws nothing, as far as is known. @throws RejectedModelError INVALID_GEOMETRY */
  isDrawn(primitive: JsonObject, jsonPath: string): boolean {
    const { attributes, indices, mode = 4 } = primitive;
    const position = isObject(attributes) ? attributes['POSITION'] : undefined;
    if (typeof position !== 'number') return false;
    const isCompressed = findExtension(primitive, dracoExtension) !== undefined;
    const positions = this.#readPositions(position, isCompressed);
    const corners = typeof indices === 'number' && !isCompressed ? this.#readValues(indices) : null;
    if (positions !== null && corners !== null)
      this.#checkIndices(corners, positions.count, `${jsonPath}.indices`);
    const count = this.#countOf(indices ?? position);
    if (this.#countOf(position) === 0 || count === 0) return false;
    const isOfTriangles = mode === 4 || mode === 5 || mode === 6;
    if (!isOfTriangles || this.isMoving || primitive['targets'] !== undefined) return true;
    if (count < 3) return false;
    if (positions === null || (indices !== undefined && corners === null)) return true;
    return hasArea(positions, mode, count, corners);
  }

  #countOf(accessor: unknown): number {
    return Number(this.#accessors[Number(accessor)]?.['count'] ?? 0);
  }

  #readPositions(accessor: number, isCompressed: boolean): Values | null {
    const jsonPath = `accessors[${accessor}]`;
    for (const key of ['min', 'max']) {
      const bound = this.#accessors[accessor]?.[key];
      if (Array.isArray(bound) && !bound.every(Number.isFinite))
        refuseGeometry(`${jsonPath}.${key}, a bound of positions, is not finite`);
    }
    const values = isCompressed ? null : this.#readValues(accessor, 3);
    if (values === null || this.#checkedPositions.has(accessor)) return values;
    this.#checkedPositions.add(accessor);
    for (let index = 0; index < values.count; index += 1) {
      if (![0, 1, 2].every((axis) => Number.isFinite(values.get(index, axis))))
        refuseGeometry(`Position ${index} of ${jsonPath} is not finite`);
    }
    return values;
  }

  #checkIndices(corners: Values, vertexCount: number, jsonPath: string): void {
    for (let index = 0; index < corners.count; index += 1) {
      const vertex = corners.get(index);
      // The largest value of a type restarts a strip in viewers.
      const isRestart = vertex === 0xff || vertex === 0xffff || vertex === 0xffffffff;
      if (vertex >= vertexCount && !isRestart)
        refuseGeometry(`${jsonPath} use vertex ${vertex}, but there are ${vertexCount} vertices`);
    }
  }

  /** Returns null for values that are compressed, sparse, not in this file or too many. Without a view, all are 0. */
  #readValues(accessor: number, size = 1): Values | null {
    const { bufferView, byteOffset, componentType, sparse, type } = this.#accessors[accessor] ?? {};
    const count = this.#countOf(accessor);
    this.#remainingValues -= count * size;
    if (this.#remainingValues < 0 || sparse !== undefined) return null;
    if (bufferView === undefined) return { count, get: () => 0 };
    const view = this.#views[Number(bufferView)];
    const [bytes, get] = components.get(componentType) ?? [];
    const data = this.#buffers[Number(view?.['buffer'] ?? -1)];
    if (view === undefined || data === undefined || bytes === undefined || get === undefined)
      return null;
    const isCompressed = meshoptExtensions.some((name) => findExtension(view, name));
    if (isCompressed || type !== (size === 1 ? 'SCALAR' : 'VEC3')) return null;
    const offset = Number(view['byteOffset'] ?? 0) + Number(byteOffset ?? 0);
    const stride = Number(view['byteStride'] ?? 0) || bytes * size;
    const content = new DataView(data.buffer, data.byteOffset, data.byteLength);
    if (offset + stride * (count - 1) + bytes * size > data.byteLength) return null;
    return {
      count,
      get: (index, component = 0) => get(content, offset + stride * index + bytes * component),
    };
  }
}

function refuseGeometry(problem: string): never {
  refuseSchema('INVALID_GEOMETRY', `${problem}. Repair the mesh, and export the model again.`);
}

function hasArea(positions: Values, mode: unknown, count: number, corners: Values | null): boolean {
  const pointOf = (corner: number): readonly [number, number, number] => {
    const index = corners?.get(corner) ?? corner;
    const vertex = Math.min(index, positions.count - 1);
    return [positions.get(vertex, 0), positions.get(vertex, 1), positions.get(vertex, 2)];
  };
  for (let corner = 2; corner < count; corner += mode === 4 ? 3 : 1) {
    const [a, b, c] = [pointOf(mode === 6 ? 0 : corner - 2), pointOf(corner - 1), pointOf(corner)];
    const [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
    if (uy * vz !== uz * vy || uz * vx !== ux * vz || ux * vy !== uy * vx) return true;
  }
  return false;
}
