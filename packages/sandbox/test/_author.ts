// Models that would be too long to write by hand, built with glTF-Transform.
import { Document, type Extension, NodeIO } from '@gltf-transform/core';
import sharp from 'sharp';
import type { Rgb } from '../src/scene/scene-types.ts';

/** A square of 2 x 2 metres around the origin, facing +z, with texture coordinates. */
export function square(document: Document): ReturnType<Document['createPrimitive']> {
  const accessor = (type: 'VEC2' | 'VEC3', values: number[]) =>
    document.createAccessor().setType(type).setArray(Float32Array.from(values));
  return document
    .createPrimitive()
    .setAttribute('POSITION', accessor('VEC3', [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]))
    .setAttribute('NORMAL', accessor('VEC3', [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]))
    .setAttribute('TEXCOORD_0', accessor('VEC2', [0, 1, 1, 1, 1, 0, 0, 0]))
    .setIndices(document.createAccessor().setArray(Uint16Array.from([0, 1, 2, 0, 2, 3])));
}

export type Authored = {
  readonly document: Document;
  readonly node: ReturnType<Document['createNode']>;
  readonly primitive: ReturnType<Document['createPrimitive']>;
  readonly material: ReturnType<Document['createMaterial']>;
};

/** A scene that contains one square of one white, rough material. */
export function authorSquare(): Authored {
  const document = new Document();
  document.createBuffer();
  const material = document.createMaterial('paint').setMetallicFactor(0).setRoughnessFactor(1);
  const primitive = square(document).setMaterial(material);
  const node = document.createNode().setMesh(document.createMesh().addPrimitive(primitive));
  document.createScene().addChild(node);
  return { document, node, primitive, material };
}

/** Bytes of the document as GLB. */
export async function toGlb(
  document: Document,
  extensions: (typeof Extension)[] = [],
  dependencies: Record<string, unknown> = {},
): Promise<Uint8Array> {
  const io = new NodeIO().registerExtensions(extensions).registerDependencies(dependencies);
  return io.writeBinary(document);
}

/** A PNG of `columns` equally wide stripes, 32 pixels high. */
export function stripesPng(
  columns: readonly Rgb[],
  alpha: readonly number[] = [],
): Promise<Buffer> {
  const width = columns.length * 16;
  const data = new Uint8Array(width * 32 * 4);
  for (let pixel = 0; pixel < width * 32; pixel += 1) {
    const column = Math.floor((pixel % width) / 16);
    data.set([...(columns[column] ?? [0, 0, 0]), alpha[column] ?? 255], pixel * 4);
  }
  return sharp(data, { raw: { width, height: 32, channels: 4 } })
    .png()
    .toBuffer();
}
