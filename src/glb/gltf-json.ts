// From JSON bytes to a glTF object that is safe to walk: depth first, then syntax, then version and shape.
import { RejectedModelError } from './look-result.ts';

/** glTF nests about ten levels deep; extras of real exporters stay below this. */
export const maxJsonDepth = 100;
/** Objects, lists and their parts: with more a parsed scene takes many times the memory of its text. */
export const maxJsonValues = 500_000;

export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

// Scanned before parsing: millions of brackets cost half a gigabyte and more once they are objects.
function checkSize(json: Uint8Array): void {
  let depth = 0;
  let values = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (inString) {
      if (byte === backslash) at += 1;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === comma) values += 1;
    else if (byte === 0x5b || byte === 0x7b) {
      values += 1;
      depth += 1;
      if (depth > maxJsonDepth) {
        const message = `The JSON nests deeper than ${maxJsonDepth} levels.`;
        throw new RejectedModelError('json', 'TOO_DEEP', message);
      }
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    if (values > maxJsonValues) {
      const message = `The JSON has more than ${maxJsonValues} values.`;
      throw new RejectedModelError('json', 'JSON_TOO_BIG', message);
    }
  }
}

/** Parses a glTF's JSON; throws RejectedModelError for bad syntax, another version or wrong top-level types. */
export function parseGltfJson(json: Uint8Array): JsonObject {
  checkSize(json);
  let root: unknown;
  try {
    root = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json));
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new RejectedModelError(
      'json',
      'INVALID_JSON',
      `The JSON of the file is broken: ${cause}`,
    );
  }
  if (!isObject(root)) {
    throw new RejectedModelError('json', 'NOT_GLTF2', 'The JSON of the file is not an object.');
  }
  const asset = root['asset'];
  const version = isObject(asset) ? asset['version'] : undefined;
  if (typeof version !== 'string' || !/^2\.\d+$/.test(version)) {
    const found = typeof version === 'string' ? `version ${JSON.stringify(version)}` : 'no version';
    throw new RejectedModelError(
      'schema',
      'NOT_GLTF2',
      `The file says ${found} in asset.version; glTF 2.0 is needed. Export it again as glTF 2.0.`,
    );
  }
  return root;
}

/** The objects of a top-level list such as `meshes`; an absent list is empty, a wrong one is refused. */
export function objectsOf(owner: JsonObject, key: string, place = key): readonly JsonObject[] {
  const list = owner[key];
  if (list === undefined) return [];
  if (!Array.isArray(list) || !list.every(isObject)) {
    throw new RejectedModelError(
      'schema',
      'INVALID_SCHEMA',
      `"${place}" is not a list of objects.`,
    );
  }
  return list;
}

/** A count or offset; refused unless it is a whole number from zero. */
export function wholeNumber(
  owner: JsonObject,
  key: string,
  place: string,
  fallback?: number,
): number {
  const value = owner[key] ?? fallback;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new RejectedModelError(
      'schema',
      'INVALID_SCHEMA',
      `"${place}.${key}" is ${JSON.stringify(value) ?? 'missing'}, not a whole number from 0.`,
    );
  }
  return value;
}

/** An extension object of a glTF property, or undefined. */
export function extensionOf(owner: JsonObject, name: string): JsonObject | undefined {
  const extensions = owner['extensions'];
  if (!isObject(extensions)) return undefined;
  const extension = extensions[name];
  return isObject(extension) ? extension : undefined;
}
