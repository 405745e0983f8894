// Finds the text between double braces, in one pass.

export const maxPlaceholders = 100;

export interface Placeholder {
  /** Trimmed text between the braces. */
  source: string;
  /** Offset of `source`. */
  sourceStart: number;
  /** Offsets of the whole placeholder, including its braces. */
  start: number;
  end: number;
}

export interface Placeholders {
  placeholders: readonly Placeholder[];
  /** Offset of opening braces without closing ones, or of closing braces without opening ones. -1 if there are none. */
  unclosed: number;
  unopened: number;
}

interface BracesProblem {
  message: string;
  start: number;
  end: number;
}

const close = '}}';

/** Finds all placeholders. Each one reaches from `open` to the next `}}`, regardless of the text between them. */
export function findPlaceholders(text: string, open: '{{' | '${{'): Placeholders {
  const placeholders: Placeholder[] = [];
  let unopened = -1;
  for (let from = 0; ; ) {
    const start = text.indexOf(open, from);
    if (unopened === -1) unopened = findClosing(text, from, start);
    if (start === -1) return { placeholders, unclosed: -1, unopened };
    const inner = start + open.length;
    const index = text.indexOf(close, inner);
    if (index === -1) return { placeholders, unclosed: start, unopened };
    const content = text.slice(inner, index);
    const sourceStart = inner + content.length - content.trimStart().length;
    from = index + close.length;
    placeholders.push({ source: content.trim(), sourceStart, start, end: from });
  }
}

function findClosing(text: string, from: number, start: number): number {
  const index = text.slice(from, start === -1 ? text.length : start).indexOf(close);
  return index === -1 ? -1 : from + index;
}

/** Returns the first braces without their counterpart, or null if there are none. */
export function findUnpairedBraces(text: string): BracesProblem | null {
  const { unclosed, unopened } = findPlaceholders(text, '{{');
  const start = unopened === -1 ? unclosed : unopened;
  if (start === -1) return null;
  const message = start === unclosed ? '{{ is not closed' : '}} has no {{ before it';
  return { message, start, end: start + 2 };
}

/** Returns why a text has too many placeholders, and where, or null if it does not. */
export function findPlaceholderProblem({ placeholders }: Placeholders): BracesProblem | null {
  const first = placeholders[maxPlaceholders];
  if (first === undefined) return null;
  const message = `has more than ${maxPlaceholders} pairs of double braces`;
  return { message, start: first.start, end: first.end };
}
