// Converts a parsed YAML document to plain JSON that remembers the position of every value in the text.
import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
} from 'yaml';
import type { ProblemCode } from '../../language/problem-codes.ts';
import type { Json } from '../../plan/types.ts';
import type { Findings, Hint } from './findings.ts';
import type { Range, SourceText } from './source-text.ts';

export type Path = readonly (string | number)[];

export interface NodeLocation {
  key: Range | null;
  value: Range;
  scalar: Scalar | null;
}

/** Maximum size of a file, in UTF-16 units or bytes, and of all text that parameters add to it. */
export const maxFileLength = 1024 * 1024;
export const maxAliases = 100;
export const maxTextLength = 10_000;
/** Maximum total length of the paths of all values, which are kept for messages. */
export const maxPathCharacters = 5_000_000;
/** Maximum number of values after aliases are expanded. */
export const maxValues = 50_000;
const knownTags = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
);

export class LocatedDocument {
  readonly value: Json;
  readonly findings: Findings;
  readonly #locations: ReadonlyMap<string, NodeLocation>;

  constructor(value: Json, locations: ReadonlyMap<string, NodeLocation>, findings: Findings) {
    this.value = value;
    this.findings = findings;
    this.#locations = locations;
  }

  get source(): SourceText {
    return this.findings.source;
  }

  error(code: ProblemCode, path: Path, message: string, hint?: Hint): void {
    this.findings.error(code, this.valueRange(path), message, hint);
  }

  errorAtKey(code: ProblemCode, path: Path, message: string, hint?: Hint): void {
    this.findings.error(code, this.keyRange(path), message, hint);
  }

  warning(code: ProblemCode, path: Path, message: string, hint?: Hint): void {
    this.findings.warning(code, this.valueRange(path), message, hint);
  }

  warningAtKey(code: ProblemCode, path: Path, message: string, hint?: Hint): void {
    this.findings.warning(code, this.keyRange(path), message, hint);
  }

  note(path: Path, message: string): void {
    this.findings.note(this.valueRange(path), message);
  }

  /** Returns the range of a value. If the value is missing, returns the range of the nearest value around it. */
  valueRange(path: Path): Range {
    return this.#nearestLocation(path).value;
  }

  /** Returns the range of the key of a value. For an item of a list, this is the range of the item. */
  keyRange(path: Path): Range {
    const location = this.#nearestLocation(path);
    return location.key ?? location.value;
  }

  /** Returns the range of the characters `start` to `end` of a text value. */
  textRange(path: Path, start: number, end: number): Range {
    const location = this.#nearestLocation(path);
    if (location.scalar === null) return location.value;
    const { source, start: first } = this.source.fileAt(location.value[0]);
    const ownRange: Range = [location.value[0] - first, location.value[1] - first];
    const offsetAt = (index: number) =>
      first + findOffset(source.text, location.scalar, index, ownRange);
    const from = offsetAt(start);
    return [from, Math.max(from + 1, end > start ? offsetAt(end - 1) + 1 : from + 1)];
  }

  /** Returns the source text of a number, boolean or null, such as `0510`. Null for strings and missing values. */
  sourceTextAt(path: Path): string | null {
    const scalar = this.#locations.get(pathKeyOf(path))?.scalar;
    return scalar && typeof scalar.value !== 'string' ? scalar.source || null : null;
  }

  has(path: Path): boolean {
    return this.#locations.has(pathKeyOf(path));
  }

  /** Returns where a value is written, or undefined if no file contains it. */
  locationOf(path: Path): NodeLocation | undefined {
    return this.#locations.get(pathKeyOf(path));
  }

  /** Returns a copy of the document with another value. `locations` are those of values that come from other files. */
  with(value: Json, locations: ReadonlyMap<string, NodeLocation>): LocatedDocument {
    const merged = new Map([...this.#locations, ...locations]);
    return new LocatedDocument(value, merged, this.findings);
  }

  #nearestLocation(path: Path): NodeLocation {
    for (let length = path.length; length >= 0; length--) {
      const location = this.#locations.get(pathKeyOf(path.slice(0, length)));
      if (location === undefined) continue;
      // A whole mapping or list is too large to point at if something in it is missing.
      if (length < path.length) {
        const [start] = location.value;
        return { key: null, value: location.key ?? [start, start + 1], scalar: null };
      }
      return location;
    }
    return { key: null, value: [0, 1], scalar: null };
  }
}

export function pathKeyOf(path: Path): string {
  return JSON.stringify(path);
}

/** Converts YAML nodes to JSON. Values that JSON cannot represent, or that people should not write, become problems. */
export function locate(document: Document, findings: Findings): LocatedDocument {
  const located = new Locator(findings);
  return new LocatedDocument(located.valueOf(document), located.locations, findings);
}

/** One traversal of a document, with limits for aliases, values and the length of paths. */
class Locator {
  readonly locations = new Map<string, NodeLocation>();
  readonly #findings: Findings;
  readonly #anchors = new Map<string, Node>();
  #aliases = 0;
  #values = 0;
  #pathCharacters = 0;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  valueOf({ contents }: Document): Json {
    return this.#visit(contents, [], null, []);
  }

  #visit(node: unknown, path: Path, key: Range | null, openNodes: readonly Node[]): Json {
    this.#values += 1;
    const range = rangeOf(node) ?? key ?? [0, 0];
    if (this.#pathCharacters > maxPathCharacters) return null;
    this.#pathCharacters += path.reduce<number>(
      (sum, step) => sum + String(step).length,
      path.length,
    );
    if (this.#pathCharacters > maxPathCharacters) {
      this.#findings.error('RL105', range, 'too many values are nested under long keys');
      return null;
    }
    if (isAlias(node)) return this.#followAlias(node.source, range, path, key, openNodes);
    this.locations.set(pathKeyOf(path), {
      key,
      value: range,
      scalar: isScalar(node) ? node : null,
    });
    if (!isYamlNode(node)) return null;
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    this.#checkTag(node, range);
    if (isScalar(node)) return this.#scalarValue(node, range);
    if (isSeq(node)) {
      return node.items.map((item, index) =>
        this.#visit(item, [...path, index], null, [...openNodes, node]),
      );
    }
    if (isMap(node)) return this.#visitMap(node, path, [...openNodes, node]);
    return null;
  }

  #visitMap(node: Node & { items: unknown[] }, path: Path, openNodes: readonly Node[]): Json {
    const entries = new Map<string, Json>();
    for (const pair of node.items) {
      if (!isPair(pair)) continue;
      const keyRange = rangeOf(pair.key) ?? rangeOf(node) ?? [0, 0];
      const name = isScalar(pair.key) ? keyTextOf(pair.key) : null;
      if (name === null) {
        this.#findings.error('RL110', keyRange, 'a key must be plain text');
        continue;
      }
      if (this.#isTooLong(name, keyRange)) continue;
      if (name === '<<') {
        const message = 'merge keys (<<) are not supported';
        this.#findings.error('RL107', keyRange, message, 'Write out the fields.');
      } else if (entries.has(name)) {
        this.#findings.error('RL102', keyRange, `the key "${name}" occurs twice in this mapping`);
      } else {
        entries.set(name, this.#visit(pair.value, [...path, name], keyRange, openNodes));
      }
    }
    return Object.fromEntries(entries);
  }

  #followAlias(
    name: string,
    range: Range,
    path: Path,
    key: Range | null,
    openNodes: readonly Node[],
  ): Json {
    this.#aliases += 1;
    const target = this.#anchors.get(name);
    let refusal: string | null = null;
    if (target === undefined) refusal = `*${name} does not refer to an earlier anchor`;
    else if (openNodes.includes(target)) refusal = `*${name} contains itself`;
    else if (this.#aliases > maxAliases) refusal = `the file has more than ${maxAliases} aliases`;
    else if (this.#values > maxValues)
      refusal = `the aliases expand the document to more than ${maxValues} values`;
    this.locations.set(pathKeyOf(path), { key, value: range, scalar: null });
    if (refusal !== null) {
      this.#findings.error('RL106', range, refusal);
      return null;
    }
    return this.#visit(target, path, key, openNodes);
  }

  #checkTag(node: Node & { tag?: string | undefined }, range: Range): void {
    if (node.tag !== undefined && !knownTags.has(node.tag) && node.tag !== '!') {
      this.#findings.error('RL103', range, `the tag ${node.tag} is unknown`);
    }
  }

  #scalarValue(node: Scalar, range: Range): Json {
    const { value } = node;
    if (typeof value === 'string' && this.#isTooLong(value, range)) return null;
    if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
    if (typeof value === 'number') {
      if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
        this.#findings.error(
          'RL112',
          range,
          `${node.source ?? value} cannot be represented exactly`,
        );
      }
      return value;
    }
    return typeof value === 'bigint' ? value.toString() : null;
  }

  #isTooLong(text: string, range: Range): boolean {
    if (text.length <= maxTextLength) return false;
    const message = `the text has ${text.length} characters; the maximum is ${maxTextLength}`;
    this.#findings.error('RL105', [range[0], range[0] + 1], message);
    return true;
  }
}

/** Keys are text: `0510:` is the key 0510, not 510. */
function keyTextOf({ value, source }: Scalar): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? (source ?? String(value)) : null;
}

function isYamlNode(node: unknown): node is Node {
  return typeof node === 'object' && node !== null;
}

function rangeOf(node: unknown): Range | null {
  if (!isYamlNode(node) || !node.range) return null;
  return [node.range[0], node.range[1]];
}

const escapeLengths: Record<string, number> = { x: 4, u: 6, U: 10 };

/** Offsets by scalar, cached because thousands of positions may be looked up in one text. */
const offsetsByScalar = new WeakMap<Scalar, Uint32Array>();

/** Returns the offset in `text` of the character `index` of the scalar's value, or else the start of the scalar. */
function findOffset(text: string, scalar: Scalar | null, index: number, range: Range): number {
  if (scalar === null || typeof scalar.value !== 'string') return range[0];
  let offsets = offsetsByScalar.get(scalar);
  if (offsets === undefined) {
    offsets = walk(text, scalar, scalar.value, range);
    offsetsByScalar.set(scalar, offsets);
  }
  return offsets[Math.min(index, offsets.length - 1)] ?? range[0];
}

/** Returns the offsets of all characters of the value, and of its end. */
function walk(text: string, scalar: Scalar, value: string, [start, end]: Range): Uint32Array {
  const offsets = new Uint32Array(value.length + 1);
  const quoted = scalar.type === 'QUOTE_DOUBLE' || scalar.type === 'QUOTE_SINGLE';
  const block = scalar.type === 'BLOCK_FOLDED' || scalar.type === 'BLOCK_LITERAL';
  let offset = start;
  if (quoted) offset += 1;
  if (block) offset = Math.min(end, text.indexOf('\n', start) + 1);
  for (let i = 0; i < value.length; i++) {
    const next = text[offset];
    let length = 1;
    if (scalar.type === 'QUOTE_DOUBLE' && next === '\\') {
      length = escapeLengths[text[offset + 1] ?? ''] ?? 2;
    } else if (next === value[i]) {
      if (scalar.type === 'QUOTE_SINGLE' && next === "'") length = 2;
    } else {
      // Indentation and folded line ends are in the text but not in the value.
      while (offset < end && text[offset] !== value[i]) offset += 1;
    }
    offsets[i] = Math.min(offset, end);
    offset += length;
  }
  offsets[value.length] = Math.min(offset, end);
  return offsets;
}
