// The graph of the enabled nodes. Children of a disabled node become children of its parents.

import { memoize } from '../../plan/helpers/memoize.ts';
import type { NodeDraft } from '../node-draft.ts';

export class NodeGraph {
  readonly nodes: readonly NodeDraft[];
  readonly #byId: ReadonlyMap<string, NodeDraft>;
  readonly #parents = new Map<string, string[]>();
  readonly #children = new Map<string, string[]>();
  /** Returns all nodes before a node. In a cycle, this includes the node itself. */
  readonly ancestorsOf = memoize((id) => this.#findAncestors(id));

  /** If two nodes have the same id, the first one counts. Unknown parents are ignored. */
  constructor(drafts: readonly NodeDraft[]) {
    const draftsById = new Map<string, NodeDraft>();
    for (const draft of drafts)
      if (draft.id !== '' && !draftsById.has(draft.id)) draftsById.set(draft.id, draft);
    this.nodes = [...draftsById.values()].filter((node) => node.enabled);
    this.#byId = new Map(this.nodes.map((node) => [node.id, node]));
    for (const { id } of this.nodes) this.#children.set(id, []);
    for (const { id } of this.nodes) {
      const parents = findEnabledParents(id, draftsById);
      this.#parents.set(id, parents);
      for (const parent of parents) this.#children.get(parent)?.push(id);
    }
  }

  node(id: string): NodeDraft | undefined {
    return this.#byId.get(id);
  }

  parentsOf(id: string): readonly string[] {
    return this.#parents.get(id) ?? [];
  }

  childrenOf(id: string): readonly string[] {
    return this.#children.get(id) ?? [];
  }

  roots(): NodeDraft[] {
    return this.nodes.filter(({ id }) => this.parentsOf(id).length === 0);
  }

  #findAncestors(id: string): ReadonlySet<string> {
    const ancestors = new Set<string>();
    const stack = [...this.parentsOf(id)];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      if (ancestors.has(next)) continue;
      ancestors.add(next);
      stack.push(...this.parentsOf(next));
    }
    return ancestors;
  }

  /** Returns parents before children, otherwise in the order of the file. Nodes in a cycle or after one are missing. */
  order(): NodeDraft[] {
    const orderedIds = new Set<string>();
    const ordered: NodeDraft[] = [];
    for (;;) {
      const isOrdered = (id: string) => orderedIds.has(id);
      const isNext = (id: string) => !isOrdered(id) && this.parentsOf(id).every(isOrdered);
      const next = this.nodes.find(({ id }) => isNext(id));
      if (next === undefined) return ordered;
      orderedIds.add(next.id);
      ordered.push(next);
    }
  }

  /** Returns the ids of one cycle that contains the node, with the node first and last. Null if there is none. */
  cycleOf(id: string): string[] | null {
    const trail = new Map<string, string>();
    const queue = [id];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      for (const child of this.childrenOf(next)) {
        if (child === id) {
          const cycle = [id];
          for (let nodeId = next; nodeId !== id; nodeId = trail.get(nodeId) ?? id)
            cycle.unshift(nodeId);
          return [id, ...cycle];
        }
        if (trail.has(child)) continue;
        trail.set(child, next);
        queue.push(child);
      }
    }
    return null;
  }
}

function findEnabledParents(id: string, draftsById: ReadonlyMap<string, NodeDraft>): string[] {
  const parents = new Set<string>();
  const seenIds = new Set<string>([id]);
  const queue = [...(draftsById.get(id)?.parentIds ?? [])];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const parent = draftsById.get(next);
    if (parent === undefined) continue;
    if (parent.enabled) parents.add(next);
    else if (!seenIds.has(next)) {
      seenIds.add(next);
      queue.unshift(...parent.parentIds);
    }
  }
  return [...parents];
}
