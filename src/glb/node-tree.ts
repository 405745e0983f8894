// Checks that the transforms of nodes are finite, and that the nodes form trees of limited depth, without cycles.
import { type JsonObject, objectsOf, refuseSchema } from './gltf-json.ts';
import type { Warnings } from './model-inspection.ts';

/** Viewers load child nodes recursively, so deeper chains would overflow their stack. */
export const maxNodeDepth = 1_000;

/** Depth of usual models. Chains of many bones, such as ropes, are deeper. */
const typicalNodeDepth = 64;

export const transformKeys = ['matrix', 'translation', 'rotation', 'scale'] as const;
const transformLengths = { matrix: 16, translation: 3, rotation: 4, scale: 3 };

/**
 * Returns a part of a node's transform. Undefined if the node has none.
 * @throws RejectedModelError INVALID_SCHEMA unless it is a list of finite numbers
 */
export function readTransform(
  node: JsonObject,
  key: (typeof transformKeys)[number],
  jsonPath: string,
): readonly number[] | undefined {
  const value = node[key] ?? undefined;
  if (value === undefined) return undefined;
  const length = transformLengths[key];
  if (Array.isArray(value) && value.length === length && value.every(Number.isFinite)) return value;
  refuseSchema('INVALID_SCHEMA', `${jsonPath}.${key} is not a list of ${length} finite numbers.`);
}

/**
 * Checks the node tree. Its indices must be valid (`checkReferences`). A node with several parents only causes a
 * warning, because viewers draw it once.
 * @throws RejectedModelError NODE_CYCLE, TOO_DEEP or INVALID_SCHEMA
 */
export function checkNodeTree(root: JsonObject, warnings: Warnings): void {
  const nodes = objectsOf(root, 'nodes');
  for (const [index, node] of nodes.entries())
    for (const key of transformKeys) readTransform(node, key, `nodes[${index}]`);
  const children = nodes.map(({ children: list }) =>
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
