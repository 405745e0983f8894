// Counts the work of an evaluation (each evaluated part and the size of its value). The CEL library does not.
import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { asRecord } from '../../api/unknown-values.ts';
import { childrenOf, isAstNode } from './expression-limits.ts';

/** Maximum length of a string in an expression, including strings that it reads. */
export const maxOperandLength = 4_096;
/** Maximum number of evaluated parts, plus characters and list items that they return, per asset. */
export const maxSteps = 20_000;
/** Number of steps that the lookup of a time zone costs. */
const zoneSteps = 200;

/** Thrown if an expression needs more work per asset than allowed. */
class ExpressionWorkError extends Error {
  override name = 'ExpressionWorkError';
}

type Program = ReturnType<Environment['parse']>;

export interface CountedProgram {
  evaluate(values: Readonly<Record<string, unknown>>): unknown;
  readonly steps: number;
}

/** Wraps a checked program so that every evaluation is bounded: it throws ExpressionWorkError above the limit. */
export function limitProgram(program: Program): CountedProgram {
  const work = new Work();
  for (const node of nodesOf(program.ast)) countNode(node, work);
  return {
    evaluate(values) {
      work.begin();
      const value: unknown = program({ ...values });
      // Logical operators may have swallowed the error, so it is thrown again here.
      work.charge(0);
      return value;
    },
    get steps() {
      return work.steps;
    },
  };
}

class Work {
  steps = 0;
  #refusal: ExpressionWorkError | null = null;

  begin(): void {
    this.steps = 0;
    this.#refusal = null;
  }

  charge(steps: number): void {
    this.steps += steps;
    if (this.steps > maxSteps) this.refuse(`it takes more than ${maxSteps} steps`);
    if (this.#refusal !== null) throw this.#refusal;
  }

  refuse(reason: string): void {
    this.#refusal ??= new ExpressionWorkError(reason);
  }

  chargeFor(value: unknown): void {
    if (typeof value === 'string' && value.length > maxOperandLength) {
      this.refuse(
        `it evaluates a string of ${value.length} characters; the maximum is ${maxOperandLength}`,
      );
    }
    this.charge(1 + sizeOf(value));
  }
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' || Array.isArray(value) || value instanceof Uint8Array
    ? value.length
    : 0;
}

/** The library sets `evaluate` of a node on first use. This setter wraps whatever the library sets. */
function countNode(node: ASTNode, work: Work): void {
  let evaluate: unknown = Reflect.get(node, 'evaluate');
  const upfrontSteps = isZonedCall(node) ? zoneSteps : 0;
  const countedEvaluate = (...args: unknown[]): unknown => {
    work.charge(upfrontSteps);
    if (typeof evaluate !== 'function') throw new TypeError('an expression cannot be evaluated');
    const value: unknown = Reflect.apply(evaluate, node, args);
    work.chargeFor(value);
    return value;
  };
  Object.defineProperty(node, 'evaluate', {
    get: () => countedEvaluate,
    set: (set: unknown) => {
      evaluate = set;
    },
  });
}

/** True for calls such as `asset.modifiedAt.getHours("Europe/Berlin")`. */
function isZonedCall(node: ASTNode): boolean {
  return node.op === 'rcall' && node.args[0].startsWith('get') && node.args[2].length > 0;
}

/** Returns all nodes, including the expansions of macros. */
function nodesOf(root: ASTNode): Set<ASTNode> {
  const nodes = new Set<ASTNode>();
  const stack: ASTNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (nodes.has(node)) continue;
    nodes.add(node);
    stack.push(...childrenOf(node), ...expansionOf(node));
  }
  return nodes;
}

function expansionOf(node: ASTNode): ASTNode[] {
  const { alternate } = asRecord(Reflect.get(node, 'meta'));
  const { iterable, init, step } = asRecord(node.args);
  return [alternate, iterable, init, step].filter(isAstNode);
}
