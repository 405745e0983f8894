// Lists the fields of a JSON schema: name, values, default, meaning.
import type { AnnotatedSchema } from '../../compile/yaml/annotations.ts';
import type { Json } from '../../plan/types.ts';

export interface SchemaField {
  /** Nested fields are named by path, such as `views[].name`. */
  path: string;
  values: string;
  isRequired: boolean;
  /** Empty if the field has no default. */
  preset: string;
  /** May contain Markdown. */
  meaning: string;
}

/** Larger bounds only prevent absurd numbers, so they are not shown. */
const maxShownBound = 1_000_000_000;

/** Lists all fields, each before its nested fields. `toCode` marks literal values. */
export function* listFields(
  schema: AnnotatedSchema,
  toCode: (value: string) => string,
  prefix = '',
): Generator<SchemaField> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const path = `${prefix}${name}`;
    yield {
      path,
      values: valuesOf(field, toCode),
      isRequired: schema.required?.includes(name) === true && field.default === undefined,
      preset: presetOf(field, toCode),
      meaning: meaningOf(field),
    };
    const inner = innerOf(field, path);
    if (inner !== null) yield* listFields(inner.schema, toCode, inner.prefix);
  }
}

/** Returns the fields as cells of plain text: path, values, default or "required", meaning. */
export function formatFieldLines(schema: AnnotatedSchema): string[][] {
  return [...listFields(schema, (value) => value)].map(
    ({ path, values, isRequired, preset, meaning }) => [
      path,
      values,
      isRequired ? 'required' : preset,
      meaning.replaceAll('`', ''),
    ],
  );
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
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the first line of the description. Further lines are for editors. */
function meaningOf({ description, additionalProperties: valueSchema }: AnnotatedSchema): string {
  const text =
    description ?? (typeof valueSchema === 'object' ? valueSchema.description : undefined) ?? '';
  return text.split('\n', 1)[0] ?? '';
}

function presetOf(field: AnnotatedSchema, toCode: (value: string) => string): string {
  if (field.default === undefined) return '';
  const text = JSON.stringify(field.default);
  return text === '{}' || text === '[]' ? '' : toCode(text);
}

function valuesOf(field: AnnotatedSchema, toCode: (value: string) => string): string {
  const literals = field.const === undefined ? field.enum : [field.const];
  if (literals !== undefined) {
    return literals.map((value) => toCode(formatValue(value))).join(', ');
  }
  if (field.anyOf !== undefined) {
    return field.anyOf
      .filter(({ $ref }) => $ref === undefined)
      .map((choice) => valuesOf(choice, toCode))
      .join(' or ');
  }
  if (field.items !== undefined) return `list of ${valuesOf(field.items, toCode)}${maxOf(field)}`;
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
