// The part of JSON Schema draft-07 that our schema uses, so that tests can ask it for its opinion. A
// keyword that is not known here is an error: nothing is passed over in silence.
import type { JsonSchema } from '../../src/compile/marks.ts';

type Check = (rule: unknown, value: unknown, scope: Scope) => string[];

interface Scope {
  root: JsonSchema;
  schema: JsonSchema;
  path: string;
}

/** Paths of everything that does not fit, such as `nodes[1].type: enum`. */
export function violations(root: JsonSchema, value: unknown): string[] {
  return judge(root, value, { root, path: '' });
}

function judge(schema: JsonSchema, value: unknown, at: Omit<Scope, 'schema'>): string[] {
  return Object.entries(schema).flatMap(([keyword, rule]) => {
    const check = checks[keyword];
    if (check === undefined) throw new Error(`"${keyword}" at "${at.path}" is not known here`);
    return check(rule, value, { ...at, schema });
  });
}

function violation(keyword: string, { path }: Scope): string[] {
  return [`${path.replace(/^\./, '') || 'file'}: ${keyword}`];
}

/** A keyword that only looks at values of one kind. */
function when<Value>(
  is: (value: unknown) => value is Value,
  keyword: string,
  fits: (rule: never, value: Value) => boolean,
): Check {
  return (rule, value, scope) =>
    is(value) && !fits(rule as never, value) ? violation(keyword, scope) : [];
}

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
const isList = (value: unknown): value is unknown[] => Array.isArray(value);
const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const annotation: Check = () => [];

const checks: Record<string, Check | undefined> = {
  $schema: annotation,
  title: annotation,
  description: annotation,
  default: annotation,
  definitions: annotation,
  // Looked at together with `if`.
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: annotation,

  type: (rule, value, scope) => {
    const types = [rule as string | string[]].flat();
    return types.some((type) => isOfType(type, value)) ? [] : violation('type', scope);
  },
  const: (rule, value, scope) => (rule === value ? [] : violation('const', scope)),
  enum: (rule, value, scope) =>
    (rule as unknown[]).includes(value) ? [] : violation('enum', scope),
  pattern: when(isText, 'pattern', (rule: string, text) => new RegExp(rule, 'u').test(text)),
  minLength: when(isText, 'minLength', (rule: number, text) => text.length >= rule),
  maxLength: when(isText, 'maxLength', (rule: number, text) => text.length <= rule),
  minimum: when(isNumber, 'minimum', (rule: number, number) => number >= rule),
  maximum: when(isNumber, 'maximum', (rule: number, number) => number <= rule),
  exclusiveMinimum: when(isNumber, 'exclusiveMinimum', (rule: number, number) => number > rule),
  minItems: when(isList, 'minItems', (rule: number, list) => list.length >= rule),
  maxItems: when(isList, 'maxItems', (rule: number, list) => list.length <= rule),

  items: (rule, value, { root, path }) =>
    isList(value)
      ? value.flatMap((item, index) =>
          judge(rule as JsonSchema, item, { root, path: `${path}[${index}]` }),
        )
      : [],
  properties: (rule, value, { root, path }) =>
    isMapping(value)
      ? Object.entries(rule as Record<string, JsonSchema>).flatMap(([name, schema]) =>
          Object.hasOwn(value, name)
            ? judge(schema, value[name], { root, path: `${path}.${name}` })
            : [],
        )
      : [],
  required: (rule, value, scope) =>
    isMapping(value)
      ? (rule as string[])
          .filter((name) => !Object.hasOwn(value, name))
          .flatMap((name) => violation('required', { ...scope, path: `${scope.path}.${name}` }))
      : [],
  additionalProperties: (rule, value, scope) => {
    if (!isMapping(value)) return [];
    const others = Object.keys(value).filter(
      (name) => !Object.hasOwn(scope.schema.properties ?? {}, name),
    );
    return others.flatMap((name) => {
      const inside = { ...scope, path: `${scope.path}.${name}` };
      if (rule === false) return violation('additionalProperties', inside);
      return judge(rule as JsonSchema, value[name], inside);
    });
  },
  propertyNames: (rule, value, scope) =>
    isMapping(value)
      ? Object.keys(value).flatMap((name) =>
          judge(rule as JsonSchema, name, { ...scope, path: `${scope.path}.${name}` }),
        )
      : [],

  anyOf: (rule, value, scope) => {
    const choices = (rule as JsonSchema[]).map((choice) => judge(choice, value, scope));
    return choices.some((found) => found.length === 0) ? [] : violation('anyOf', scope);
  },
  allOf: (rule, value, scope) => (rule as JsonSchema[]).flatMap((one) => judge(one, value, scope)),
  if: (rule, value, scope) => {
    const holds = judge(rule as JsonSchema, value, scope).length === 0;
    return holds ? judge((scope.schema['then'] ?? {}) as JsonSchema, value, scope) : [];
  },
  $ref: (rule, value, scope) => {
    const name = String(rule).replace('#/definitions/', '');
    const definitions = scope.root['definitions'] as Record<string, JsonSchema>;
    const target = definitions[name];
    if (target === undefined) throw new Error(`${String(rule)} leads nowhere`);
    return judge(target, value, scope);
  },
};

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isMapping(value);
    case 'array':
      return isList(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}
