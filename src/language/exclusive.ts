// Whether two conditions can ever both hold. Only what the texts themselves show; `false` means "perhaps".

const comparison =
  /^([\w.]+(?:\([^()]*\))?)\s*(==|!=|<=|>=|<|>)\s*("[^"\\]*"|'[^'\\]*'|-?[\d.]+|true|false)$/;
const opposites: Readonly<Record<string, string>> = {
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
};

export function excludeEachOther(first: string, second: string): boolean {
  const one = tidy(first);
  const other = tidy(second);
  if (negates(one, other) || negates(other, one)) return true;
  const a = comparison.exec(one);
  const b = comparison.exec(other);
  if (a === null || b === null || a[1] !== b[1]) return false;
  const [, , operator = '', value = ''] = a;
  if (sameValue(value, b[3] ?? '')) return opposites[operator] === b[2];
  return operator === '==' && b[2] === '==';
}

/** `!x` and `!(a || b)`, where the parentheses are one pair around everything. */
function negates(one: string, other: string): boolean {
  if (!one.startsWith('!')) return false;
  const rest = one.slice(1).trim();
  const bare = withoutParentheses(rest);
  // Without parentheses the `!` reaches no further than the first operator.
  if (bare === rest && !/^[\w.]+(?:\([^()]*\))?$/.test(rest)) return false;
  return tidy(bare) === withoutParentheses(other);
}

function withoutParentheses(text: string): string {
  if (!text.startsWith('(') || !text.endsWith(')')) return text;
  const inner = text.slice(1, -1);
  // Quoted parentheses could hide that the first and the last are not a pair.
  return /[()'"]/.test(inner.replace(/\w+\([^()]*\)|"[^"\\()]*"|'[^'\\()]*'/g, ''))
    ? text
    : inner.trim();
}

/** One space for many, but not in quotes. */
function tidy(text: string): string {
  const parts = text.trim().split(/("[^"]*"|'[^']*')/);
  return parts.map((part, at) => (at % 2 === 1 ? part : part.replace(/\s+/g, ' '))).join('');
}

function sameValue(a: string, b: string): boolean {
  return valueOf(a) === valueOf(b);
}

function valueOf(literal: string): string | number {
  return /^-?[\d.]+$/.test(literal) ? Number(literal) : literal.replace(/^'(.*)'$/, '"$1"');
}
