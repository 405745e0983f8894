// Reads from checked glTF JSON what engine and sandbox ask about: slots, variants, counts, outside textures.
import { isDataUri } from './buffer-bounds.ts';
import { isObject, type JsonObject, objectsOf } from './gltf-json.ts';
import type { LookWarning, ModelContents } from './look-result.ts';

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

/** Summary of a glTF whose JSON has passed the checks. */
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

/** Warnings about an accepted file. */
export function readWarnings(root: JsonObject): readonly LookWarning[] {
  const warnings: LookWarning[] = [];
  const outside = objectsOf(root, 'images')
    .map(({ uri }) => uri)
    .filter((uri): uri is string => typeof uri === 'string' && !isDataUri(uri));
  if (outside.length > 0) {
    const names = outside.slice(0, 5).map((uri) => JSON.stringify(uri.slice(0, 120)));
    warnings.push({
      code: 'EXTERNAL_TEXTURE',
      message: `The file refers to textures outside itself (${names.join(', ')}); uploaded alone it loses them. Export with embedded textures.`,
    });
  }
  const unknown = namesOf(root['extensionsRequired']).filter(
    (name) => !understoodExtensions.has(name) && !name.startsWith('KHR_materials_'),
  );
  if (unknown.length > 0) {
    warnings.push({
      code: 'UNKNOWN_REQUIRED_EXTENSION',
      message: `The file requires extensions that few programs know: ${unknown.slice(0, 5).join(', ')}.`,
    });
  }
  return warnings;
}
