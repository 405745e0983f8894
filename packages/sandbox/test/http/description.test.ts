// openapi.json contains exactly the served rows, with their paths.
import { afterAll, describe, expect, test } from 'vitest';
import { commonErrors, errorCodes } from '../../../../src/api/contract/error-codes.ts';
import { type OperationRow, splitRoute } from '../../../../src/api/contract/operation.ts';
import { operations } from '../../../../src/api/operations/index.ts';
import { routeOf, servedIds } from '../../src/http/routes.ts';
import { TestSandbox } from '../_test-sandbox.ts';

interface Described {
  operationId: string;
  security?: unknown[];
  parameters: { name: string; in: string; schema: Record<string, unknown> }[];
  requestBody?: unknown;
  responses: Record<string, { description: string; headers?: object; content?: object }>;
}

const sandbox = new TestSandbox();
afterAll(() => sandbox.sandbox.close());
const { body: description } = await sandbox.call<{
  openapi: string;
  info: { version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Described>>;
  components: { securitySchemes: object };
}>('GET /openapi.json');

describe('openapi.json', () => {
  test('the description is an OpenAPI 3.1 document of version 1.0.0 for this server', () => {
    expect(description).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0' },
      servers: [{ url: 'http://localhost/api/v1' }],
      components: {
        securitySchemes: { ApiKeyAuth: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      },
    });
  });

  test('the description contains exactly the operations that are served', () => {
    const all = Object.values(description.paths).flatMap((path) => Object.values(path));
    expect(all.map(({ operationId }) => operationId).toSorted()).toEqual(servedIds.toSorted());
  });

  test.each(servedIds)('the description contains %s', (id) => {
    const row: OperationRow = operations[id];
    const { method, path } = splitRoute(routeOf(id));
    const described = description.paths[path]?.[method.toLowerCase()];
    expect(described?.operationId).toBe(id);
    if (!described) return;
    const inPath = described.parameters.filter((parameter) => parameter.in === 'path');
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    const keyed = described.parameters.some(({ name }) => name === 'Idempotency-Key');
    expect(keyed).toBe(method === 'POST');
    expect(described.requestBody !== undefined).toBe(row.body !== undefined);
    expect(described.security).toEqual(row.auth === false ? [] : undefined);
    for (const code of [...row.errors, ...(row.auth === false ? [] : commonErrors)]) {
      expect(described.responses[errorCodes[code].status]?.description).toContain(code);
    }
    const success = [row.status].flat().map(String);
    expect(Object.keys(described.responses)).toEqual(expect.arrayContaining(success));
  });

  test('the description contains the bounds and defaults of query parameters, and the headers of 429 responses', () => {
    const list = description.paths['/models']?.['get'];
    const limit = list?.parameters.find(({ name }) => name === 'limit');
    expect(limit?.schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 100, default: 50 });
    expect(Object.keys(list?.responses['429']?.headers ?? {})).toEqual([
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'Retry-After',
    ]);
  });

  test('the description has no broken references', () => {
    const text = JSON.stringify(description);
    for (const [, path = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = path
        .split('/')
        .reduce<unknown>((at, part) => (at as Record<string, unknown>)?.[part], description);
      expect(target, path).toBeDefined();
    }
  });
});
