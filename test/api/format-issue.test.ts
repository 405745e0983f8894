// What a person reads about a value that does not have the form of its schema.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { formatIssues } from '../../src/api/format-issue.ts';

it.each<[z.ZodType, unknown, string]>([
  [z.array(z.string()), undefined, 'body: is missing'],
  [z.object({ ids: z.array(z.string()) }), {}, 'ids: is missing'],
  [z.object({ ids: z.array(z.string()) }), { ids: 'a' }, 'ids: must be a list'],
  [z.object({ ids: z.array(z.string()) }), { ids: ['a', 1] }, 'ids.1: must be text'],
  [z.object({ limit: z.int() }), { limit: 1.5 }, 'limit: must be a whole number'],
  [z.object({ limit: z.int().min(1) }), { limit: 0 }, 'limit: must be at least 1'],
  [z.object({ limit: z.int().max(9) }), { limit: 10 }, 'limit: must be at most 9'],
  [z.object({ name: z.string().min(1) }), { name: '' }, 'name: must not be empty'],
  [z.object({ name: z.string().min(3) }), { name: 'a' }, 'name: must have at least 3 characters'],
  [z.array(z.string()).min(1), [], 'body: must contain at least 1 entry'],
  [z.array(z.string()).max(2), ['a', 'b', 'c'], 'body: must contain at most 2 entries'],
  [z.enum(['web', 'print', 'ar']), 'shop', 'body: must be web, print or ar'],
  [z.strictObject({ a: z.string().optional() }), { b: 1 }, 'body: must not contain "b"'],
  [z.string().regex(/^[a-z]+$/), 'A', 'body: must match /^[a-z]+$/'],
  [z.object({ link: z.url() }), { link: 'x' }, 'link: must be a valid URL'],
  [
    z.object({ on: z.union([z.boolean(), z.object({ at: z.string() })]) }),
    { on: {} },
    'on: must be true or false',
  ],
  [z.object({ a: z.string('must be a route') }), { a: 1 }, 'a: must be a route'],
  [z.object({ a: z.string(), b: z.number() }), { b: 'x' }, 'a: is missing; b: must be a number'],
])('the problems of a value are described in words: %#', (schema, value, words) => {
  expect(formatIssues(schema.safeParse(value).error?.issues ?? [], 'body')).toBe(words);
});
