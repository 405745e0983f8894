// Reads a GLB or self-contained .gltf in memory into a drawable scene.
import type { Document, Node } from '@gltf-transform/core';
import { KHRMaterialsVariants, type Variant } from '@gltf-transform/extensions';
import { readDocument } from './document.ts';
import { mergeGeometry, placePrimitives } from './scene-geometry.ts';
import { readMaterials } from './scene-materials.ts';
import type { Rgb, Scene } from './scene-types.ts';

export type { Scene, SceneMaterial, SceneTexture, TextureWrap } from './scene-types.ts';
export { ModelUnreadableError } from './scene-types.ts';

/**
 * Reads geometry, materials and variants. No other file is read. A model without surfaces results in a scene without
 * triangles.
 * @throws ModelUnreadableError
 */
export async function readScene(bytes: Uint8Array, fileType: string): Promise<Scene> {
  const document = await readDocument(bytes, fileType);
  const root = document.getRoot();
  const materialList = root.listMaterials();
  const geometry = mergeGeometry(placePrimitives(rootNodesOf(document)), (material) =>
    material === null ? -1 : materialList.indexOf(material),
  );
  const images = root.listTextures().map((texture) => texture.getImage()?.byteLength ?? 0);
  const { parts: _, ...arrays } = geometry;
  const arrayBytes = Object.values(arrays).map((array) => array?.byteLength ?? 0);
  return {
    ...geometry,
    materials: readMaterials(document),
    variants: variantNamesOf(document),
    ...boundsOf(geometry.positions),
    bytes: [...images, ...arrayBytes].reduce((a, b) => a + b, 0),
  };
}

function rootNodesOf(document: Document): readonly Node[] {
  const root = document.getRoot();
  const scene = root.getDefaultScene() ?? root.listScenes()[0];
  if (scene !== undefined && scene !== null) return scene.listChildren();
  return root.listNodes().filter((node) => node.getParentNode() === null);
}

function variantNamesOf(document: Document): readonly string[] {
  const extensions = document.getRoot().listExtensionsUsed();
  const extension = extensions.find((candidate) => candidate instanceof KHRMaterialsVariants);
  return (extension?.listProperties() ?? [])
    .filter((property): property is Variant => property.propertyType === 'Variant')
    .map((variant) => variant.getName());
}

/** Returns the smallest and the largest x, y and z of points, or zeros if there are none. */
export function boundsOf(positions: Float32Array): { min: Rgb; max: Rgb } {
  const min: [number, number, number] = [Infinity, Infinity, Infinity];
  const max: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (const axis of [0, 1, 2] as const) {
    for (let offset = axis; offset < positions.length; offset += 3) {
      const value = positions[offset] ?? 0;
      if (value < min[axis]) min[axis] = value;
      if (value > max[axis]) max[axis] = value;
    }
  }
  return positions.length === 0 ? { min: [0, 0, 0], max: [0, 0, 0] } : { min, max };
}
