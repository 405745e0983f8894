// Checks that the nodes form one graph, that is, their ids, parents, cycles and root.

import type { NodeType } from '../../engine/node-type.ts';
import { nodeTypes } from '../../features/index.ts';
import { formatSuggestion } from '../../language/format-suggestion.ts';
import type { NodeGraph } from '../graph/node-graph.ts';
import type { NodePaths } from '../graph/node-paths.ts';
import { type NodeDraft, toFields } from '../node-draft.ts';
import type { LocatedDocument } from '../yaml/document.ts';

export interface GraphScope {
  document: LocatedDocument;
  drafts: readonly NodeDraft[];
  graph: NodeGraph;
}

/** Scope of the checks that need a graph without cycles. */
export interface PathScope extends GraphScope {
  paths: NodePaths;
}

/** True for types that are allowed only at the root. */
function isSourceType(type: NodeType): boolean {
  return type.root?.by.length === 0;
}

/** Returns the config field that makes a node a root, or undefined if the node has no such field. */
export function findRootField({ type, rawConfig }: NodeDraft): string | undefined {
  const fields = toFields(rawConfig) ?? {};
  return type?.root?.by.find((field) => Object.hasOwn(fields, field));
}

function canBeginPipeline(node: NodeDraft): boolean {
  return node.type === null || isSourceType(node.type) || findRootField(node) !== undefined;
}

export function checkGraph(scope: GraphScope): void {
  checkIds(scope);
  checkParents(scope);
  const cycles = checkCycles(scope);
  checkRoots(scope, cycles);
}

function checkIds({ document, drafts }: GraphScope): void {
  const first = new Map<string, NodeDraft>();
  for (const draft of drafts) {
    if (draft.id === '') continue;
    const earlierDraft = first.get(draft.id) ?? draft;
    first.set(draft.id, earlierDraft);
    if (earlierDraft === draft) continue;
    const { line } = document.source.positionOf(document.valueRange([...earlierDraft.path, 'id']));
    const message = `the id "${draft.id}" is already used by the node in line ${line}`;
    document.error('RL401', [...draft.path, 'id'], message);
  }
}

function checkParents({ document, drafts }: GraphScope): void {
  const ids = drafts.map(({ id }) => id).filter((id) => id !== '');
  for (const draft of drafts) {
    const seenParents = new Set<string>();
    for (const [index, parent] of draft.parentIds.entries()) {
      const path = [...draft.path, 'parentIds', index];
      // A parameter in place of an id is skipped, because it has already been refused.
      if (parent.includes('${{')) continue;
      if (parent === draft.id) {
        document.error('RL402', path, `"${parent}" is its own parent`);
      } else if (!ids.includes(parent)) {
        const message = `node "${draft.id}" follows "${parent}", which does not exist`;
        const others = ids.filter((id) => id !== draft.id);
        document.error('RL302', path, message, () => formatSuggestion(parent, others));
      } else if (seenParents.has(parent)) {
        document.error('RL411', path, `"${parent}" is listed twice`);
      }
      seenParents.add(parent);
    }
  }
}

/** Reports cycles. Returns the ids of all nodes in a cycle or after one. */
function checkCycles({ document, graph }: GraphScope): Set<string> {
  const reportedIds = new Set<string>();
  const reachedIds = new Set(graph.order().map(({ id }) => id));
  const unreachable = graph.nodes.filter(({ id }) => !reachedIds.has(id));
  for (const node of unreachable) {
    const cycle = graph.cycleOf(node.id);
    if (cycle === null || cycle.some((id) => reportedIds.has(id))) continue;
    for (const id of cycle) reportedIds.add(id);
    // A node that is its own parent is skipped, because it has already been reported.
    if (cycle.length <= 2) continue;
    document.error(
      'RL403',
      [...node.path, 'parentIds'],
      `the nodes form a cycle: ${cycle.join(' → ')}`,
    );
  }
  for (const node of unreachable) {
    if (graph.cycleOf(node.id) !== null) continue;
    const message = `"${node.id}" can never be reached: it comes after a cycle`;
    document.error('RL408', [...node.path, 'id'], message);
  }
  return new Set(unreachable.map(({ id }) => id));
}

function checkRoots(scope: GraphScope, unreachable: ReadonlySet<string>): void {
  const { document, drafts, graph } = scope;
  const sources = nodeTypes.filter(isSourceType).map(({ type }) => type);
  const begin = `Start with ${sources.join(' or ')}, or with a node that has \`select\` or \`modelScope\`.`;
  for (const node of graph.nodes) {
    if (node.type === null || !isSourceType(node.type) || node.parentIds.length === 0) continue;
    const message = `${node.typeName} starts a pipeline and cannot have parents`;
    document.errorAtKey('RL406', [...node.path, 'parentIds'], message);
  }
  checkSelections(scope);
  // Known ids are needed, because a node whose only parent is misspelled is not intended as a root.
  const knownIds = new Set(drafts.map(({ id }) => id));
  const isMeant = ({ id, parentIds }: NodeDraft) =>
    parentIds.every((parent) => knownIds.has(parent) && parent !== id);
  const roots = graph.roots().filter(isMeant);
  const [first, ...others] = roots.filter(canBeginPipeline);
  for (const node of roots) {
    if (canBeginPipeline(node)) continue;
    const message =
      node.parentIds.length > 0
        ? `"${node.id}" has no parent left: ${node.parentIds.join(', ')} ${node.parentIds.length === 1 ? 'is' : 'are'} disabled`
        : `"${node.id}" has no parents, but ${node.typeName} cannot start a pipeline${formatRootHint(node)}`;
    const parent = first?.id === undefined ? begin : `Add parentIds, for example [${first.id}].`;
    document.error('RL405', [...node.path, 'id'], message, parent);
  }
  for (const node of others) {
    const message = `a second root: "${first?.id ?? ''}" already starts the pipeline`;
    document.error('RL404', [...node.path, 'id'], message);
  }
  if (drafts.length === 0) return;
  if (graph.nodes.length === 0) document.errorAtKey('RL404', ['nodes'], 'every node is disabled');
  else if (unreachable.size === 0 && graph.roots().length === 0)
    document.errorAtKey('RL404', ['nodes'], 'the pipeline has no root', begin);
}

/** Lists, for a message, the config fields that would make a node of this type a root. */
function formatRootHint({ type }: NodeDraft): string {
  const rootFields = (type?.root?.by ?? []).map((field) => `"${field}"`);
  return rootFields.length === 0 ? '' : ` without ${rootFields.join(' or ')}`;
}

function checkSelections({ document, graph }: GraphScope): void {
  for (const node of graph.nodes) {
    const field = findRootField(node);
    const [parent] = graph.parentsOf(node.id);
    if (field === undefined || parent === undefined || node.type?.root?.alsoAfterParents) continue;
    const message = `"${field}" starts a pipeline, but "${node.id}" comes after "${parent}"`;
    const hint = `Remove "${field}", or remove the parentIds. To process only some assets of a parent, use \`when:\`.`;
    document.errorAtKey('RL413', [...node.path, 'config', field], message, hint);
  }
}
