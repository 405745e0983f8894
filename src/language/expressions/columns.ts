// The columns of a row that an expression reads. They decide which work is done again if a row changes, so each must be named.
import type { ASTNode } from '@marcbachmann/cel-js';
import type { ProblemCode } from '../problem-codes.ts';
import { childrenOf } from './expression-limits.ts';

/** Names of the columns: `row.sku` and `row["sku"]`. */
export function* columnsIn(node: ASTNode): Generator<string> {
  const column = columnOf(node);
  if (column !== null) yield column;
  for (const child of childrenOf(node)) yield* columnsIn(child);
}

/** The first use of `row` that does not name a column; null if there is none. */
export function findDynamicRow(
  node: ASTNode,
): { code: ProblemCode; message: string; start: number; end: number; hint: string } | null {
  if (columnOf(node) !== null) return null;
  if (node.op === 'id' && node.args === 'row') {
    const { start, end } = node;
    const message = 'row is used without the name of a column';
    return { code: 'RL502', message, start, end, hint: 'Name the column: row.NAME.' };
  }
  for (const child of childrenOf(node)) {
    const found = findDynamicRow(child);
    if (found !== null) return found;
  }
  return null;
}

/** The column that a node reads by its name; null if it is no such node. */
function columnOf(node: ASTNode): string | null {
  if (node.op !== '.' && node.op !== '[]') return null;
  const [owner, name] = node.args;
  if (owner.op !== 'id' || owner.args !== 'row') return null;
  if (typeof name === 'string') return name;
  return name.op === 'value' && typeof name.args === 'string' ? name.args : null;
}
