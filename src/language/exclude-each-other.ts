// Finds conditions that can never both be true, from their expressions alone. `false` means "possibly both".
import { type ASTNode, serialize } from '@marcbachmann/cel-js';
import { memoize } from '../plan/helpers/memoize.ts';
import { findExpressionProblem } from './expressions/expression-limits.ts';
import { createEnvironment } from './expressions.ts';

/** For `x > 1`: the left side as text, and the value that it is compared to. */
interface Comparison {
  left: string;
  operator: keyof typeof opposites;
  value: string | number | boolean;
}

const opposites = { '==': '!=', '!=': '==', '<': '>=', '>=': '<', '>': '<=', '<=': '>' } as const;
const environment = createEnvironment();
/** Parses a condition once, because each condition of a file is compared with many others. */
const parseOnce = memoize(parse, 1_000);

export function excludeEachOther(first: string, second: string): boolean {
  const firstNode = parseOnce(first);
  const secondNode = parseOnce(second);
  if (firstNode === null || secondNode === null) return false;
  if (isNegation(firstNode, secondNode) || isNegation(secondNode, firstNode)) return true;
  const a = comparisonOf(firstNode);
  const b = comparisonOf(secondNode);
  if (a === null || b === null || a.left !== b.left) return false;
  if (a.value === b.value) return opposites[a.operator] === b.operator;
  return a.operator === '==' && b.operator === '==';
}

/** Parses a condition. Returns null if the text is not a valid expression, which another check reports. */
function parse(source: string): ASTNode | null {
  if (findExpressionProblem(source, null) !== null) return null;
  try {
    return environment.parse(source).ast;
  } catch {
    return null;
  }
}

function isNegation(node: ASTNode, other: ASTNode): boolean {
  return node.op === '!_' && serialize(node.args) === serialize(other);
}

function comparisonOf(node: ASTNode): Comparison | null {
  switch (node.op) {
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=': {
      const [left, right] = node.args;
      const value = valueOf(right);
      return value === null ? null : { left: serialize(left), operator: node.op, value };
    }
    default:
      return null;
  }
}

/** Returns the value of a literal, or null for any other node. Unlike CEL, treats `1` and `1.0` as equal. */
function valueOf(node: ASTNode): Comparison['value'] | null {
  if (node.op === '-_') {
    const value = valueOf(node.args);
    return typeof value === 'number' ? -value : null;
  }
  if (node.op !== 'value') return null;
  const { args: value } = node;
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean'
    ? value
    : null;
}
