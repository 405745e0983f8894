// Finds which named things the fields of a pipeline use.
import { nodeTypes } from '../../features/index.ts';
import type { Json } from '../../plan/types.ts';
import { fieldsOf } from '../node-draft.ts';
import { Pipeline, parameterName } from '../pipeline.ts';
import { annotatedTexts, jsonSchemaOf } from '../yaml/annotations.ts';

type Fields = Readonly<Record<string, Json>>;

/** Returns a test: does a field with this annotation have this name? Always true if a parameter gives such a name. */
export function usesReference(fields: Fields, reference: string): (name: string) => boolean {
  const names = new Set<string>();
  for (const text of textsOf(fields)) {
    if (text.reference === reference) names.add(text.value);
  }
  const isAny = [...names].some((name) => name.includes('${{'));
  return (name) => isAny || names.has(name);
}

function* textsOf(fields: Fields) {
  yield* annotatedTexts(jsonSchemaOf(Pipeline), { ...fields });
  const { nodes } = fields;
  for (const node of Array.isArray(nodes) ? nodes : []) {
    const { type, config = {} } = fieldsOf(node) ?? {};
    const known = nodeTypes.find((one) => one.type === type);
    if (known !== undefined) yield* annotatedTexts(jsonSchemaOf(known.config), config);
  }
}

/** Returns a test: is the table named, or does any text read a row, whose columns may be of any table? */
export function usesTable({ data: _own, ...fields }: Fields): (name: string) => boolean {
  const readsRow = /\brow\s*[.[]/.test(JSON.stringify(fields));
  const isNamed = usesReference(fields, 'table');
  return (name) => readsRow || isNamed(name);
}

/** Returns a test: does a text read this parameter, or does a schedule give it a value? */
export function usesParameter({ parameters: _own, ...fields }: Fields): (name: string) => boolean {
  const text = JSON.stringify(fields);
  const { schedule } = fields;
  const schedules = Array.isArray(schedule) ? schedule : [schedule];
  const given = schedules.flatMap((one) =>
    Object.keys(fieldsOf(fieldsOf(one)?.['parameters']) ?? {}),
  );
  return (name) =>
    // An invalid name is taken, so that it is reported.
    !parameterName.test(name) ||
    given.includes(name) ||
    new RegExp(`\\bparams\\W{1,4}${name}\\b`).test(text);
}
