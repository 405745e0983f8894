// Decides whether the nodes form trees of sane depth: a cycle or a shared child never ends or explodes.
import { type JsonObject, objectsOf } from './gltf-json.ts';
import { RejectedModelError } from './look-result.ts';

export const maxNodeDepth = 64;

/** Indices are taken as checked (`checkReferences`). Throws NODE_CYCLE or TOO_DEEP. */
export function checkNodeTree(root: JsonObject): void {
  const children = objectsOf(root, 'nodes').map(({ children: list }) =>
    Array.isArray(list) ? list.filter((child) => typeof child === 'number') : [],
  );
  const parents = new Map<number, number>();
  children.forEach((list, parent) => {
    for (const child of list) {
      const known = parents.get(child);
      if (known !== undefined || child === parent) {
        throw new RejectedModelError(
          'schema',
          'NODE_CYCLE',
          `nodes[${child}] is a child of nodes[${known ?? parent}] and of nodes[${parent}]: nodes must form a tree.`,
        );
      }
      parents.set(child, parent);
    }
  });
  const reached = walkFromRoots(children, parents);
  if (reached < children.length) {
    const message = 'Some nodes are their own ancestors: nodes must form a tree.';
    throw new RejectedModelError('schema', 'NODE_CYCLE', message);
  }
}

// With one parent at most a node, whatever no root reaches lies on or behind a cycle.
function walkFromRoots(
  children: readonly (readonly number[])[],
  parents: ReadonlyMap<number, number>,
): number {
  let reached = 0;
  let level = children.map((_, index) => index).filter((index) => !parents.has(index));
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxNodeDepth) {
      const message = `The nodes nest deeper than ${maxNodeDepth} levels. Flatten the hierarchy.`;
      throw new RejectedModelError('schema', 'TOO_DEEP', message);
    }
    reached += level.length;
    level = level.flatMap((index) => children[index] ?? []);
  }
  return reached;
}
