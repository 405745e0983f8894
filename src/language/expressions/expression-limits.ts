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
  if (ast === null) return null;
  const state: State = { macros: 0 };
  return visit(ast, false, state);
}

interface State {
  macros: number;
}

function visit(node: ASTNode, inMacro: boolean, state: State): ExpressionProblem | null {
  let inside = inMacro;
  if (node.op === 'rcall') {
    const [name, receiver, args] = node.args;
    const isMacro = macros.has(name);
    if (isMacro) state.macros += 1;
    const refusal = findCallProblem(node, name, receiver, args, isMacro && inMacro, state);
    if (refusal !== null) return refusal;
    inside ||= isMacro;
  }
  for (const child of childrenOf(node)) {
    const refusal = visit(child, inside, state);
    if (refusal !== null) return refusal;
  }
  return null;
}

function findCallProblem(
  node: ASTNode,
  name: string,
  receiver: ASTNode,
  args: readonly ASTNode[],
  nested: boolean,
  state: State,
): ExpressionProblem | null {
  const range = { start: node.start, end: node.end };
  if (name === 'bind' && receiver.op === 'id' && receiver.args === 'cel') {
    return { code: 'RL504', message: 'cel.bind is not allowed', ...range };
  }
  if (nested) {
    return { code: 'RL504', message: `${name} inside another macro is not allowed`, ...range };
  }
  if (state.macros > maxMacros) {
    return { code: 'RL504', message: `the expression has more than ${maxMacros} macros`, ...range };
  }
  if (name === 'join' && args[0] !== undefined && args[0].op !== 'value') {
    const message = 'the separator of join must be a text in quotes';
    return { code: 'RL504', message, ...range };
  }
  return name === 'matches' ? findPatternProblem(args[0], range) : null;
}

function findPatternProblem(
  pattern: ASTNode | undefined,
  range: { start: number; end: number },
): ExpressionProblem | null {
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string') {
    const message = 'the pattern of matches must be a text in quotes';
    return {
      code: 'RL504',
      message,
      ...range,
      hint: 'Write the pattern as text, or use startsWith, endsWith or contains.',
    };
  }
  const refusal = findRegexProblem(pattern.args);
  if (refusal === null) return null;
  const patternRange = { start: pattern.start, end: pattern.end };
  return { code: 'RL504', message: `the pattern of matches ${refusal.reason}`, ...patternRange };
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
