// The code changes of a mutation run, each a plausible mistake. Pure.
import type { Node } from 'oxc-parser';

/** Replaces the text from `start` to `end` with `by`. */
export interface Change {
  start: number;
  end: number;
  replacement: string;
}

const operators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '+=': '-=',
  '-=': '+=',
  '??=': '=',
  '||=': '=',
};

/** Methods that are easily confused. Null removes the call and keeps its object. */
const methods: ReadonlyMap<string, string | null> = new Map([
  ['every', 'some'],
  ['some', 'every'],
  ['min', 'max'],
  ['max', 'min'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['filter', null],
  ['slice', null],
  ['sort', null],
  ['toSorted', null],
  ['toLowerCase', null],
]);

/** Returns the possible changes of this node, without its children. @param text text of the whole file */
export function changesAt(node: Node, text: string): Change[] {
  switch (node.type) {
    case 'BinaryExpression':
      return isText(node.left) || isText(node.right) ? [] : swapOperator(node, text);
    case 'LogicalExpression':
      return node.operator === '??' ? removeDefault(node) : swapOperator(node, text);
    case 'AssignmentExpression':
      return swapOperator(node, text);
    case 'IfStatement':
    case 'ConditionalExpression':
      return ['true', 'false'].map((replacement) => ({ ...rangeOf(node.test), replacement }));
    case 'WhileStatement':
      return [{ ...rangeOf(node.test), replacement: 'false' }];
    case 'UnaryExpression':
      if (node.operator !== '!') return [];
      return [{ start: node.start, end: node.argument.start, replacement: '' }];
    case 'Literal':
      return changeLiteral(node);
    case 'ExpressionStatement':
      return isWork(node.expression) ? [{ ...rangeOf(node), replacement: ';' }] : [];
    case 'ReturnStatement':
      return node.argument === null ? [{ ...rangeOf(node), replacement: ';' }] : [];
    case 'ContinueStatement':
      return [{ ...rangeOf(node), replacement: ';' }];
    case 'CallExpression':
      return changeCall(node);
    default:
      return [];
  }
}

function rangeOf({ start, end }: Node): { start: number; end: number } {
  return { start, end };
}

function swapOperator(
  node: Extract<Node, { left: Node; right: Node; operator: string }>,
  text: string,
): Change[] {
  const replacement = operators[node.operator];
  const start = text.indexOf(node.operator, node.left.end);
  return replacement === undefined
    ? []
    : [{ start, end: start + node.operator.length, replacement }];
}

/**
 * Removes a default value. Empty strings are skipped, because they mostly satisfy the compiler after lookups that
 * succeed.
 */
function removeDefault({
  left,
  right,
  end,
}: Extract<Node, { type: 'LogicalExpression' }>): Change[] {
  const isEmpty = right.type === 'Literal' && right.value === '';
  return isEmpty ? [] : [{ start: left.end, end, replacement: '' }];
}

/** True for strings, which `+` joins. Replacing it with `-` would be a type error. */
function isText(node: Node): boolean {
  return (
    node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')
  );
}

/** Replaces a boolean or a number. Half of a number is a different size, limit or time. */
function changeLiteral(node: Extract<Node, { type: 'Literal' }>): Change[] {
  const { value } = node;
  if (typeof value === 'boolean') return [{ ...rangeOf(node), replacement: String(!value) }];
  if (typeof value !== 'number') return [];
  const replacement = value < 2 ? 1 - value : Math.floor(value / 2);
  return [{ ...rangeOf(node), replacement: String(replacement) }];
}

/** True for a statement with an effect, which a person could forget. */
function isWork(node: Node): boolean {
  if (node.type === 'CallExpression') return node.callee.type !== 'Super';
  return ['AwaitExpression', 'AssignmentExpression', 'YieldExpression'].includes(node.type);
}

function changeCall({ callee, end }: Extract<Node, { type: 'CallExpression' }>): Change[] {
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return [];
  const replacement = methods.get(callee.property.name);
  if (replacement === undefined) return [];
  if (replacement === null) return [{ start: callee.object.end, end, replacement: '' }];
  return [{ ...rangeOf(callee.property), replacement }];
}
