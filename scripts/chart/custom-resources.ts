// Validates custom resources, such as KEDA's, against the definitions published by their projects.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';

const Definition = z.object({
  spec: z.object({
    group: z.string(),
    names: z.object({ kind: z.string() }),
    versions: z.array(
      z.object({ name: z.string(), schema: z.object({ openAPIV3Schema: z.unknown() }) }),
    ),
  }),
});
const Shown = z.object({ apiVersion: z.string(), kind: z.string() });

/** Returns schemas by `apiVersion/kind`. @param folder folder with CustomResourceDefinitions */
export async function definitionsIn(folder: string): Promise<Map<string, unknown>> {
  const schemaByKind = new Map<string, unknown>();
  for (const name of await readdir(folder)) {
    if (!/\.ya?ml$/.test(name)) continue;
    const result = Definition.safeParse(parse(await readFile(join(folder, name), 'utf8')));
    if (!result.success) continue;
    const { group, names, versions } = result.data.spec;
    for (const { name: version, schema } of versions) {
      schemaByKind.set(`${group}/${version}/${names.kind}`, closeSchema(schema.openAPIV3Schema));
    }
  }
  return schemaByKind;
}

/**
 * Returns the problems of those objects in a rendered chart that have known definitions. `seen` counts these objects.
 */
export function customFaults(
  text: string,
  definitions: ReadonlyMap<string, unknown>,
): { seen: number; faults: string[] } {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false });
  const faults: string[] = [];
  let seen = 0;
  for (const document of parseAllDocuments(text)) {
    const object: unknown = document.toJS();
    const result = Shown.safeParse(object);
    if (!result.success) continue;
    const kind = `${result.data.apiVersion}/${result.data.kind}`;
    const schema = definitions.get(kind);
    if (typeof schema !== 'object' || schema === null) continue;
    seen += 1;
    const check = ajv.compile(schema);
    if (check(object)) continue;
    for (const { instancePath, message, params } of check.errors ?? []) {
      faults.push(`${kind} ${instancePath}: ${message} ${JSON.stringify(params)}`);
    }
  }
  return { seen, faults };
}

/** Returns the schema, but with undefined fields as errors, because a server drops them silently. */
function closeSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).map(([name, part]) => [name, closeSchema(part)] as const);
  const copy: Record<string, unknown> = Object.fromEntries(parts);
  const isOpen = copy['x-kubernetes-preserve-unknown-fields'] === true;
  if (copy['x-kubernetes-int-or-string'] === true) delete copy['type'];
  const hasFields = copy['type'] === 'object' && 'properties' in copy;
  return hasFields && !isOpen && !('additionalProperties' in copy)
    ? { ...copy, additionalProperties: false }
    : copy;
}
