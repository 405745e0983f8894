// Checks that each node receives the resources it needs from the nodes before it, whichever conditions hold.

import type { Resource } from '../../engine/node-type.ts';
import { nodeTypes } from '../../features/index.ts';
import { excludeEachOther } from '../../language/exclude-each-other.ts';
import { type NodeDraft, needsOf } from '../node-draft.ts';
import { findRootField, type PathScope } from './check-graph.ts';

/** Checks all nodes whose ancestors are known. The graph must have no cycles. */
export function checkNeeds(scope: PathScope): void {
  const knownIds = new Set(scope.drafts.map(({ id }) => id));
  for (const node of scope.graph.order()) {
    if (scope.graph.parentsOf(node.id).length === 0) {
      // A node without parents and without a selection is skipped, because it is reported as a missing root.
      if (findRootField(node) !== undefined) checkRoot(node, scope);
      continue;
    }
    // Unknown parents are left out, because they have already been reported.
    const pathIds = [node.id, ...scope.graph.ancestorsOf(node.id)];
    const areParentsKnown = pathIds.every((id) =>
      scope.graph.node(id)?.parentIds.every((parent) => knownIds.has(parent)),
    );
    if (areParentsKnown) checkNode(node, scope);
  }
}

/** Checks that a root selects the kind of platform object that it works on. */
function checkRoot(node: NodeDraft, { document, paths }: PathScope): void {
  const field = findRootField(node) ?? '';
  const provided = paths.resourcesBefore(node.id);
  const missingResource = needsOf(node).find((resource) => !provided.has(resource));
  if (missingResource === undefined) return;
  const message = `${node.typeName} needs a ${missingResource}, which "${field}" does not provide`;
  const hint = 'Select objects that the node can work on. For models, add `status: READY`.';
  document.errorAtKey('RL407', [...node.path, 'config', field], message, hint);
}

function checkNode(node: NodeDraft, scope: PathScope): void {
  const { document, graph, paths } = scope;
  const path = [...node.path, 'id'];
  const availableResources = paths.resourcesBefore(node.id);
  for (const resource of needsOf(node)) {
    if (availableResources.has(resource)) continue;
    const provider = [...graph.ancestorsOf(node.id)].find((id) =>
      paths.resourcesGiven(id).has(resource),
    );
    if (provider === undefined) {
      const message = `${node.typeName} needs a ${resource}, which no node before "${node.id}" provides`;
      const hint = `Add ${providersOf(resource, node).join(' or ')} before "${node.id}".`;
      document.error('RL407', path, message, hint);
    } else {
      const message = `"${node.id}" needs a ${resource}, but assets that skipped "${provider}" may arrive here`;
      const hint = `Use the same \`when:\` here, or create a ${resource} on every path to this node.`;
      document.error('RL407', path, message, hint);
    }
  }
  const impossible = findContradiction(node, scope);
  if (impossible === null) return;
  const message = `"${node.id}" can never run: its condition contradicts "${impossible}" before it`;
  document.error('RL408', [...node.path, 'when'], message);
}

function providersOf(resource: Resource, { type }: NodeDraft): string[] {
  const providers = nodeTypes.filter((other) => other.gives.includes(resource) && other !== type);
  return providers.map((provider) => provider.type);
}

function findContradiction({ id, when }: NodeDraft, { graph, paths }: PathScope): string | null {
  if (when === null) return null;
  const [first, ...others] = graph.parentsOf(id).map((parent) => paths.conditionsAt(parent));
  const sharedConditions = (first ?? []).filter((condition) =>
    others.every((other) => other.includes(condition)),
  );
  return sharedConditions.find((condition) => excludeEachOther(condition, when)) ?? null;
}
