// Formats the fields of a JSON schema as Markdown tables.
import { listFields } from '../../src/cli/api/schema-fields.ts';
import type { AnnotatedSchema } from '../../src/compile/yaml/annotations.ts';
import { formatTable, toCode } from './markdown.ts';

/** Formats a table of all fields except those of `skip`. Returns an empty string if there are no fields. */
export function formatFieldTable(schema: AnnotatedSchema, skip: readonly string[] = []): string {
  // Nested fields of a skipped field are skipped, too.
  const isSkipped = (path: string) =>
    skip.some((name) => path === name || ['.', '[]'].some((end) => path.startsWith(name + end)));
  const rows = [...listFields(schema, toCode)]
    .filter(({ path }) => !isSkipped(path))
    .map(({ path, values, isRequired, preset, meaning }) => [
      toCode(path),
      values,
      isRequired ? '*required*' : preset,
      meaning,
    ]);
  return rows.length === 0 ? '' : formatTable(['field', 'values', 'default', 'meaning'], rows);
}

/** Formats a table of the fields of a response. Instead of defaults, it shows which fields are always present. */
export function formatResponseTable(schema: AnnotatedSchema): string {
  const rows = [...listFields(schema, toCode)].map(({ path, values, isRequired, meaning }) => [
    toCode(path),
    values,
    isRequired ? 'always' : '',
    meaning,
  ]);
  return rows.length === 0 ? '' : formatTable(['field', 'values', 'present', 'meaning'], rows);
}
