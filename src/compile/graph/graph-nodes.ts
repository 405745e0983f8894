// The nodes of a file in the form that the drawings need.
import type { NodeGraph } from './node-graph.ts';

export interface GraphNode {
  id: string;
  type: string;
  when: string | null;
  parents: readonly string[];
}

/** Nodes in topological order, without disabled ones. */
export function graphNodes(graph: NodeGraph): GraphNode[] {
  return graph.order().map(({ id, typeName, when }) => ({
    id,
    type: typeName,
    when,
    parents: graph.parentsOf(id),
  }));
}

/** The condition on one line, without control characters, which must not reach a terminal. */
export function condition({ when }: GraphNode): string[] {
  if (when === null) return [];
  const line = when.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return [`when ${line}`];
}
