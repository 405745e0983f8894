// Refuses parts of CEL whose time or memory is not bounded by the length of the file.
import type { ASTNode } from '@marcbachmann/cel-js';
import type { ProblemCode } from '../problem-codes.ts';
import { findRegexProblem } from '../regex-safety.ts';

export const maxExpressionLength = 1_000;
export const maxMacros = 2;
const macros = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

export interface ExpressionProblem {
  code: ProblemCode;
  message: string;
  /** Offsets in the expression. */
  start: number;
  end: number;
  hint?: string;
}

/** Returns why an expression may not run. Before it is parsed (`ast` is null), only its length is checked. */
export function findExpressionProblem(
  source: string,
  ast: ASTNode | null,
): ExpressionProblem | null {
  if (source.length > maxExpressionLength) {
    const message = `the expression is longer than ${maxExpressionLength} characters`;
    return { code: 'RL504', message, start: 0, end: 1 };
  }
  let macroCount = 0;
  const visit = (node: ASTNode, isInMacro: boolean): ExpressionProblem | null => {
    const isMacro = node.op === 'rcall' && macros.has(node.args[0]);
    if (isMacro) macroCount += 1;
    const problem =
      node.op === 'rcall' ? findCallProblem(node, isMacro && isInMacro, macroCount) : null;
    if (problem !== null) return problem;
    for (const child of childrenOf(node)) {
      const childProblem = visit(child, isInMacro || isMacro);
      if (childProblem !== null) return childProblem;
    }
    return null;
  };
  return ast && visit(ast, false);
}

function findCallProblem(
  node: Extract<ASTNode, { op: 'rcall' }>,
  isNestedMacro: boolean,
  macroCount: number,
): ExpressionProblem | null {
  const [name, receiver, [first]] = node.args;
  const refuse = (message: string, { start, end }: ASTNode = node): ExpressionProblem => {
    return { code: 'RL504', message, start, end };
  };
  if (name === 'bind' && receiver.op === 'id' && receiver.args === 'cel')
    return refuse('cel.bind is not allowed');
  if (isNestedMacro) return refuse(`${name} inside another macro is not allowed`);
  if (macroCount > maxMacros) return refuse(`the expression has more than ${maxMacros} macros`);
  if (name === 'join' && first !== undefined && first.op !== 'value')
    return refuse('the separator of join must be a text in quotes');
  if (name !== 'matches') return null;
  if (first?.op !== 'value' || typeof first.args !== 'string') {
    const hint = 'Write the pattern as text, or use startsWith, endsWith or contains.';
    return { ...refuse('the pattern of matches must be a text in quotes'), hint };
  }
  const refusal = findRegexProblem(first.args);
  return refusal && refuse(`the pattern of matches ${refusal.reason}`, first);
}

/** Yields the direct children of a node. */
export function* childrenOf(node: ASTNode): Generator<ASTNode> {
  const stack: unknown[] = [node.args];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (Array.isArray(next)) stack.push(...next);
    else if (isAstNode(next)) yield next;
  }
}

export function isAstNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}
