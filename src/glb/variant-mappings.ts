// Checks the KHR_materials_variants extension and reads its variant names.
import { extensionOf, isObject, type JsonObject, objectsOf } from './gltf-json.ts';
import { RejectedModelError } from './model-inspection.ts';
import { checkIndex } from './references.ts';

const extensionName = 'KHR_materials_variants';

function refuse(message: string): never {
  throw new RejectedModelError('schema', 'INVALID_VARIANTS', `${extensionName}: ${message}`);
}

/** Reads the variant names in file order, as the author wrote them. @throws RejectedModelError INVALID_VARIANTS */
export function readVariantNames(root: JsonObject): readonly string[] {
  const extension = extensionOf(root, extensionName);
  if (extension === undefined) return [];
  return objectsOf(extension, 'variants', `${extensionName}.variants`).map((variant, index) => {
    const name = variant['name'];
    if (typeof name !== 'string') {
      refuse(`variants[${index}].name is ${JSON.stringify(name) ?? 'missing'}, not a text.`);
    }
    return name;
  });
}

/** Checks that each mapping has a material and at least one variant, all of which exist. @throws RejectedModelError */
export function checkVariantMappings(root: JsonObject, variantCount: number): void {
  const materialCount = objectsOf(root, 'materials').length;
  objectsOf(root, 'meshes').forEach((mesh, meshIndex) => {
    objectsOf(mesh, 'primitives').forEach((primitive, index) => {
      const extension = extensionOf(primitive, extensionName);
      if (extension === undefined) return;
      const jsonPath = `meshes[${meshIndex}].primitives[${index}].mappings`;
      const mappings = extension['mappings'];
      if (!Array.isArray(mappings) || mappings.length === 0)
        refuse(`${jsonPath} is missing or empty.`);
      for (const mapping of mappings) {
        checkMapping(mapping, jsonPath, materialCount, variantCount);
      }
    });
  });
}

function checkMapping(
  mapping: unknown,
  jsonPath: string,
  materials: number,
  variants: number,
): void {
  if (!isObject(mapping) || mapping['material'] === undefined) {
    refuse(`${jsonPath} has an entry without a material.`);
  }
  const list = mapping['variants'];
  if (!Array.isArray(list) || list.length === 0)
    refuse(`${jsonPath} has an entry without variants.`);
  checkIndex(mapping['material'], materials, 'materials', `${jsonPath}.material`);
  for (const variant of list) {
    checkIndex(variant ?? null, variants, 'variants', `${jsonPath}.variants`);
  }
}
