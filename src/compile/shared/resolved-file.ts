// Writes a pipeline with its shared parts resolved: a file that includes nothing and compiles to the same plan.
import { Document, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import type { Json } from '../../plan/types.ts';
import { toFields } from '../node-draft.ts';
import { Pipeline } from '../pipeline.ts';
import type { LocatedDocument, Path } from '../yaml/document.ts';
import { formatPath } from '../yaml/shape.ts';

interface SharedValue {
  /** Path in the pipeline, such as `nodes[2].config.settings`. */
  path: string;
  file: string;
  line: number;
}

export interface ResolvedFile {
  /** Fields of the file. Parameters are not filled in. */
  pipeline: Record<string, Json>;
  shared: SharedValue[];
  /** The file as YAML, with a comment above each shared value. */
  text: string;
}

export function createResolvedFile(document: LocatedDocument): ResolvedFile {
  const { include: _include, ...fields } = toFields(document.value) ?? {};
  const order = Object.keys(Pipeline.shape);
  const entries = Object.entries(fields);
  entries.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const pipeline = Object.fromEntries(entries);
  const sharedValues: SharedValue[] = [];
  const toNode = (value: Json, path: Path, isShared: boolean): YAMLMap | YAMLSeq | Scalar => {
    if (Array.isArray(value)) {
      const list = new YAMLSeq();
      list.items = value.map((item, index) => toNode(item, [...path, index], isShared));
      return list;
    }
    const fields = toFields(value);
    if (fields === null) return createScalar(value, path, document);
    const map = new YAMLMap();
    for (const [name, item] of Object.entries(fields)) {
      const itemPath = [...path, name];
      const key = createTextScalar(name);
      // Values within a shared value have no comments of their own.
      const origin = isShared ? null : findOrigin(itemPath, document);
      if (origin !== null) {
        key.commentBefore = ` ${origin.file}:${origin.line}`;
        sharedValues.push({ path: formatPath(itemPath), ...origin });
      }
      map.items.push(new Pair(key, toNode(item, itemPath, isShared || origin !== null)));
    }
    return map;
  };
  const yaml = new Document(null, { customTags: (tags) => [verbatimNumber, ...tags] });
  yaml.contents = toNode(pipeline, [], false);
  const text = yaml.toString({ lineWidth: 0, flowCollectionPadding: true });
  return { pipeline, shared: sharedValues, text: text.replace(unprintable, escapeCharacter) };
}

function findOrigin(path: Path, document: LocatedDocument): { file: string; line: number } | null {
  const location = document.locationOf(path);
  if (location === undefined) return null;
  const { source } = document;
  const { file, line } = source.positionOf(location.key ?? location.value);
  return file === source.file ? null : { file, line };
}

function createScalar(value: Json, path: Path, document: LocatedDocument): Scalar {
  if (typeof value === 'string') return createTextScalar(value);
  // A number keeps its source text, because a text field must contain 0510, not 510.
  const sourceText = typeof value === 'number' ? document.sourceTextAt(path) : null;
  return new Scalar(sourceText === null ? value : new VerbatimNumbers(sourceText));
}

class VerbatimNumbers {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const verbatimNumber = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value: unknown) => value instanceof VerbatimNumbers,
  resolve: (text: string) => text,
  stringify: ({ value }: Scalar) => (value instanceof VerbatimNumbers ? value.text : String(value)),
};

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const unprintable = /[\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g;

/** Double-quotes text with unprintable characters, because YAML allows the escapes of `escapeCharacter` only there. */
function createTextScalar(text: string): Scalar {
  const scalar = new Scalar<unknown>(text);
  if (text.search(unprintable) !== -1) scalar.type = 'QUOTE_DOUBLE';
  return scalar;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
