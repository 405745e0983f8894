// Finds two nodes that would do the same work on an asset twice, or of which one would do nothing.
import { nodeTypes } from '../../capabilities/index.ts';
import type { NodeType, Thing } from '../../machinery/node-type.ts';
import type { NodeWays } from '../graph/node-ways.ts';
import type { NodeDraft } from '../node-draft.ts';
import type { GraphScope } from './check-graph.ts';

/** An asset has one of each. A template can be replaced until the project is created. */
const onePerAsset: ReadonlySet<Thing> = new Set<Thing>([
  'model',
  'choice of variants',
  'project',
  'render',
]);

/** Requires a graph without cycles. */
export function checkTwins(scope: GraphScope, ways: NodeWays): void {
  const workers = scope.graph.order().filter(({ type }) => type !== null && isWork(type));
  for (const [index, second] of workers.entries()) {
    for (const first of workers.slice(0, index)) {
      if (ways.areExclusive(first.id, second.id)) continue;
      if (scope.graph.ancestorsOf(second.id).has(first.id)) checkSequence(first, second, scope);
      else checkSideBySide(first, second, scope, ways);
      checkLateTemplate(first, second, scope, ways);
    }
  }
}

/** True for nodes that submit work for single assets. A root and a wait are shared by all assets. */
function isWork({ mode, root, gives }: NodeType): boolean {
  return mode === 'call' && root?.from !== 'files' && gives.length > 0;
}

function checkSideBySide(first: NodeDraft, second: NodeDraft, scope: GraphScope, ways: NodeWays) {
  const others = ways.thingsGiven(second.id);
  // The last resource in `gives` is the main result of a node.
  const shared = [...ways.thingsGiven(first.id)].reverse().find((thing) => others.has(thing));
  if (shared === undefined) return;
  const { document, findings } = scope;
  const place = document.valueAt([...second.path, 'id']);
  const both = `"${first.id}" and "${second.id}" both create a ${shared} of one asset in parallel`;
  if (isConditional(first, second, ways) && isConditional(second, first, ways)) {
    const message = `${both}, unless their conditions exclude each other`;
    findings.warning('RL410', place, message, 'Write one as !(…) of the other to have it proven.');
    return;
  }
  const hint = 'Put one after the other, or give both `when:` conditions that exclude each other.';
  findings.error('RL410', place, both, hint);
}

function checkSequence(first: NodeDraft, second: NodeDraft, { document, findings }: GraphScope) {
  if (first.type !== second.type) return;
  const once = first.type?.gives.filter((thing) => onePerAsset.has(thing)).at(-1);
  if (once === undefined) return;
  const message = `an asset has one ${once}: "${second.id}" would do nothing after "${first.id}"`;
  const hint = 'Remove one of the two, or put it into another pipeline.';
  findings.error('RL410', document.valueAt([...second.path, 'id']), message, hint);
}

/** A project keeps the template with which it was created. */
function checkLateTemplate(one: NodeDraft, other: NodeDraft, scope: GraphScope, ways: NodeWays) {
  const { document, findings, graph } = scope;
  for (const [chooser, maker] of [
    [one, other],
    [other, one],
  ] as const) {
    if (!gives(chooser, 'template') || !gives(maker, 'project')) continue;
    if (graph.ancestorsOf(maker.id).has(chooser.id)) continue;
    // An earlier node has created the project; that node is reported itself.
    if (ways.thingsBefore(maker.id).has('project')) continue;
    const message = `"${chooser.id}" chooses the template too late: "${maker.id}" creates the project`;
    const hint = `Put ${chooser.id} before ${maker.id}.`;
    findings.error('RL407', document.valueAt([...chooser.path, 'id']), message, hint);
  }
}

function gives({ type }: NodeDraft, thing: Thing): boolean {
  return nodeTypes.some((known) => known === type && known.gives.includes(thing));
}

/** True if the node has a condition that the other node does not share. */
function isConditional({ id }: NodeDraft, other: NodeDraft, ways: NodeWays): boolean {
  const shared = ways.conditionsAt(other.id);
  return ways.conditionsAt(id).some((condition) => !shared.includes(condition));
}
