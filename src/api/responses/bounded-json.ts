// Parses untrusted JSON. Counts values and levels first, because parsed JSON takes many times the memory of its text.

export interface JsonBounds {
  /** Maximum number of objects, lists and their elements. */
  values: number;
  depth: number;
}

/** Bounds for JSON from the records and from our own processes. JSON of 16 MiB contains about 500,000 values. */
export const jsonBounds: JsonBounds = { values: 1_000_000, depth: 64 };

/** JSON with too many values or levels. It was not parsed. */
export class JsonBoundsError extends SyntaxError {
  override name = 'JsonBoundsError';
}

/** Parses JSON. @throws SyntaxError for invalid JSON; JsonBoundsError for JSON beyond the bounds */
export function parseJson(text: string, bounds: JsonBounds = jsonBounds): unknown {
  const excess = findJsonExcess(text, bounds);
  if (excess !== null) throw new JsonBoundsError(excess);
  return JSON.parse(text);
}

/** Like `parseJson`, but returns null instead of throwing. */
export function tryParseJson(text: string, bounds?: JsonBounds): unknown {
  try {
    return parseJson(text, bounds);
  } catch {
    return null;
  }
}

const quote = 34;
const backslash = 92;
const opening = new Set([91, 123]);
const closing = new Set([93, 125]);
const comma = 44;

/** Returns why JSON text exceeds the bounds, or null if it does not. Reads each character once. */
export function findJsonExcess(text: string, bounds: JsonBounds): string | null {
  let [values, depth] = [0, 0];
  for (let offset = 0; offset < text.length; offset += 1) {
    const mark = text.charCodeAt(offset);
    if (mark === quote) offset = endOfString(text, offset);
    else if (mark === comma) values += 1;
    else if (closing.has(mark)) depth -= 1;
    else if (opening.has(mark)) {
      values += 1;
      depth += 1;
    }
    if (depth > bounds.depth) return `it is nested more than ${bounds.depth} levels deep`;
    if (values > bounds.values) return `it has more than ${bounds.values} values`;
  }
  return null;
}

/** Returns the index of the quote that ends the string at `start`, past escaped quotes, or else the text's length. */
function endOfString(text: string, start: number): number {
  for (let offset = start + 1; offset < text.length; offset += 1) {
    const mark = text.charCodeAt(offset);
    if (mark === backslash) offset += 1;
    else if (mark === quote) return offset;
  }
  return text.length;
}
