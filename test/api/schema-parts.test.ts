// Parts of schemas are schemas too.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { z as mini } from 'zod/mini';
import { asSchema, shapeOf } from '../../src/api/contract/schema-parts.ts';

it.each([
  ['an optional schema', z.string().optional().unwrap()],
  ['a nullable schema', z.string().nullable().unwrap()],
  ['a list', z.array(z.string()).element],
  ['a record', z.record(z.string(), z.string()).valueType],
  ['an object', shapeOf(z.object({ name: z.string() }))['name'] ?? z.never()],
])('inner schemas of %s parse values', (_name, part) => {
  expect([asSchema(part).safeParse('text').success, asSchema(part).safeParse(1).success]).toEqual([
    true,
    false,
  ]);
});

it('a schema of zod/mini is refused, since its parts cannot be read', () => {
  expect(() => asSchema(mini.string())).toThrow(TypeError);
});
