// Bounds the size of tool output, because AI models read all of it and a run may have a million assets.
import { isObject } from '../api/unknown-values.ts';

const maxItems = 50;
const maxTextLength = 2_000;
const maxCharacters = 40_000;

/**
 * Truncates long texts and lists, and halves the lists further until the whole output is short enough. The field
 * `leftOut` of the output counts omitted items by the path of their list.
 * @param clean removes secrets from a text; called before truncating, so that no part of a secret remains
 */
export function boundOutput(
  value: Record<string, unknown>,
  clean: (text: string) => string,
): Record<string, unknown> {
  for (let items = maxItems; ; items = Math.floor(items / 2)) {
    const truncation = new Truncation(items, clean);
    const cut = truncation.fields(value, '');
    const isShort = items === 0 || JSON.stringify(cut).length <= maxCharacters;
    if (!isShort) continue;
    const { leftOut } = truncation;
    return Object.keys(leftOut).length > 0 ? { ...cut, leftOut } : cut;
  }
}

class Truncation {
  readonly leftOut: Record<string, number> = {};
  readonly #items: number;
  readonly #clean: (text: string) => string;

  constructor(items: number, clean: (text: string) => string) {
    this.#items = items;
    this.#clean = clean;
  }

  fields(fields: Record<string, unknown>, path: string): Record<string, unknown> {
    const cut = Object.entries(fields).map(([name, value]) => [
      this.#clean(name),
      this.#value(value, path === '' ? name : `${path}.${name}`),
    ]);
    return Object.fromEntries(cut);
  }

  #value(value: unknown, path: string): unknown {
    if (typeof value === 'string') return truncate(this.#clean(value), maxTextLength);
    if (isObject(value)) return this.fields(value, path);
    if (!Array.isArray(value)) return value;
    const more = value.length - this.#items;
    if (more > 0) this.leftOut[path] = (this.leftOut[path] ?? 0) + more;
    return value.slice(0, this.#items).map((one) => this.#value(one, path));
  }
}

export function truncate(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}
