// Path, query and body of an operation are combined into one list of arguments, and split again.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineOperations } from '../../src/api/contract/operation.ts';
import { argumentsOf, assertKnownArguments, splitArguments } from '../../src/mcp/arguments.ts';

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
  test('the arguments combine path, query and body; if two have the same name, the path argument keeps it', () => {
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

  test('the arguments for alternative bodies are all of their fields, required if every alternative requires them', () => {
    expect(argumentsOf(choice).map(({ name, required }) => [name, required])).toEqual([
      ['thingId', true],
      ['id', true],
      ['inks', false],
      ['spec', false],
    ]);
  });

  test('a body that is not an object becomes one argument', () => {
    expect(argumentsOf(list)).toMatchObject([{ name: 'body', field: null, required: true }]);
    expect(splitArguments(argumentsOf(list), { body: ['a'] }).body).toEqual(['a']);
  });

  test('an operation without a route cannot become a tool', () => {
    expect(() => argumentsOf({ ...row, route: null })).toThrow(/no route/);
  });
});

describe('splitting arguments', () => {
  const known = argumentsOf(row);

  test.each([
    [
      'returns path, query and body',
      { thingId: 't', limit: 2, hex: '#000' },
      { params: { thingId: 't' }, query: { limit: 2 }, body: { hex: '#000' } },
    ],
    [
      'resolves names that occur twice',
      { name: 'in path', body_name: 'in body' },
      { params: { name: 'in path' }, query: {}, body: { name: 'in body' } },
    ],
    [
      'drops null from a query, and keeps it in a body',
      { limit: null, hex: null },
      { params: {}, query: {}, body: { hex: null } },
    ],
    [
      'writes JSON into a query field',
      { filters: [{ a: 1 }] },
      { params: {}, query: { filters: '[{"a":1}]' }, body: {} },
    ],
    [
      'converts a number to an id',
      { thingId: 7 },
      { params: { thingId: '7' }, query: {}, body: {} },
    ],
    [
      'drops an id that is not a string',
      { thingId: { a: 1 } },
      { params: {}, query: {}, body: {} },
    ],
    [
      'drops unknown arguments',
      { other: 1, workspaceId: 'w' },
      { params: {}, query: {}, body: {} },
    ],
  ])('splitArguments %s', (_what, given, split) => {
    expect(splitArguments(known, given)).toEqual(split);
  });

  test('splitArguments refuses an unknown name, with the nearest name as a hint', () => {
    const names = known.map(({ name }) => name);
    expect(() => assertKnownArguments('draw', { hex: 'x' }, names)).not.toThrow();
    expect(() => assertKnownArguments('draw', { hexx: 'x' }, names)).toThrow(
      /draw has no argument "hexx". Did you mean "hex"\? Its arguments are: /,
    );
  });
});
