// Finds the columns of the row and the properties of the model that an expression reads. Each must be named, because
// columns decide which work is repeated if a row changes, and properties are read from the platform by their names.
import type { ASTNode } from '@marcbachmann/cel-js';
import { childrenOf, type ExpressionProblem } from './expression-limits.ts';

const owners = {
  row: {
    is: (node: ASTNode) => node.op === 'id' && node.args === 'row',
    message: 'row is used without the name of a column',
    hint: 'Add the name of the column: row.NAME.',
  },
  'model.properties': {
    is: (node: ASTNode) =>
      partOf(node, ({ op, args }) => op === 'id' && args === 'model') === 'properties',
    message: 'model.properties is used without the name of a property',
    hint: 'Add the name of the property: model.properties.NAME.',
  },
} as const;

type Owner = keyof typeof owners;

/** Finds the names of the parts that an expression reads from the owner: `sku` for `row.sku` and `row["sku"]`. */
export function* findReadNames(owner: Owner, node: ASTNode): Generator<string> {
  const name = partOf(node, owners[owner].is);
  if (name !== null) yield name;
  for (const child of childrenOf(node)) yield* findReadNames(owner, child);
}

/** Finds the first unnamed use of `row` or `model.properties`, or `has()` for a property. Null if there is none. */
export function findUnnamedRead(node: ASTNode): ExpressionProblem | null {
  const { start, end } = node;
  if (isTestOfProperty(node)) {
    const message = 'has() cannot tell whether a model has a value of the property';
    const hint = 'Write model.properties.NAME != null.';
    return { code: 'RL502', message, start, end, hint };
  }
  for (const { is, message, hint } of Object.values(owners)) {
    if (partOf(node, is) !== null) return null;
    if (is(node)) return { code: 'RL502', message, start, end, hint };
  }
  for (const child of childrenOf(node)) {
    const problem = findUnnamedRead(child);
    if (problem !== null) return problem;
  }
  return null;
}

function isTestOfProperty(node: ASTNode): boolean {
  if (node.op !== 'call' || node.args[0] !== 'has') return false;
  return [...childrenOf(node)].some(
    (child) => partOf(child, owners['model.properties'].is) !== null,
  );
}

/** Returns what a node reads from a variable: `params.size` (or `params["size"]`), `params.*` if computed, or null. */
export function findReadPart(node: ASTNode): string | null {
  if ((node.op !== '.' && node.op !== '[]') || node.args[0].op !== 'id') return null;
  return `${node.args[0].args}.${partOf(node, () => true) ?? '*'}`;
}

/** Returns the name of the part that a node reads from the owner. Null for a computed name or any other node. */
function partOf(node: ASTNode, isOwner: (node: ASTNode) => boolean): string | null {
  if (node.op !== '.' && node.op !== '[]') return null;
  const [owner, name] = node.args;
  if (!isOwner(owner)) return null;
  if (typeof name === 'string') return name;
  return name.op === 'value' && typeof name.args === 'string' ? name.args : null;
}
