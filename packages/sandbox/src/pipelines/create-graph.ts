// Validates the graph of a pipeline's nodes.
import { refuseInput } from '../http/failure.ts';
import type { PipelineNode } from '../state/pipeline-records.ts';

export interface NodeRequest {
  readonly id?: string | undefined;
  readonly type: PipelineNode['type'];
  readonly enabled: boolean;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  readonly parentIds?: readonly string[] | undefined;
}

/** Assigns each node an id. @throws ApiFailure VALIDATION_ERROR for repeated ids, unknown parents and cycles */
export function createGraph(
  requestedNodes: readonly NodeRequest[],
  newId: () => string,
): PipelineNode[] {
  const nodes = requestedNodes.map(({ id, type, enabled, config = {}, parentIds = [] }) => ({
    id: id ?? newId(),
    type,
    enabled,
    config,
    parentIds: [...new Set(parentIds)],
  }));
  const byId = new Map<string, PipelineNode>();
  for (const [index, node] of nodes.entries()) {
    if (byId.has(node.id)) refuseInput(`nodes[${index}].id: ${node.id} is used twice`);
    byId.set(node.id, node);
  }
  for (const [index, node] of nodes.entries()) {
    const unknownId = node.parentIds.find((id) => !byId.has(id));
    if (unknownId !== undefined)
      refuseInput(`nodes[${index}].parentIds: this pipeline has no node ${unknownId}`);
  }
  const cyclicIds = findCycle(nodes);
  if (cyclicIds.length > 0)
    refuseInput(`nodes: a cycle contains or precedes ${cyclicIds.join(', ')}`);
  return nodes;
}

/** Finds the ids of the nodes on or behind a cycle. */
function findCycle(nodes: readonly PipelineNode[]): string[] {
  let remainingNodes = [...nodes];
  for (;;) {
    const ids = new Set(remainingNodes.map(({ id }) => id));
    const blockedNodes = remainingNodes.filter(({ parentIds }) =>
      parentIds.some((id) => ids.has(id)),
    );
    if (blockedNodes.length === remainingNodes.length) return blockedNodes.map(({ id }) => id);
    remainingNodes = blockedNodes;
  }
}
