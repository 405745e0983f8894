// Writes a pipeline of the platform as a file. The platform returns its name and numbers, and each node's type and
// whether it is enabled. In an existing file, everything that the platform does not show is kept.
import { type Document, isMap, isScalar, isSeq, parseDocument, visit, type YAMLMap } from 'yaml';
import { type TakenNames, takeFreeName } from '../language/naming/free-name.ts';
import { Pipeline, PipelineNode } from './pipeline.ts';

export interface PlatformPipeline {
  id: string;
  name: string;
  batchSize: number;
  maxRetries: number;
  nodes: readonly { id: string; type: string; enabled: boolean }[];
}

export type MergeResult = { text: string } | { differs: string };

/** Updates a file's text with the platform's values. `differs` states how the types or order of the nodes differ. */
export function mergePlatformPipeline(
  text: string,
  platformPipeline: PlatformPipeline,
): MergeResult {
  const document = parseDocument(text);
  const nodes = nodesOf(document);
  const types = nodes.map((node) => String(node.get('type')));
  const platformTypes = platformPipeline.nodes.map(({ type }) => type);
  if (types.join() !== platformTypes.join()) {
    return {
      differs: `the platform has nodes of the types ${list(platformTypes)}, the file has ${list(types)}`,
    };
  }
  let hasChanged = false;
  type Target = YAMLMap | Document;
  const put = (target: Target, name: string, value: unknown, defaultValue?: unknown) => {
    if ((target.get(name) ?? defaultValue) === value) return;
    const scalar = target.get(name, true);
    // The source text is deleted, because the old text must not be written for the new value.
    if (isScalar(scalar)) delete scalar.source;
    target.set(name, value);
    hasChanged = true;
  };
  put(document, 'name', platformPipeline.name);
  for (const name of ['batchSize', 'maxRetries'] as const)
    put(document, name, platformPipeline[name], Pipeline.shape[name].parse(undefined));
  for (const [index, { enabled }] of platformPipeline.nodes.entries()) {
    const node = nodes[index];
    if (node) put(node, 'enabled', enabled, PipelineNode.shape.enabled.parse(undefined));
  }
  // A file without changes keeps its exact text.
  return { text: hasChanged ? textOf(document) : text };
}

/** Writes numbers as they were typed, because the library would write 0510 as 510. */
function textOf(document: Document): string {
  const typed: string[] = [];
  const originalText = document.toString();
  let marker = 'typed-number';
  while (originalText.includes(marker)) marker += '-number';
  visit(document, {
    Scalar(_key, scalar) {
      const { value, source } = scalar;
      if (typeof value !== 'number' || source === undefined || source === String(value)) return;
      scalar.value = `${marker}-${typed.push(source) - 1}`;
    },
  });
  const markers = new RegExp(`${marker}-(\\d+)`, 'g');
  return document.toString().replace(markers, (_, index: string) => typed[Number(index)] ?? '');
}

/** Formats the text of a new file. A person must add parents and configs, which the platform does not show. */
export function formatPlatformFile({
  name,
  batchSize,
  maxRetries,
  nodes,
}: PlatformPipeline): string {
  const takenNames: TakenNames = new Map();
  const ids = nodes.map(({ id }) => takeFreeName(nodeIdOf(id), takenNames, '-'));
  const lines = nodes.map(
    ({ type, enabled }, index) =>
      `  - { id: ${JSON.stringify(ids[index])}, type: ${type}${enabled ? '' : ', enabled: false'} }`,
  );
  return [
    '# The platform does not return the configuration or the parents of nodes: add `config` and `parentIds` to each node.',
    `name: ${JSON.stringify(name)}`,
    `batchSize: ${batchSize}`,
    `maxRetries: ${maxRetries}`,
    'nodes:',
    ...lines,
    '',
  ].join('\n');
}

/** Converts a platform id to a valid id of a file, which starts with a letter. Leaves room for a number. */
function nodeIdOf(id: string): string {
  const clean = id.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, 56);
  return /^[A-Za-z]/.test(clean) ? clean : `n-${clean}`;
}

function nodesOf(document: Document): YAMLMap[] {
  const nodes = document.get('nodes');
  return isSeq(nodes) ? nodes.items.filter((item) => isMap(item)) : [];
}

function list(types: readonly string[]): string {
  return types.length === 0 ? 'no nodes' : types.join(', ');
}
