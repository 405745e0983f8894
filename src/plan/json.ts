/** Plain data, as it is in a file, a message or a hash. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Returns the fields of an object. Returns none if the value is a list or not an object. */
export function jsonFieldsOf(value: Json): { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
