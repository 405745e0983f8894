// Merges shared parts into a pipeline. The pipeline's own values take precedence. Each value keeps its file and line.
import { posix } from 'node:path';
import type { Json } from '../../plan/types.ts';
import { toFields } from '../node-draft.ts';
import {
  type LocatedDocument,
  maxPathCharacters,
  maxValues,
  type NodeLocation,
  type Path,
  pathKeyOf,
} from '../yaml/document.ts';
import { formatPath } from '../yaml/shape.ts';
import { namedMaps, nodeFields, wholeFields } from './shared-part.ts';

export interface Part {
  path: string;
  document: LocatedDocument;
  /** Offset of the part's first character, as if the part followed the text of the pipeline. */
  start: number;
}

interface Origin {
  part: Part;
  path: Path;
  value: Json;
}

/** Merges valid parts into the fields of a pipeline. */
export function mergeShared(main: LocatedDocument, parts: readonly Part[]): LocatedDocument {
  const fields = toFields(main.value);
  if (fields === null) return main;
  const merge = new Merge(main);
  let mergedFields: Record<string, Json> = fields;
  for (const origin of merge.takeOnce(parts.flatMap(wholeFieldsOf))) {
    mergedFields = merge.add(mergedFields, origin.path, origin);
  }
  mergedFields = withDefaults(mergedFields, merge.takeOnce(parts.flatMap(defaultsOf)), merge);
  for (const { field, usedIn } of namedMaps) {
    const origins = merge.takeOnce(parts.flatMap((part) => namedOf(part, field)));
    const isUsed = usedIn(mergedFields);
    for (const origin of origins) {
      if (isUsed(String(origin.path[1])))
        mergedFields = merge.add(mergedFields, origin.path, origin);
    }
  }
  return main.with(mergedFields, merge.locations);
}

function wholeFieldsOf(part: Part): Origin[] {
  const fields = toFields(part.document.value) ?? {};
  return wholeFields.flatMap((field): Origin[] => {
    const value = fields[field];
    return value === undefined ? [] : [{ part, path: [field], value }];
  });
}

function namedOf(part: Part, field: string): Origin[] {
  const entries = toFields((toFields(part.document.value) ?? {})[field]) ?? {};
  return Object.entries(entries).map(([name, value]): Origin => {
    return { part, path: [field, name], value: relocate(field, value, part.path) };
  });
}

/** Makes a path that is relative to the folder of a part relative to the folder of the pipeline. */
function relocate(field: string, value: Json, part: string): Json {
  const folder = posix.dirname(part);
  const fields = toFields(value);
  if (fields === null || folder === '.') return value;
  const name =
    field === 'connectors' && fields['type'] === 'local'
      ? 'path'
      : field === 'parameters' && fields['type'] === 'path'
        ? 'default'
        : '';
  const path = fields[name];
  if (typeof path !== 'string' || posix.isAbsolute(path) || path.startsWith('${{')) return value;
  return { ...fields, [name]: posix.join(folder, path) };
}

function defaultsOf(part: Part): Origin[] {
  const types = toFields(toFields(part.document.value)?.['defaults']) ?? {};
  return Object.entries(types).flatMap(([type, defaults]) => {
    const fields = toFields(defaults) ?? {};
    const nodeDefaults = nodeFields.flatMap((field): Origin[] => {
      const value = fields[field];
      return value === undefined ? [] : [{ part, path: ['defaults', type, field], value }];
    });
    const config = Object.entries(toFields(fields['config']) ?? {});
    return [
      ...nodeDefaults,
      ...config.map(
        ([field, value]): Origin => ({ part, path: ['defaults', type, 'config', field], value }),
      ),
    ];
  });
}

function withDefaults(
  fields: Record<string, Json>,
  defaults: readonly Origin[],
  merge: Merge,
): Record<string, Json> {
  const { nodes } = fields;
  if (!Array.isArray(nodes) || defaults.length === 0) return fields;
  const filled = nodes.map((node, index) => {
    let merged = toFields(node);
    if (merged === null) return node;
    const type = merged['type'];
    for (const origin of defaults) {
      const [, ofType, ...path] = origin.path;
      if (ofType === type) merged = merge.add(merged, path, origin, ['nodes', index]);
    }
    return merged;
  });
  return { ...fields, nodes: filled };
}

class Merge {
  /** Locations of values that the pipeline gets from parts. */
  readonly locations = new Map<string, NodeLocation>();
  readonly #main: LocatedDocument;
  #values = 0;
  #pathCharacters = 0;
  #isRefused = false;

  constructor(main: LocatedDocument) {
    this.#main = main;
  }

  /** Returns the values that the pipeline lacks. Parts have no order, so no two of them may define the same value. */
  takeOnce(origins: readonly Origin[]): Origin[] {
    const originsByKey = new Map<string, Origin>();
    for (const origin of origins) {
      const { part, path } = origin;
      if (this.#main.has(path)) continue;
      const key = pathKeyOf(path);
      const other = originsByKey.get(key);
      if (other === undefined) {
        originsByKey.set(key, origin);
        continue;
      }
      const message = `${formatPath(path)} is also defined in ${other.part.path}`;
      part.document.errorAtKey('RL114', path, message);
    }
    return [...originsByKey.values()];
  }

  /**
   * Adds a value at a path, unless the mapping already has a value there. To an existing mapping in a field of
   * `config`, adds the entries that it lacks.
   * @param base path of the mapping in the pipeline
   */
  add(
    fields: Record<string, Json>,
    path: Path,
    origin: Origin,
    base: Path = [],
  ): Record<string, Json> {
    const [first = '', ...restPath] = path;
    const name = String(first);
    const targetPath = [...base, name];
    const existingValue = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const withValue = (value: Json) =>
      Object.fromEntries([...Object.entries(fields), [name, value]]);
    if (restPath.length === 0 && existingValue === undefined) {
      this.#copy(targetPath, origin);
      return withValue(origin.value);
    }
    const ownFields = existingValue === undefined ? {} : toFields(existingValue);
    if (ownFields === null) return fields;
    if (restPath.length > 0) {
      return withValue(this.add(ownFields, restPath, origin, targetPath));
    }
    const isConfigField = base[0] === 'nodes' && base.length === 3;
    const sharedFields = isConfigField ? toFields(origin.value) : null;
    let filled = ownFields;
    for (const [key, value] of Object.entries(sharedFields ?? {})) {
      const entry = { part: origin.part, path: [...origin.path, key], value };
      filled = this.add(filled, [key], entry, targetPath);
    }
    return withValue(filled);
  }

  #copy(targetPath: Path, { part, path, value }: Origin): void {
    this.#values += 1;
    this.#pathCharacters += pathKeyOf(targetPath).length;
    if (this.#values > maxValues || this.#pathCharacters > maxPathCharacters) {
      this.#refuse(part, path);
      return;
    }
    this.#locate(targetPath, part, path);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, item] of Object.entries(value)) {
      const step = Array.isArray(value) ? Number(name) : name;
      this.#copy([...targetPath, step], { part, path: [...path, step], value: item });
    }
  }

  #locate(targetPath: Path, { document, start }: Part, path: Path): void {
    const location = document.locationOf(path);
    if (location === undefined) return;
    const { key, value, scalar } = location;
    this.locations.set(pathKeyOf(targetPath), {
      key: key && [key[0] + start, key[1] + start],
      value: [value[0] + start, value[1] + start],
      scalar,
    });
  }

  #refuse({ document }: Part, path: Path): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    const message = `with its shared parts, the pipeline has more than ${maxValues} values`;
    document.errorAtKey('RL105', path.slice(0, 2), message);
  }
}
