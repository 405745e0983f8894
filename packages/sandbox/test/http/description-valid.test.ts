// Validates openapi.json with a public validator, and checks what generators and fuzzers read from it.
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, describe, expect, test } from 'vitest';
import { TestSandbox } from '../_test-sandbox.ts';

type Json = Record<string, unknown>;

interface Parameter {
  name: string;
  in: string;
  schema: Json;
}

interface Described {
  operationId: string;
  tags: string[];
  deprecated?: boolean;
  parameters: Parameter[];
  responses: Record<string, { headers?: Json; content?: Record<string, { examples?: Json }> }>;
}

const sandbox = new TestSandbox();
afterAll(() => sandbox.sandbox.close());
const { body: description } = await sandbox.call<{
  tags: { name: string }[];
  paths: Record<string, Record<string, Described>>;
}>('GET /openapi.json');
const all = Object.values(description.paths).flatMap((path) => Object.values(path));

test('a public validator finds no errors in the description', async () => {
  const validator = new Validator();
  const result = await validator.validate(structuredClone(description));
  expect(result.errors).toBeUndefined();
  expect(result.valid).toBe(true);
  expect(validator.version).toBe('3.1');
});

test('the validator refuses a broken description', async () => {
  const broken = { ...structuredClone(description), info: { title: 'no version' } };
  expect((await new Validator().validate(broken)).valid).toBe(false);
});

describe('every operation', () => {
  test('every operation has a tag that the document describes', () => {
    const named = description.tags.map(({ name }) => name);
    for (const { tags, operationId } of all) {
      expect(tags, operationId).toHaveLength(1);
      expect(named).toEqual(expect.arrayContaining(tags));
    }
  });

  test('the envelope of each error example contains the code of the example', () => {
    const examples = all.flatMap(({ responses }) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        .flatMap(([, { content }]) =>
          Object.entries(content?.['application/json']?.examples ?? {}),
        ),
    );
    expect(examples.length).toBeGreaterThan(200);
    for (const [code, example] of examples) {
      expect(example).toMatchObject({ value: { error: { code } } });
    }
  });

  test('every operation that redirects has a Location header', () => {
    const redirects = all.filter(({ responses }) => '302' in responses);
    expect(redirects.map(({ operationId }) => operationId)).toEqual([
      'downloadModel',
      'downloadRender',
    ]);
    for (const { responses } of redirects) {
      expect(responses['302']?.headers).toHaveProperty('Location');
    }
  });

  test('path parameters of every operation are non-empty ids or known values', () => {
    const inPath = all.flatMap(({ parameters }) => parameters.filter((one) => one.in === 'path'));
    expect(inPath.length).toBeGreaterThan(20);
    for (const { name, schema } of inPath) {
      expect(schema['minLength'] === 1 || Array.isArray(schema['enum']), name).toBe(true);
    }
  });
});
