// Reads values of unknown shape, such as errors of libraries and responses, without trusting them.

/** True for objects, but not for lists. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Decodes percent escapes. A string with invalid escapes is returned unchanged. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the fields of a value of unknown shape, or an empty object if the value is not an object. */
export function asRecord(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
