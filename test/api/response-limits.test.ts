// Responses that are too large: how much of them is received, and that no part of them is parsed.
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ResponseShapeError } from '../../src/api/errors/errors.ts';
import { classify } from '../../src/api/errors/retry.ts';
import { type OperationId, operations } from '../../src/api/operations/index.ts';
import { pageParamsIn } from '../../src/api/pages.ts';
import { findJsonExcess } from '../../src/api/responses/bounded-json.ts';
import { limitsOf, responseBounds } from '../../src/api/responses/response-limits.ts';
import { clientOf, errorOf, startServer, type TestServer } from './_server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

async function refused(body: string): Promise<ResponseShapeError> {
  server.respondWith((_, response) => response.end(body));
  const before = server.received.length;
  const error = await errorOf(clientOf(server).listModels({ query: { limit: 100 } }));
  expect(server.received.length - before).toBe(1);
  if (!(error instanceof ResponseShapeError)) throw error;
  return error;
}

const empty = (count: number) => Array.from({ length: count }, () => '{}').join(',');

describe('a response that is too large', () => {
  it.each([
    [
      'more items than a page may have',
      `{"models":[${empty(101)}],"total":1}`,
      /at most 100 items, received 101/,
    ],
    [
      'as many empty items as a response may have values',
      `{"models":[${empty(120_000)}]}`,
      /at most 100 items/,
    ],
    ['six megabytes of empty items', `{"models":[${empty(2_000_000)}]}`, /more than 250000 values/],
    [
      'thirty megabytes of empty items',
      `{"models":[${empty(10_000_000)}]}`,
      /more than 8388608 bytes/,
    ],
    [
      'one very long string',
      `{"models":[],"x":"${'x'.repeat(9_000_000)}"}`,
      /more than 8388608 bytes/,
    ],
    [
      'deeply nested lists',
      `{"models":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`,
      /nested more than 64/,
    ],
    [
      'deeply nested objects',
      `{"models":[],"x":${'{"x":'.repeat(65)}1${'}'.repeat(65)}}`,
      /nested more than 64/,
    ],
    ['many numbers', `{"models":[],"x":[0${',0'.repeat(300_000)}]}`, /more than 250000 values/],
  ])('a response with %s is an error that is not retried', async (_, body, problem) => {
    const error = await refused(body);
    expect(error.message).toMatch(/^listModels: /);
    expect(error.message).toMatch(problem);
    expect(error.message).toContain('request fewer items at once');
    expect(classify(error)).toEqual({ kind: 'never' });
  });
});

it('an endless response is aborted at its limit', async () => {
  const chunk = Buffer.alloc(64 * 1024, ' ');
  let sent = 0;
  const pour = (response: ServerResponse) => {
    while (!response.destroyed) {
      sent += chunk.length;
      if (!response.write(chunk)) return void response.once('drain', () => pour(response));
    }
  };
  const closed = new Promise<void>((resolve) => {
    server.respondWith((_, response) => {
      response.on('close', resolve);
      pour(response);
    });
  });
  const error = await errorOf(clientOf(server).listModels());
  expect(error).toBeInstanceOf(ResponseShapeError);
  await closed;
  // The buffers of both ends are added.
  expect(sent).toBeLessThan(limitsOf(operations.listModels).bytes + 16 * 1024 * 1024);
});

it('items of a page with too many items are not parsed', async () => {
  const { modelId } = operations.listModels.response.shape.models.element.shape;
  const look = vi.spyOn(modelId, 'safeParse');
  const items = (count: number) =>
    JSON.stringify({ models: Array.from({ length: count }, () => ({ modelId: 'm' })) });
  server.respondWith((_, response) => response.end(items(100)));
  await clientOf(server).listModels();
  expect(look).toHaveBeenCalledTimes(100);
  look.mockClear();
  await refused(items(101));
  expect(look).not.toHaveBeenCalled();
  look.mockRestore();
});

describe('the item limit of a page', () => {
  it.each<[OperationId, number]>([
    ['listModels', 100],
    ['searchAssets', 100],
    ['checkModelStatus', 100],
    ['createModels', 50],
    ['planMaterialImport', 2_000],
    ['listTemplates', 10_000],
    ['getRenderBatch', 10_000],
  ])('the limit of %s is %i items', (id, items) => {
    expect(limitsOf(operations[id]).items).toBe(items);
  });
});

it('every paged operation has a limit of at most 500 items', () => {
  const paged = Object.values(operations).filter((row) => pageParamsIn(row) !== null);
  expect(paged.length).toBeGreaterThan(5);
  const loose = paged.filter((row) => limitsOf(row).items > 500);
  expect(loose.map(({ id }) => id)).toEqual([]);
});

it.each([
  ['brackets in strings', '{"a":"[{[{,,,\\"[[[\\\\"}'],
  ['strings without an end', `"${'['.repeat(300)}`],
  ['many shallow lists', `[${'[],'.repeat(1_000)}0]`],
])('%s do not cause a refusal', (_, text) => {
  expect(findJsonExcess(text, responseBounds)).toBeNull();
});
