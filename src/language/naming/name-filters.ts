// Filters of naming templates: `{{ index | pad(2) }}`. Each changes the text of a field before it is inserted.
import { findNearestName } from '../../api/requests/nearest-name.ts';

interface FilterCall {
  name: FilterName;
  values: readonly string[];
}

export interface FilteredField {
  field: string;
  filters: readonly FilterCall[];
  /** Why the filters cannot be used. Null if they can. */
  problem: string | null;
}

const maxPadding = 20;

const filters = {
  pad: {
    form: 'pad(2)',
    accepts: ([width = '', ...more]: readonly string[]) =>
      more.length === 0 && /^\d{1,2}$/.test(width) && Number(width) <= maxPadding,
    apply: (text: string, [width]: readonly string[]) => text.padStart(Number(width), '0'),
  },
  upper: { form: 'upper', accepts: isEmptyList, apply: (text: string) => text.toUpperCase() },
  lower: { form: 'lower', accepts: isEmptyList, apply: (text: string) => text.toLowerCase() },
  slug: { form: 'slug', accepts: isEmptyList, apply: slugOf },
  replace: {
    form: 'replace("a", "b")',
    accepts: ([from = '', ...more]: readonly string[]) => from !== '' && more.length === 1,
    apply: (text: string, [from = '', to = '']: readonly string[]) => text.replaceAll(from, to),
  },
} as const;

type FilterName = keyof typeof filters;

/** Filters that may follow a field, for messages and the reference. */
export const filterForms: readonly string[] = Object.values(filters).map(({ form }) => form);

function isEmptyList(values: readonly string[]): boolean {
  return values.length === 0;
}

/** Returns the lower-case letters and digits of any script, without accents, as words joined by `-`: `salt-pepper`. */
function slugOf(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .toLowerCase();
  return plain.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '');
}

const quoted = String.raw`"[^"]*"|'[^']*'`;
const call = new RegExp(
  String.raw`^\s*([A-Za-z]+)\s*(?:\(\s*((?:${quoted}|\d+)(?:\s*,\s*(?:${quoted}|\d+))*)?\s*\))?\s*(?:\||$)`,
);

/** Reads the text between the braces. */
export function parseFilteredField(source: string): FilteredField {
  const bar = source.indexOf('|');
  if (bar === -1) return { field: source, filters: [], problem: null };
  const field = source.slice(0, bar).trim();
  const calls: FilterCall[] = [];
  let filterText = source.slice(bar);
  while (filterText.startsWith('|')) {
    const [match, name = '', args = ''] = call.exec(filterText.slice(1)) ?? [];
    const values = [...args.matchAll(new RegExp(`${quoted}|\\d+`, 'g'))].map(([text]) =>
      text.replaceAll(/^["']|["']$/g, ''),
    );
    if (match === undefined || !isFilterName(name) || !filters[name].accepts(values)) {
      return { field, filters: calls, problem: problemOf(filterText.slice(1), name) };
    }
    calls.push({ name, values });
    filterText = filterText.slice(match.endsWith('|') ? match.length : filterText.length);
  }
  return { field, filters: calls, problem: null };
}

export function applyFilters(text: string, calls: readonly FilterCall[]): string {
  return calls.reduce((value, { name, values }) => filters[name].apply(value, values), text);
}

function isFilterName(name: string): name is FilterName {
  return Object.hasOwn(filters, name);
}

function problemOf(filterText: string, name: string): string {
  const label = `| ${filterText.trim()}`.trim();
  if (isFilterName(name)) return `"${label}" must be written as | ${filters[name].form}`;
  const nearestName = findNearestName(name, Object.keys(filters));
  const hint =
    nearestName === null ? `filters are ${filterForms.join(', ')}` : `did you mean ${nearestName}?`;
  return `"${label}" is not a filter; ${hint}`;
}
