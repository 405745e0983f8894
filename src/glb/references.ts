// Checks that the indices in a glTF refer to existing elements.
import { dracoExtension, meshoptExtensions } from './buffer-bounds.ts';
import { findExtension, isObject, type JsonObject, objectsOf, refuseSchema } from './gltf-json.ts';
import type { Warnings } from './model-inspection.ts';

type Target =
  | 'accessors'
  | 'animations'
  | 'bufferViews'
  | 'buffers'
  | 'cameras'
  | 'images'
  | 'materials'
  | 'meshes'
  | 'nodes'
  | 'samplers'
  | 'scenes'
  | 'skins'
  | 'textures';

/** Checks an index, unless it is absent. `jsonPath` is for messages, such as `meshes[0].primitives[1].material`. */
export function checkIndex(value: unknown, count: number, target: string, jsonPath: string): void {
  if (value === undefined) return;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value >= count) {
    refuseSchema(
      'UNRESOLVED_REFERENCE',
      `${jsonPath} is ${String(JSON.stringify(value)).slice(0, 40)}, but the list of ${target} has length ${count}.`,
    );
  }
}

class References {
  readonly #root: JsonObject;
  /** Counts are cached: large files have hundreds of thousands of indices. */
  readonly #counts = new Map<Target, number>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  checkOne(owner: JsonObject | undefined, key: string, target: Target, jsonPath: string): void {
    this.#check(owner?.[key], target, `${jsonPath}.${key}`);
  }

  checkNodes(owner: JsonObject, key: string, jsonPath: string): void {
    const list = owner[key];
    if (list === undefined) return;
    if (!Array.isArray(list)) {
      const message = `"${jsonPath}.${key}" is not a list of indices.`;
      refuseSchema('INVALID_SCHEMA', message);
    }
    for (const value of list) this.#check(value ?? null, 'nodes', `${jsonPath}.${key}`);
  }

  checkAttributes(owner: unknown, jsonPath: string): void {
    if (owner === undefined) return;
    if (!isObject(owner)) {
      const message = `"${jsonPath}" is not an object of indices.`;
      refuseSchema('INVALID_SCHEMA', message);
    }
    for (const [key, value] of Object.entries(owner))
      this.#check(value, 'accessors', `${jsonPath}.${key}`);
  }

  /** Checks every `…Texture: {index}` of a material, including those of extensions. */
  checkTextures(owner: unknown, jsonPath: string): void {
    if (!isObject(owner)) return;
    for (const [key, value] of Object.entries(owner)) {
      if (!isObject(value) || key === 'extras') continue;
      if (key.endsWith('Texture')) this.checkOne(value, 'index', 'textures', `${jsonPath}.${key}`);
      else this.checkTextures(value, `${jsonPath}.${key}`);
    }
  }

  #check(value: unknown, target: Target, jsonPath: string): void {
    const count = this.#counts.get(target) ?? objectsOf(this.#root, target).length;
    this.#counts.set(target, count);
    checkIndex(value, count, target, jsonPath);
  }
}

/**
 * Checks the indices of the core format and of some extensions. A wrong camera only causes a warning.
 * @throws RejectedModelError UNRESOLVED_REFERENCE; INVALID_SCHEMA if indices are not in a list or object
 */
export function checkReferences(root: JsonObject, warnings: Warnings): void {
  const references = new References(root);
  references.checkOne(root, 'scene', 'scenes', 'glTF');
  checkScene(root, references, warnings);
  checkMeshes(root, references);
  checkData(root, references);
  checkAnimations(root, references);
}

function checkScene(root: JsonObject, references: References, warnings: Warnings): void {
  const cameras = objectsOf(root, 'cameras').length;
  objectsOf(root, 'scenes').forEach((scene, index) => {
    references.checkNodes(scene, 'nodes', `scenes[${index}]`);
  });
  objectsOf(root, 'nodes').forEach((node, index) => {
    const jsonPath = `nodes[${index}]`;
    references.checkNodes(node, 'children', jsonPath);
    references.checkOne(node, 'mesh', 'meshes', jsonPath);
    references.checkOne(node, 'skin', 'skins', jsonPath);
    // A wrong camera only causes a warning, because the platform uses its own cameras.
    const { camera } = node;
    if (camera !== undefined && !(Number(camera) < cameras)) {
      const message = `${jsonPath}.camera is ${JSON.stringify(camera)}, but the list of cameras has length ${cameras}.`;
      warnings.add('NONSTANDARD_GLTF', message);
    }
  });
  objectsOf(root, 'skins').forEach((skin, index) => {
    references.checkOne(skin, 'inverseBindMatrices', 'accessors', `skins[${index}]`);
    references.checkNodes(skin, 'joints', `skins[${index}]`);
    references.checkOne(skin, 'skeleton', 'nodes', `skins[${index}]`);
  });
}

function checkMeshes(root: JsonObject, references: References): void {
  objectsOf(root, 'meshes').forEach((mesh, meshIndex) => {
    const primitives = objectsOf(mesh, 'primitives', `meshes[${meshIndex}].primitives`);
    primitives.forEach((primitive, index) => {
      const jsonPath = `meshes[${meshIndex}].primitives[${index}]`;
      references.checkAttributes(primitive['attributes'], `${jsonPath}.attributes`);
      references.checkOne(primitive, 'indices', 'accessors', jsonPath);
      references.checkOne(primitive, 'material', 'materials', jsonPath);
      for (const target of objectsOf(primitive, 'targets', `${jsonPath}.targets`)) {
        references.checkAttributes(target, `${jsonPath}.targets`);
      }
      const draco = findExtension(primitive, dracoExtension);
      references.checkOne(draco, 'bufferView', 'bufferViews', `${jsonPath}.${dracoExtension}`);
    });
  });
  objectsOf(root, 'materials').forEach((material, index) => {
    references.checkTextures(material, `materials[${index}]`);
  });
}

function checkData(root: JsonObject, references: References): void {
  objectsOf(root, 'textures').forEach((texture, index) => {
    const jsonPath = `textures[${index}]`;
    references.checkOne(texture, 'source', 'images', jsonPath);
    references.checkOne(texture, 'sampler', 'samplers', jsonPath);
    for (const name of ['EXT_texture_webp', 'EXT_texture_avif', 'KHR_texture_basisu']) {
      references.checkOne(findExtension(texture, name), 'source', 'images', `${jsonPath}.${name}`);
    }
  });
  objectsOf(root, 'images').forEach((image, index) => {
    references.checkOne(image, 'bufferView', 'bufferViews', `images[${index}]`);
  });
  objectsOf(root, 'accessors').forEach((accessor, index) => {
    const jsonPath = `accessors[${index}]`;
    references.checkOne(accessor, 'bufferView', 'bufferViews', jsonPath);
    const sparse = accessor['sparse'];
    if (!isObject(sparse)) return;
    for (const part of ['indices', 'values']) {
      const data = sparse[part];
      const owner = isObject(data) ? data : undefined;
      references.checkOne(owner, 'bufferView', 'bufferViews', `${jsonPath}.sparse.${part}`);
    }
  });
  objectsOf(root, 'bufferViews').forEach((view, index) => {
    references.checkOne(view, 'buffer', 'buffers', `bufferViews[${index}]`);
    for (const name of meshoptExtensions) {
      const extension = findExtension(view, name);
      references.checkOne(extension, 'buffer', 'buffers', `bufferViews[${index}].${name}`);
    }
  });
}

function checkAnimations(root: JsonObject, references: References): void {
  objectsOf(root, 'animations').forEach((animation, index) => {
    const jsonPath = `animations[${index}]`;
    const samplers = objectsOf(animation, 'samplers', `${jsonPath}.samplers`);
    for (const sampler of samplers) {
      references.checkOne(sampler, 'input', 'accessors', `${jsonPath}.samplers`);
      references.checkOne(sampler, 'output', 'accessors', `${jsonPath}.samplers`);
    }
    for (const channel of objectsOf(animation, 'channels', `${jsonPath}.channels`)) {
      checkIndex(channel['sampler'], samplers.length, 'samplers', `${jsonPath}.channels.sampler`);
      const target = channel['target'];
      if (isObject(target))
        references.checkOne(target, 'node', 'nodes', `${jsonPath}.channels.target`);
    }
  });
}
