import { z } from 'zod';
import { methods, type OperationRow, type Route } from '../contract/operation.ts';
import { shapeOf } from '../contract/schema-parts.ts';
import { asRecord } from '../unknown-values.ts';

type Json = Record<string, unknown>;

interface DescribedOperation {
  route: Route;
  operationId: string | undefined;
  definition: Json;
}

function isPath(text: string): text is `/${string}` {
  return text.startsWith('/');
}

/** Follows local `$ref`s. A chain longer than 8 is treated as a cycle. */
function resolveReference(document: Json, value: unknown): Json {
  let current = asRecord(value);
  for (let depth = 0; depth < 8 && typeof current['$ref'] === 'string'; depth += 1) {
    const steps = current['$ref'].replace(/^#\//, '').split('/');
    let target: unknown = document;
    for (const step of steps) {
      target = asRecord(target)[step.replaceAll('~1', '/').replaceAll('~0', '~')];
    }
    current = asRecord(target);
  }
  return current;
}

function findOperations(document: Json): DescribedOperation[] {
  const described: DescribedOperation[] = [];
  for (const [path, item] of Object.entries(asRecord(document['paths']))) {
    if (!isPath(path)) continue;
    for (const method of methods) {
      const definition = asRecord(asRecord(item)[method.toLowerCase()]);
      if (Object.keys(definition).length === 0) continue;
      const id = definition['operationId'];
      described.push({
        route: `${method} ${path}`,
        operationId: typeof id === 'string' ? id : undefined,
        definition,
      });
    }
  }
  return described;
}

function jsonSchemaOf(document: Json, holder: unknown): Json {
  const media = asRecord(asRecord(resolveReference(document, holder))['content'])[
    'application/json'
  ];
  return resolveReference(document, asRecord(media)['schema']);
}

/** Returns the names of a schema's fields. Each schema is visited once, because schemas may form cycles. */
function fieldsOf(document: Json, schema: Json): string[] {
  const schemas = new Set([schema]);
  for (const { allOf } of schemas) {
    const parts: unknown[] = Array.isArray(allOf) ? allOf : [];
    for (const part of parts) schemas.add(resolveReference(document, part));
  }
  return [...schemas].flatMap(({ properties }) => Object.keys(asRecord(properties)));
}

/** Returns the names of a schema's required fields. */
export function requiredFieldsOf(schema: z.ZodType | undefined): string[] {
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(shapeOf(schema))
    .filter(([, field]) => !field.safeParse(undefined).success)
    .map(([name]) => name);
}

function matchesDescription(
  document: Json,
  row: OperationRow,
  described: DescribedOperation,
): boolean {
  const reads = described.route.startsWith('GET ');
  if (reads !== (row.retrySafety === 'read' && row.body === undefined)) return false;
  const responses = Object.entries(asRecord(described.definition['responses']));
  const success = responses.find(([status]) => status.startsWith('2'))?.[1];
  const responseFields = fieldsOf(document, jsonSchemaOf(document, success));
  const bodyFields = fieldsOf(
    document,
    jsonSchemaOf(document, described.definition['requestBody']),
  );
  const promisedFields = row.response === 'redirect' ? [] : requiredFieldsOf(row.response);
  const neededFields = requiredFieldsOf(row.body);
  if (promisedFields.length + neededFields.length === 0) return false;
  return (
    promisedFields.every((name) => responseFields.includes(name)) &&
    neededFields.every((name) => bodyFields.includes(name))
  );
}

function shapeOfPath(route: string): string {
  return route.replace(/\{[^}]*\}/g, '{}');
}

/**
 * Finds the route of `row` in the platform's OpenAPI document: that of the operation with that id, or else of the only
 * operation with that shape whose route no other operation has. Returns undefined if there is none or more than one.
 */
export function matchOperation(
  document: unknown,
  row: OperationRow,
  claimedRoutes: readonly string[],
): Route | undefined {
  const root = asRecord(document);
  const described = findOperations(root);
  const match = described.find((candidate) => candidate.operationId === row.id);
  if (match) return match.route;
  const claimedPaths = new Set(claimedRoutes.map(shapeOfPath));
  const freeOperations = described.filter(({ route }) => !claimedPaths.has(shapeOfPath(route)));
  const fitting = freeOperations.filter((candidate) => matchesDescription(root, row, candidate));
  // If several operations have the shape, none is returned, because a guess might call the wrong one.
  return fitting.length === 1 ? fitting[0]?.route : undefined;
}

/** Creates an example route from the operation's implied method and a path in the API's style with the parameters. */
export function createExampleRoute(row: OperationRow): string {
  if (row.example !== undefined) return row.example;
  const method = row.retrySafety === 'read' && row.body === undefined ? 'GET' : 'POST';
  const words = row.id.replace(/^[a-z]+/, '').match(/[A-Z][a-z]+/g) ?? [row.id];
  const noun = words.join('-').toLowerCase();
  const params = Object.keys(row.params?.shape ?? {});
  if (params.length === 0) return `${method} /${noun}`;
  const plural = noun.endsWith('s') ? noun : `${noun}${noun.endsWith('ch') ? 'es' : 's'}`;
  return `${method} /${[plural, ...params.map((param) => `{${param}}`)].join('/')}`;
}
