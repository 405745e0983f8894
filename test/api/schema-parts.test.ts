// Parts of schemas are schemas too.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { z as mini } from 'zod/mini';
import { asSchema, shapeOf } from '../../src/api/contract/schema-parts.ts';

it.each([
  ['optional', z.string().optional().unwrap()],
  ['nullable', z.string().nullable().unwrap()],
  ['a list', z.array(z.string()).element],
  ['a record', z.record(z.string(), z.string()).valueType],
  ['an object', shapeOf(z.object({ name: z.string() }))['name'] ?? z.never()],
])('of %s', (_name, part) => {
  expect([asSchema(part).safeParse('text').success, asSchema(part).safeParse(1).success]).toEqual([
    true,
    false,
  ]);
});

it('a schema of another kind is refused, since it cannot be read like these', () => {
  expect(() => asSchema(mini.string())).toThrow(TypeError);
});
