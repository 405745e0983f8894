// Checks that the nodes form trees of limited depth, without cycles.
import { type JsonObject, objectsOf, refuseSchema } from './gltf-json.ts';
import type { Warnings } from './model-inspection.ts';

/** Viewers load child nodes recursively, so deeper chains would overflow their stack. */
export const maxNodeDepth = 1_000;

/** Depth of usual models. Chains of many bones, such as ropes, are deeper. */
const typicalNodeDepth = 64;

/**
 * Checks the node tree. Its indices must be valid (`checkReferences`). A node with several parents only causes a
 * warning, because viewers draw it once.
 * @throws RejectedModelError NODE_CYCLE or TOO_DEEP
 */
export function checkNodeTree(root: JsonObject, warnings: Warnings): void {
  const children = objectsOf(root, 'nodes').map(({ children: list }) =>
    Array.isArray(list) ? list.filter((child) => typeof child === 'number') : [],
  );
  const parents = new Uint32Array(children.length);
  children.forEach((list, parent) => {
    for (const child of list) {
      parents[child] = (parents[child] ?? 0) + 1;
      if (parents[child] === 2) {
        const message = `nodes[${child}] has several parents, including nodes[${parent}]: it is drawn below only one of them.`;
        warnings.add('NONSTANDARD_GLTF', message);
      }
    }
  });
  const { reached, depth } = walkFromRoots(children, parents);
  if (reached < children.length) {
    const message = 'Some nodes are their own ancestors: nodes must form a tree.';
    refuseSchema('NODE_CYCLE', message);
  }
  if (depth > typicalNodeDepth) {
    warnings.add('NONSTANDARD_GLTF', `The nodes nest ${depth} levels deep.`);
  }
}

// A node is reached after its last parent, so no node on or behind a cycle is reached.
function walkFromRoots(children: readonly (readonly number[])[], parents: Uint32Array) {
  let reachedCount = 0;
  let depth = 0;
  let level = children.map((_, index) => index).filter((index) => parents[index] === 0);
  for (; level.length > 0; depth += 1) {
    if (depth === maxNodeDepth) {
      const message = `The nodes nest deeper than ${maxNodeDepth} levels. Flatten the node hierarchy.`;
      refuseSchema('TOO_DEEP', message);
    }
    reachedCount += level.length;
    const next: number[] = [];
    for (const child of level.flatMap((index) => children[index] ?? [])) {
      parents[child] = (parents[child] ?? 0) - 1;
      if (parents[child] === 0) next.push(child);
    }
    level = next;
  }
  return { reached: reachedCount, depth };
}
