// The platform's pipeline as a file. It shows name, numbers, and type and switch of each node (2.10); what it
// does not show, a file that is there keeps.
import { type Document, isMap, isScalar, isSeq, parseDocument, visit, type YAMLMap } from 'yaml';
import { Pipeline, PipelineNode } from './pipeline.ts';

/** A pipeline as the platform shows it. */
export interface ShownPipeline {
  id: string;
  name: string;
  batchSize: number;
  maxRetries: number;
  nodes: readonly { id: string; type: string; enabled: boolean }[];
}

export type Merged = { text: string } | { differs: string };

/**
 * The text of a file with what the platform shows put in; nothing else moves, comments stay. Where the nodes are
 * of other types or in another order, no text, but what differs.
 */
export function mergeShown(text: string, shown: ShownPipeline): Merged {
  const document = parseDocument(text);
  const nodes = nodesOf(document);
  const types = nodes.map((node) => String(node.get('type')));
  const there = shown.nodes.map(({ type }) => type);
  if (types.join() !== there.join()) {
    return { differs: `the platform has ${list(there)}, the file ${list(types)}` };
  }
  const fields = Pipeline.shape;
  const before = {
    batchSize: fields.batchSize.parse(undefined),
    maxRetries: fields.maxRetries.parse(undefined),
  };
  let changed = false;
  const put = (at: YAMLMap | Document, name: string, value: unknown, usual?: unknown) => {
    if ((at.get(name) ?? usual) === value) return;
    const scalar = at.get(name, true);
    // What was typed for the value before is not what the new one is written as.
    if (isScalar(scalar)) delete scalar.source;
    at.set(name, value);
    changed = true;
  };
  put(document, 'name', shown.name);
  put(document, 'batchSize', shown.batchSize, before.batchSize);
  put(document, 'maxRetries', shown.maxRetries, before.maxRetries);
  for (const [index, { enabled }] of shown.nodes.entries()) {
    const node = nodes[index];
    if (node) put(node, 'enabled', enabled, PipelineNode.shape.enabled.parse(undefined));
  }
  // A file in which nothing changes keeps its form to the letter.
  return { text: changed ? textOf(document) : text };
}

/** The document as text with its numbers as they were typed: the library would write 0510 as 510. */
function textOf(document: Document): string {
  const typed: string[] = [];
  visit(document, {
    Scalar(_key, scalar) {
      const { value, source } = scalar;
      if (typeof value !== 'number' || source === undefined || source === String(value)) return;
      scalar.value = `typed-number-${typed.push(source) - 1}`;
    },
  });
  return document
    .toString()
    .replace(/typed-number-(\d+)/g, (_, at: string) => typed[Number(at)] ?? '');
}

/** A new file. Parents and configuration are left for a person: the platform does not show them. */
export function fileOfShown({ name, batchSize, maxRetries, nodes }: ShownPipeline): string {
  const lines = nodes.map(
    ({ id, type, enabled }) =>
      `  - { id: ${JSON.stringify(nodeIdOf(id))}, type: ${type}${enabled ? '' : ', enabled: false'} }`,
  );
  return [
    '# The platform does not show the configuration of nodes and their parents: add `config` and `parentIds`.',
    `name: ${JSON.stringify(name)}`,
    `batchSize: ${batchSize}`,
    `maxRetries: ${maxRetries}`,
    'nodes:',
    ...lines,
    '',
  ].join('\n');
}

/** An id as files have it: it begins with a letter. */
function nodeIdOf(id: string): string {
  const clean = id.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, 60);
  return /^[A-Za-z]/.test(clean) ? clean : `n-${clean}`;
}

function nodesOf(document: Document): YAMLMap[] {
  const nodes = document.get('nodes');
  return isSeq(nodes) ? nodes.items.filter((item) => isMap(item)) : [];
}

function list(types: readonly string[]): string {
  return types.length === 0 ? 'no nodes' : types.join(', ');
}
