// Checks that each node gets the resources that it needs from the nodes before it, whichever conditions hold.
import { nodeTypes } from '../../capabilities/index.ts';
import { excludeEachOther } from '../../language/exclusive.ts';
import type { Thing } from '../../machinery/node-type.ts';
import type { NodeGraph } from '../graph/node-graph.ts';
import type { NodeWays } from '../graph/node-ways.ts';
import { type NodeDraft, needsOf } from '../node-draft.ts';
import { beginsBy, type GraphScope } from './check-graph.ts';

/** Requires a graph without cycles. */
export function checkNeeds(scope: GraphScope, ways: NodeWays): void {
  const known = new Set(scope.drafts.map(({ id }) => id));
  for (const node of scope.graph.order()) {
    if (scope.graph.parentsOf(node.id).length === 0) {
      // A node without parents and without a selection is reported as a missing root.
      if (beginsBy(node) !== undefined) checkRoot(node, scope, ways);
      continue;
    }
    // Unknown parents are reported already.
    const before = [node.id, ...scope.graph.ancestorsOf(node.id)];
    const isWhole = before.every((id) =>
      scope.graph.node(id)?.parentIds.every((parent) => known.has(parent)),
    );
    if (isWhole) checkNode(node, scope, ways);
  }
}

/** Checks that a root selects the kind of platform object that it works on. */
function checkRoot(node: NodeDraft, { document, findings }: GraphScope, ways: NodeWays): void {
  const field = beginsBy(node) ?? '';
  const brought = ways.thingsBefore(node.id);
  const missing = needsOf(node).find((thing) => !brought.has(thing));
  if (missing === undefined) return;
  const place = document.keyAt([...node.path, 'config', field]);
  const message = `${node.typeName} needs a ${missing}, which its "${field}" does not bring`;
  findings.error('RL407', place, message, 'Take what it works on; models by `status: READY`.');
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
        : `"${node.id}" needs a ${thing}, but an asset may come here that skipped "${giver}"`;
    const hint =
      giver === undefined
        ? `Put ${giversOf(thing, node).join(' or ')} before it.`
        : 'Give it the same `when:`, or let every path to it create one.';
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
