// Merges shared parts into a pipeline, whose own values win. Each value keeps its file and line.
import { posix } from 'node:path';
import type { Json } from '../../plan/types.ts';
import { fieldsOf } from '../node-draft.ts';
import {
  type LocatedDocument,
  maxPathCharacters,
  maxValues,
  type NodeLocation,
  type Path,
  pathKey,
} from '../yaml/document.ts';
import type { Findings } from '../yaml/findings.ts';
import { formatPath } from '../yaml/shape.ts';
import { namedMaps, nodeFields, wholeFields } from './shared-part.ts';

/** A shared part that was read and checked. */
export interface Part {
  /** Path of the part, as the pipeline names it. */
  path: string;
  document: LocatedDocument;
  findings: Findings;
  /** Offset of the part's first character, as if the part followed the text of the pipeline. */
  start: number;
}

interface Origin {
  part: Part;
  path: Path;
  value: Json;
}

/** Merges parts, which are valid, into the fields of a pipeline. */
export function mergeShared(main: LocatedDocument, parts: readonly Part[]): LocatedDocument {
  const fields = fieldsOf(main.value);
  if (fields === null) return main;
  const merge = new Merge(main);
  let merged: Record<string, Json> = fields;
  for (const origin of merge.takeOnce(parts.flatMap(wholeFieldsOf))) {
    merged = merge.add(merged, origin.path, origin);
  }
  merged = withDefaults(merged, merge.takeOnce(parts.flatMap(defaultsOf)), merge);
  for (const { field, usedIn } of namedMaps) {
    const origins = merge.takeOnce(parts.flatMap((part) => namedOf(part, field)));
    const isUsed = usedIn(merged);
    for (const origin of origins) {
      if (isUsed(String(origin.path[1]))) merged = merge.add(merged, origin.path, origin);
    }
  }
  return main.with(merged, merge.locations);
}

function wholeFieldsOf(part: Part): Origin[] {
  const fields = fieldsOf(part.document.value) ?? {};
  return wholeFields.flatMap((field): Origin[] => {
    const value = fields[field];
    return value === undefined ? [] : [{ part, path: [field], value }];
  });
}

function namedOf(part: Part, field: string): Origin[] {
  const named = fieldsOf((fieldsOf(part.document.value) ?? {})[field]) ?? {};
  return Object.entries(named).map(([name, value]): Origin => {
    return { part, path: [field, name], value: relocate(field, value, part.path) };
  });
}

/** Makes a path that is relative to the folder of a part relative to the folder of the pipeline. */
function relocate(field: string, value: Json, part: string): Json {
  const folder = posix.dirname(part);
  const named = fieldsOf(value);
  if (named === null || folder === '.') return value;
  const name =
    field === 'connectors' && named['type'] === 'local'
      ? 'path'
      : field === 'parameters' && named['type'] === 'path'
        ? 'default'
        : '';
  const path = named[name];
  if (typeof path !== 'string' || posix.isAbsolute(path) || path.startsWith('${{')) return value;
  return { ...named, [name]: posix.join(folder, path) };
}

/** Defaults, one for each field of a node type. */
function defaultsOf(part: Part): Origin[] {
  const types = fieldsOf(fieldsOf(part.document.value)?.['defaults']) ?? {};
  return Object.entries(types).flatMap(([type, given]) => {
    const fields = fieldsOf(given) ?? {};
    const own = nodeFields.flatMap((field): Origin[] => {
      const value = fields[field];
      return value === undefined ? [] : [{ part, path: ['defaults', type, field], value }];
    });
    const config = Object.entries(fieldsOf(fields['config']) ?? {});
    return [
      ...own,
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
    let own = fieldsOf(node);
    if (own === null) return node;
    const type = own['type'];
    for (const origin of defaults) {
      const [, ofType, ...path] = origin.path;
      if (ofType === type) own = merge.add(own, path, origin, ['nodes', index]);
    }
    return own;
  });
  return { ...fields, nodes: filled };
}

class Merge {
  /** Locations of values that the pipeline takes from parts. */
  readonly locations = new Map<string, NodeLocation>();
  readonly #main: LocatedDocument;
  #values = 0;
  #pathCharacters = 0;
  #isRefused = false;

  constructor(main: LocatedDocument) {
    this.#main = main;
  }

  /** The values that the pipeline lacks. Parts have no order, so two must not define the same value. */
  takeOnce(origins: readonly Origin[]): Origin[] {
    const taken = new Map<string, Origin>();
    for (const origin of origins) {
      const { part, path } = origin;
      if (this.#main.has(path)) continue;
      const key = pathKey(path);
      const other = taken.get(key);
      if (other === undefined) {
        taken.set(key, origin);
        continue;
      }
      const message = `${formatPath(path)} is defined in ${other.part.path} too`;
      part.findings.error('RL114', part.document.keyRange(path), message);
    }
    return [...taken.values()];
  }

  /**
   * Adds a value at a path, unless the mapping already has a value there. An existing mapping in a field of `config`
   * gets the entries that it lacks.
   * @param base path of the mapping in the pipeline
   */
  add(
    fields: Record<string, Json>,
    path: Path,
    origin: Origin,
    base: Path = [],
  ): Record<string, Json> {
    const [first = '', ...rest] = path;
    const name = String(first);
    const at = [...base, name];
    const existingValue = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (rest.length === 0) {
      if (existingValue === undefined) return this.#with(fields, at, origin);
      const isConfigField = base[0] === 'nodes' && base.length === 3;
      return isConfigField ? this.#fill(fields, at, existingValue, origin) : fields;
    }
    if (existingValue !== undefined && fieldsOf(existingValue) === null) return fields;
    const inner = this.add(fieldsOf(existingValue) ?? {}, rest, origin, at);
    return Object.fromEntries([...Object.entries(fields), [name, inner]]);
  }

  #with(fields: Record<string, Json>, at: Path, origin: Origin): Record<string, Json> {
    this.#copy(at, origin);
    return Object.fromEntries([...Object.entries(fields), [String(at.at(-1)), origin.value]]);
  }

  #fill(
    fields: Record<string, Json>,
    at: Path,
    existingValue: Json,
    { part, path, value }: Origin,
  ): Record<string, Json> {
    const own = fieldsOf(existingValue);
    const shared = fieldsOf(value);
    if (own === null || shared === null) return fields;
    let filled = own;
    for (const [key, item] of Object.entries(shared)) {
      if (Object.hasOwn(own, key)) continue;
      filled = this.#with(filled, [...at, key], { part, path: [...path, key], value: item });
    }
    return Object.fromEntries([...Object.entries(fields), [String(at.at(-1)), filled]]);
  }

  #copy(at: Path, { part, path, value }: Origin): void {
    this.#values += 1;
    this.#pathCharacters += pathKey(at).length;
    if (this.#values > maxValues || this.#pathCharacters > maxPathCharacters) {
      this.#refuse(part, path);
      return;
    }
    this.#locate(at, part, path);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, item] of Object.entries(value)) {
      const step = Array.isArray(value) ? Number(name) : name;
      this.#copy([...at, step], { part, path: [...path, step], value: item });
    }
  }

  #locate(at: Path, { document, start }: Part, path: Path): void {
    const location = document.locationOf(path);
    if (location === undefined) return;
    const { key, value, scalar } = location;
    this.locations.set(pathKey(at), {
      key: key && [key[0] + start, key[1] + start],
      value: [value[0] + start, value[1] + start],
      scalar,
    });
  }

  #refuse({ document, findings }: Part, path: Path): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    const message = `with its shared parts the pipeline has more than ${maxValues} values`;
    findings.error('RL105', document.keyRange(path.slice(0, 2)), message);
  }
}
