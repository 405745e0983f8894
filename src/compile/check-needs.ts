// Whether each node gets what it needs from the nodes before it, whatever the conditions on the way are.
import { nodeTypes } from '../nodes/index.ts';
import type { Thing } from '../nodes/node-type.ts';
import type { GraphScope } from './check-graph.ts';
import { excludeEachOther } from './exclusive.ts';
import { type NodeDraft, needsOf } from './node-draft.ts';
import type { NodeGraph } from './node-graph.ts';
import type { NodeWays } from './node-ways.ts';

/** Only for nodes of a graph without circles. */
export function checkNeeds(scope: GraphScope, ways: NodeWays): void {
  const known = new Set(scope.drafts.map(({ id }) => id));
  for (const node of scope.graph.order()) {
    // Without parents the missing root is the problem, with unknown ones their names are.
    if (scope.graph.parentsOf(node.id).length === 0) continue;
    const before = [node.id, ...scope.graph.ancestorsOf(node.id)];
    const isWhole = before.every((id) =>
      scope.graph.node(id)?.parentIds.every((parent) => known.has(parent)),
    );
    if (isWhole) checkNode(node, scope, ways);
  }
}

function checkNode(node: NodeDraft, { document, findings, graph }: GraphScope, ways: NodeWays) {
  const place = document.valueAt([...node.path, 'id']);
  const there = ways.thingsBefore(node.id);
  for (const thing of needsOf(node)) {
    if (there.has(thing)) continue;
    const giver = [...graph.ancestorsOf(node.id)].find((id) => ways.thingsGiven(id).has(thing));
    const message =
      giver === undefined
        ? `${node.typeName} needs a ${thing}, which no node before "${node.id}" gives`
        : `"${node.id}" needs a ${thing}, but an asset may come here that was passed over at "${giver}"`;
    const hint =
      giver === undefined
        ? `Put ${giversOf(thing, node).join(' or ')} before it.`
        : 'Give it the same `when:`, or let every way to it make one.';
    findings.error('RL407', place, message, hint);
  }
  const impossible = contradiction(node, graph, ways);
  if (impossible === null) return;
  const message = `"${node.id}" can never run: its condition contradicts "${impossible}" before it`;
  findings.error('RL408', document.valueAt([...node.path, 'when']), message);
}

function giversOf(thing: Thing, { type }: NodeDraft): string[] {
  const givers = nodeTypes.filter((other) => other.gives.includes(thing) && other !== type);
  return givers.map((giver) => giver.type);
}

function contradiction({ id, when }: NodeDraft, graph: NodeGraph, ways: NodeWays): string | null {
  if (when === null) return null;
  const [first, ...others] = graph.parentsOf(id).map((parent) => ways.conditionsAt(parent));
  const shared = (first ?? []).filter((one) => others.every((other) => other.includes(one)));
  return shared.find((condition) => excludeEachOther(condition, when)) ?? null;
}
