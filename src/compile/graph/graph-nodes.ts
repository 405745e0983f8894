// The nodes of a file as the drawings need them.
import type { NodeGraph } from './node-graph.ts';

export interface GraphNode {
  id: string;
  type: string;
  when: string | null;
  parents: readonly string[];
}

/** Nodes in topological order; disabled ones are left out. */
export function graphNodes(graph: NodeGraph): GraphNode[] {
  return graph.order().map(({ id, typeName, when }) => ({
    id,
    type: typeName,
    when,
    parents: graph.parentsOf(id),
  }));
}

/** The condition as one line; control characters must not reach a terminal. */
export function condition({ when }: GraphNode): string[] {
  if (when === null) return [];
  const line = when.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return [`when ${line}`];
}
