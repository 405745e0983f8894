// Reads model contents from checked glTF JSON: slots, variants, counts and external textures.
import { isDataUri } from './buffer-bounds.ts';
import { isObject, type JsonObject, objectsOf } from './gltf-json.ts';
import type { ModelContents, Warnings } from './model-inspection.ts';
import { formatNames } from './side-files.ts';

const understoodExtensions = new Set([
  'EXT_mesh_gpu_instancing',
  'EXT_meshopt_compression',
  'EXT_texture_avif',
  'EXT_texture_webp',
  'KHR_draco_mesh_compression',
  'KHR_lights_punctual',
  'KHR_mesh_quantization',
  'KHR_texture_basisu',
  'KHR_texture_transform',
  'KHR_xmp_json_ld',
]);

/** Scenes with more nodes are slow to draw. */
const slowNodeCount = 10_000;

function namesOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

function triangleCount(root: JsonObject): number {
  const accessors = objectsOf(root, 'accessors');
  const count = (index: unknown): number => Number(accessors[Number(index)]?.['count'] ?? 0);
  let triangles = 0;
  for (const mesh of objectsOf(root, 'meshes')) {
    for (const primitive of objectsOf(mesh, 'primitives')) {
      if ((primitive['mode'] ?? 4) !== 4) continue;
      const attributes = primitive['attributes'];
      const position = isObject(attributes) ? attributes['POSITION'] : undefined;
      const vertices = count(primitive['indices'] ?? position);
      triangles += Math.floor(vertices / 3);
    }
  }
  return triangles;
}

/** The contents of a glTF whose JSON has passed the checks. */
export function readContents(root: JsonObject, variants: readonly string[]): ModelContents {
  const asset = root['asset'];
  const generator = isObject(asset) ? asset['generator'] : undefined;
  return {
    materials: objectsOf(root, 'materials').map(({ name }) =>
      typeof name === 'string' ? name : null,
    ),
    variants,
    meshes: objectsOf(root, 'meshes').length,
    nodes: objectsOf(root, 'nodes').length,
    triangles: triangleCount(root),
    images: objectsOf(root, 'images').length,
    animations: objectsOf(root, 'animations').length,
    extensionsRequired: namesOf(root['extensionsRequired']),
    generator: typeof generator === 'string' ? generator : null,
  };
}

/** Warns of external textures, of many nodes, and of required extensions that few programs know. */
export function addWarnings(root: JsonObject, warnings: Warnings): void {
  const outside = objectsOf(root, 'images')
    .map(({ uri }) => uri)
    .filter((uri): uri is string => typeof uri === 'string' && !isDataUri(uri));
  if (outside.length > 0) {
    warnings.add(
      'EXTERNAL_TEXTURE',
      `The file refers to external textures (${formatNames(outside)}) that will not be uploaded. Export it with embedded textures.`,
    );
  }
  const nodes = objectsOf(root, 'nodes').length;
  if (nodes > slowNodeCount) {
    const message = `The scene has ${nodes} nodes, which viewers draw slowly. Merge meshes with the same material.`;
    warnings.add('LARGE_SCENE', message);
  }
  const unknown = namesOf(root['extensionsRequired']).filter(
    (name) => !understoodExtensions.has(name) && !name.startsWith('KHR_materials_'),
  );
  if (unknown.length > 0) {
    warnings.add(
      'UNKNOWN_REQUIRED_EXTENSION',
      `The file requires extensions that few programs know: ${unknown.slice(0, 5).join(', ')}.`,
    );
  }
}
