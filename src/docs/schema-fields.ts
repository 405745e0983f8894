// Renders the fields of a JSON schema as table rows: name, values, default, meaning.
import type { AnnotatedSchema } from '../compile/yaml/annotations.ts';
import type { Json } from '../plan/types.ts';
import { formatTable, toCode } from './markdown.ts';

const requiredMark = '*required*';

/** Larger bounds only prevent absurd numbers, so they are not shown. */
const maxShownBound = 1_000_000_000;

/** Formats a table of all fields. Nested fields are listed by path. Returns an empty string if there are no fields. */
export function formatFieldTable(schema: AnnotatedSchema, skip: readonly string[] = []): string {
  const rows = [...listFieldRows(schema, '', skip)];
  return rows.length === 0 ? '' : formatTable(['field', 'values', 'default', 'meaning'], rows);
}

/** Formats a table of the fields of a response. Instead of defaults, it shows which fields are always present. */
export function formatResponseTable(schema: AnnotatedSchema): string {
  const rows = [...listFieldRows(schema, '', [])].map(
    ([field = '', values = '', preset, meaning = '']) => [
      field,
      values,
      preset === requiredMark ? 'always' : '',
      meaning,
    ],
  );
  return rows.length === 0 ? '' : formatTable(['field', 'values', 'present', 'meaning'], rows);
}

/** Returns the rows of `formatFieldTable` as plain text without Markdown. */
export function formatFieldLines(schema: AnnotatedSchema): string[][] {
  return [...listFieldRows(schema, '', [])].map((cells) =>
    cells.map((cell) => (cell === requiredMark ? 'required' : cell.replaceAll('`', ''))),
  );
}

function* listFieldRows(
  schema: AnnotatedSchema,
  prefix: string,
  skip: readonly string[],
): Generator<string[]> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const path = `${prefix}${name}`;
    if (skip.includes(path)) continue;
    const isRequired = schema.required?.includes(name) === true && field.default === undefined;
    yield [toCode(path), valuesOf(field), presetOf(field, isRequired), meaningOf(field)];
    const inner = innerOf(field, path);
    if (inner !== null) yield* listFieldRows(inner.schema, inner.prefix, skip);
  }
}

/** Returns the nested mapping of a field (itself, its list items, a choice, or its values under any name), or null. */
function innerOf(
  field: AnnotatedSchema,
  path: string,
): { schema: AnnotatedSchema; prefix: string } | null {
  if (field.properties !== undefined) return { schema: field, prefix: `${path}.` };
  if (field.items?.properties !== undefined) return { schema: field.items, prefix: `${path}[].` };
  const choice = field.anyOf?.find(({ properties }) => properties !== undefined);
  if (choice !== undefined) return { schema: choice, prefix: `${path}.` };
  const { additionalProperties: valueSchema } = field;
  return typeof valueSchema === 'object' && valueSchema.properties !== undefined
    ? { schema: valueSchema, prefix: `${path}.NAME.` }
    : null;
}

function formatValue(value: Json): string {
  return toCode(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Returns the first line of the description. Further lines are for editors. */
function meaningOf({ description, additionalProperties: valueSchema }: AnnotatedSchema): string {
  const text =
    description ?? (typeof valueSchema === 'object' ? valueSchema.description : undefined) ?? '';
  return text.split('\n', 1)[0] ?? '';
}

function presetOf(field: AnnotatedSchema, required: boolean): string {
  if (required) return requiredMark;
  if (field.default === undefined) return '';
  const text = JSON.stringify(field.default);
  return text === '{}' || text === '[]' ? '' : toCode(text);
}

function valuesOf(field: AnnotatedSchema): string {
  if (field.const !== undefined) return formatValue(field.const);
  if (field.enum !== undefined) return field.enum.map(formatValue).join(', ');
  if (field.anyOf !== undefined) {
    return field.anyOf
      .filter(({ $ref }) => $ref === undefined)
      .map(valuesOf)
      .join(' or ');
  }
  if (field.items !== undefined) return `list of ${valuesOf(field.items)}${maxOf(field)}`;
  const [first, ...others] = [field.type ?? 'anything'].flat();
  return [`${formatType(first ?? '')}${boundsOf(field)}`, ...others.map(formatType)].join(' or ');
}

function formatType(type: string): string {
  const typeWords: Record<string, string> = {
    string: 'text',
    integer: 'whole number',
    boolean: 'true or false',
    object: 'mapping',
    array: 'list',
  };
  return typeWords[type] ?? type;
}

function boundsOf(schema: AnnotatedSchema): string {
  const longest = numberOf(schema['maxLength']);
  if (longest !== '') return ` up to ${longest} characters`;
  const min = numberOf(schema['minimum']);
  const max = numberOf(schema['maximum']);
  const exclusiveMin = numberOf(schema['exclusiveMinimum']);
  if (min !== '' && max !== '') return ` ${min}-${max}`;
  if (exclusiveMin !== '') return ` above ${exclusiveMin}`;
  return min === '' ? '' : ` from ${min}`;
}

function maxOf(schema: AnnotatedSchema): string {
  const max = numberOf(schema['maxItems']);
  return max === '' ? '' : `, at most ${max}`;
}

function numberOf(keyword: unknown): string {
  return typeof keyword === 'number' && Math.abs(keyword) < maxShownBound ? String(keyword) : '';
}
