// Parses JSON bytes to a glTF object that is safe to traverse. Checks depth and memory first, then syntax and version.
import { isUtf8 } from 'node:buffer';
import { formatHint } from './file-formats.ts';
import { type RejectCode, RejectedModelError, type Warnings } from './model-inspection.ts';

/** Maximum depth. glTF nests about ten levels deep, and `extras` of real exporters stay below this limit. */
export const maxJsonDepth = 100;
/** Limit for the memory of a parsed scene, which can be fifty times its text. */
export const maxJsonMemory = 96 * 1024 * 1024;
/** Bytes that V8 needs for a value after a comma, for an object or array, and for a key that no other object has. */
const memoryOf = { value: 28, container: 70, key: 130 };

export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;

// Runs before parsing, since millions of brackets take half a gigabyte and more as objects.
function checkSize(json: Uint8Array): void {
  let depth = 0;
  let memory = 0;
  let inString = false;
  for (let offset = 0; offset < json.length; offset += 1) {
    const byte = json[offset];
    if (inString) {
      if (byte === backslash) offset += 1;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === comma) memory += memoryOf.value;
    else if (byte === colon) memory += memoryOf.key;
    else if (byte === 0x5b || byte === 0x7b) {
      memory += memoryOf.container;
      depth += 1;
      if (depth > maxJsonDepth) {
        const message = `The JSON nests deeper than ${maxJsonDepth} levels.`;
        throw new RejectedModelError('json', 'TOO_DEEP', message);
      }
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    if (memory > maxJsonMemory) {
      const message = `The values of the JSON would take more than ${maxJsonMemory} bytes of memory.`;
      throw new RejectedModelError('json', 'JSON_TOO_BIG', message);
    }
  }
}

/** Returns the JSON text without byte order mark and without zeros at its end. */
export function decodeJsonText(json: Uint8Array): string {
  return new TextDecoder().decode(json.subarray(0, json.findLastIndex((byte) => byte !== 0) + 1));
}

/**
 * Parses the JSON of a glTF.
 * @throws RejectedModelError for bad syntax, too much nesting or memory, another version, or JSON that is not an object
 */
export function parseGltfJson(json: Uint8Array, warnings: Warnings): JsonObject {
  checkSize(json);
  let root: unknown;
  try {
    root = JSON.parse(decodeJsonText(json));
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    const message = `The JSON of the file is invalid: ${formatHint(json.subarray(0, 512), cause)}`;
    throw new RejectedModelError('json', 'INVALID_JSON', message);
  }
  if (json[0] === 0xef) warnings.add('NONSTANDARD_GLTF', 'The JSON begins with a byte order mark.');
  if (json.at(-1) === 0)
    warnings.add('NONSTANDARD_GLTF', 'The JSON is padded with zeros instead of spaces.');
  if (!isUtf8(json))
    warnings.add('NONSTANDARD_GLTF', 'The JSON is not UTF-8: names may be read wrongly.');
  if (!isObject(root)) {
    throw new RejectedModelError('json', 'NOT_GLTF2', 'The JSON of the file is not an object.');
  }
  const asset = root['asset'];
  const version = isObject(asset) ? asset['version'] : undefined;
  if (!/^2(\.\d+)?$/.test(String(version))) {
    const versionLabel =
      version === undefined ? 'no version' : `version ${JSON.stringify(version)}`;
    refuseSchema('NOT_GLTF2', `asset.version has ${versionLabel}; glTF 2.0 is required.`);
  }
  if (version !== '2.0') {
    const message = `asset.version is ${JSON.stringify(version)}, not "2.0": some programs refuse that.`;
    warnings.add('NONSTANDARD_GLTF', message);
  }
  return root;
}

/** Refuses a model whose JSON is valid and whose content is not. @throws RejectedModelError */
export function refuseSchema(code: RejectCode, message: string): never {
  throw new RejectedModelError('schema', code, message);
}

/** Returns the objects of a list such as `meshes`, or [] if absent. @throws RejectedModelError for another type */
export function objectsOf(owner: JsonObject, key: string, jsonPath = key): readonly JsonObject[] {
  const list = owner[key];
  if (list === undefined) return [];
  if (!Array.isArray(list) || !list.every(isObject)) {
    refuseSchema('INVALID_SCHEMA', `"${jsonPath}" is not a list of objects.`);
  }
  return list;
}

/** Returns a count or offset. @throws RejectedModelError unless it is a non-negative integer */
export function getWholeNumber(
  owner: JsonObject,
  key: string,
  jsonPath: string,
  fallback?: number,
): number {
  const value = owner[key] ?? fallback;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    refuseSchema(
      'INVALID_SCHEMA',
      `"${jsonPath}.${key}" is ${JSON.stringify(value) ?? 'missing'}, not a whole number from 0.`,
    );
  }
  return value;
}

/** Returns an extension object of a glTF property, or undefined. */
export function findExtension(owner: JsonObject, name: string): JsonObject | undefined {
  const extensions = owner['extensions'];
  const extension = isObject(extensions) ? extensions[name] : undefined;
  return isObject(extension) ? extension : undefined;
}
