// The graph of the enabled nodes. Children of a disabled node become children of its parents.

import { memoize } from '../../plan/helpers/memoize.ts';
import type { NodeDraft } from '../node-draft.ts';

export class NodeGraph {
  readonly nodes: readonly NodeDraft[];
  readonly #byId: ReadonlyMap<string, NodeDraft>;
  readonly #parents = new Map<string, string[]>();
  readonly #children = new Map<string, string[]>();
  /** All nodes before a node. In a cycle this includes the node itself. */
  readonly ancestorsOf = memoize((id) => this.#findAncestors(id));

  /** If two nodes have the same id, the first counts. Unknown parents are ignored. */
  constructor(drafts: readonly NodeDraft[]) {
    const all = new Map<string, NodeDraft>();
    for (const draft of drafts) if (draft.id !== '' && !all.has(draft.id)) all.set(draft.id, draft);
    this.nodes = [...all.values()].filter((node) => node.enabled);
    this.#byId = new Map(this.nodes.map((node) => [node.id, node]));
    for (const { id } of this.nodes) this.#children.set(id, []);
    for (const { id } of this.nodes) {
      const parents = enabledParents(id, all);
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
    const found = new Set<string>();
    const waiting = [...this.parentsOf(id)];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      waiting.push(...this.parentsOf(next));
    }
    return found;
  }

  /** Parents before children, otherwise in the order of the file. Nodes in a cycle or behind one are missing. */
  order(): NodeDraft[] {
    const done = new Set<string>();
    const ordered: NodeDraft[] = [];
    for (;;) {
      const next = this.nodes.find(
        ({ id }) => !done.has(id) && this.parentsOf(id).every((parent) => done.has(parent)),
      );
      if (next === undefined) return ordered;
      done.add(next.id);
      ordered.push(next);
    }
  }

  /** Returns the ids of one cycle that contains the node, with the node first and last; null if there is none. */
  cycleOf(id: string): string[] | null {
    const trail = new Map<string, string>();
    const waiting = [id];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      for (const child of this.childrenOf(next)) {
        if (child === id) {
          const cycle = [id];
          for (let at = next; at !== id; at = trail.get(at) ?? id) cycle.unshift(at);
          return [id, ...cycle];
        }
        if (trail.has(child)) continue;
        trail.set(child, next);
        waiting.push(child);
      }
    }
    return null;
  }
}

function enabledParents(id: string, all: ReadonlyMap<string, NodeDraft>): string[] {
  const found = new Set<string>();
  const seen = new Set<string>([id]);
  const waiting = [...(all.get(id)?.parentIds ?? [])];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const parent = all.get(next);
    if (parent === undefined) continue;
    if (parent.enabled) found.add(next);
    else if (!seen.has(next)) {
      seen.add(next);
      waiting.unshift(...parent.parentIds);
    }
  }
  return [...found];
}
