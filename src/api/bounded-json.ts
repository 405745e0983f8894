// JSON of others: values and levels are counted before it is parsed, since parsed it takes many times the memory of its text.

export interface JsonBounds {
  /** Objects, lists and their parts. */
  values: number;
  depth: number;
}

/** Of an object in the records, or what another process of ours has written: one of 16 MiB has some 500,000 values. */
export const jsonBounds: JsonBounds = { values: 1_000_000, depth: 64 };

/** JSON that is not parsed for its number of values or levels. */
export class JsonBoundsError extends SyntaxError {
  override name = 'JsonBoundsError';
}

/** @throws SyntaxError for a text that is no JSON, and for one beyond the bounds */
export function parseJson(text: string, bounds: JsonBounds = jsonBounds): unknown {
  const excess = excessValues(text, bounds);
  if (excess !== null) throw new JsonBoundsError(excess);
  return JSON.parse(text);
}

const quote = 34;
const backslash = 92;
const opening = new Set([91, 123]);
const closing = new Set([93, 125]);
const comma = 44;

/** Why a text is beyond the bounds; null where it is not. Looks at each character once. */
export function excessValues(text: string, bounds: JsonBounds): string | null {
  let [values, depth] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const mark = text.charCodeAt(at);
    if (mark === quote) at = endOfString(text, at);
    else if (mark === comma) values += 1;
    else if (closing.has(mark)) depth -= 1;
    else if (opening.has(mark)) {
      values += 1;
      depth += 1;
    }
    if (depth > bounds.depth) return `it is nested more than ${bounds.depth} deep`;
    if (values > bounds.values) return `it has more than ${bounds.values} values`;
  }
  return null;
}

/** Index of the quote that ends the string starting here: one behind an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const mark = text.charCodeAt(at);
    if (mark === backslash) at += 1;
    else if (mark === quote) return at;
  }
  return text.length;
}
