// Path, query and body of an operation become one list of arguments, and back.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineOperations } from '../../src/api/contract/operation.ts';
import { argumentsOf, refuseUnknown, splitArguments } from '../../src/mcp/arguments.ts';

const shared = {
  summary: 'A row.',
  response: z.object({}),
  errors: [],
  retrySafety: 'repeat',
} as const;

const { row, choice, list } = defineOperations('4.11', {
  row: {
    ...shared,
    route: 'PUT /things/{thingId}/parts/{name}',
    query: z.object({ limit: z.int().default(5), filters: z.string().optional() }),
    body: z.object({
      name: z.string(),
      workspaceId: z.string().optional(),
      hex: z.string().nullish(),
    }),
  },
  choice: {
    ...shared,
    route: 'PUT /things/{thingId}',
    body: z.union([
      z.object({ id: z.string(), inks: z.array(z.string()) }),
      z.object({ id: z.string(), spec: z.string() }),
    ]),
  },
  list: {
    ...shared,
    route: 'POST /things',
    body: z.array(z.string()),
  },
});

describe('arguments', () => {
  test('path, query and body side by side; the path keeps a name that two want', () => {
    expect(
      argumentsOf(row).map(({ name, part: place, required }) => [name, place, required]),
    ).toEqual([
      ['thingId', 'params', true],
      ['name', 'params', true],
      ['limit', 'query', false],
      ['filters', 'query', false],
      ['body_name', 'body', true],
      ['body_workspaceId', 'body', false],
      ['hex', 'body', false],
    ]);
  });

  test('a choice of bodies: all fields, required where every choice requires them', () => {
    expect(argumentsOf(choice).map(({ name, required }) => [name, required])).toEqual([
      ['thingId', true],
      ['id', true],
      ['inks', false],
      ['spec', false],
    ]);
  });

  test('a body that is no object is one argument', () => {
    expect(argumentsOf(list)).toMatchObject([{ name: 'body', field: null, required: true }]);
    expect(splitArguments(argumentsOf(list), { body: ['a'] }).body).toEqual(['a']);
  });

  test('a row without a route cannot be a tool', () => {
    expect(() => argumentsOf({ ...row, route: null })).toThrow(/no route/);
  });
});

describe('splitting', () => {
  const known = argumentsOf(row);

  test.each([
    [
      'places',
      { thingId: 't', limit: 2, hex: '#000' },
      { params: { thingId: 't' }, query: { limit: 2 }, body: { hex: '#000' } },
    ],
    [
      'clashing names',
      { name: 'in path', body_name: 'in body' },
      { params: { name: 'in path' }, query: {}, body: { name: 'in body' } },
    ],
    [
      'null in a query is left out, in a body it is a value',
      { limit: null, hex: null },
      { params: {}, query: {}, body: { hex: null } },
    ],
    [
      'JSON in a query field',
      { filters: [{ a: 1 }] },
      { params: {}, query: { filters: '[{"a":1}]' }, body: {} },
    ],
    ['a number as an id', { thingId: 7 }, { params: { thingId: '7' }, query: {}, body: {} }],
    ['no id at all', { thingId: { a: 1 } }, { params: {}, query: {}, body: {} }],
    ['what is no argument', { other: 1, workspaceId: 'w' }, { params: {}, query: {}, body: {} }],
  ])('%s', (_what, given, split) => {
    expect(splitArguments(known, given)).toEqual(split);
  });

  test('an unknown name is refused with the nearest one', () => {
    const names = known.map(({ name }) => name);
    expect(() => refuseUnknown('draw', { hex: 'x' }, names)).not.toThrow();
    expect(() => refuseUnknown('draw', { hexx: 'x' }, names)).toThrow(
      /draw has no argument "hexx". Did you mean "hex"\? It takes: /,
    );
  });
});
