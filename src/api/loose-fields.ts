// Reads values of unknown shape, such as foreign errors and answers, without trusting them.

/** True for objects, but not for lists. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Fields of a value of unknown shape; none where it is not an object. */
export function looseFields(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
