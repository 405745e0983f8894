// Converts primitives to triangle lists: strips and fans are unrolled, points and lines are dropped.
import { Primitive } from '@gltf-transform/core';

/** Vertex indices, three per triangle; empty for modes without a surface. */
export function triangleIndices(primitive: Primitive, vertexCount: number): Uint32Array {
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
