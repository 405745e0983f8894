// `start:` in a pipeline file: its result, and every mistake at its position.
import { describe, expect, it } from 'vitest';
import { compile, planOf, told, withNodes } from './_compile.ts';

/** `start:` is on line 8. */
const withStart = (http: string) => `${withNodes()}\nstart: { http: ${http} }`;

describe('the field `start`', () => {
  it.each([
    [
      'one secret',
      '{ secretFrom: RENDERLINE_SECRET_A }',
      { secretFrom: 'RENDERLINE_SECRET_A', perMinute: 60 },
    ],
    [
      'several tokens',
      '{ tokenFrom: [RENDERLINE_SECRET_A, RENDERLINE_SECRET_B], perMinute: 5 }',
      { tokenFrom: ['RENDERLINE_SECRET_A', 'RENDERLINE_SECRET_B'], perMinute: 5 },
    ],
  ])('a start compiles with %s', (_what, http, expected) => {
    expect(compile(withStart(http))).toMatchObject({
      ok: true,
      isStartedByHttp: true,
      pipeline: { start: { http: expected } },
    });
  });

  it('a start is not in the plan', () => {
    expect(planOf(withStart('{ secretFrom: RENDERLINE_SECRET_A }'))).toEqual(planOf(withNodes()));
  });

  it('a start depends on the environment of the receiver, not on that of a worker', () => {
    const { problems } = compile(withStart('{ secretFrom: RENDERLINE_SECRET_A }'));
    expect(problems.map(({ message }) => message)).toContain(
      'whether the receiver has RENDERLINE_SECRET_A in its environment is known only when the receiver runs',
    );
  });

  it('a start with an invalid name in a list is refused, and the message contains the field and a valid name', () => {
    expect(told(withStart('{ tokenFrom: [RENDERLINE_SECRET_A, SHOP_TOKEN] }')).join()).toContain(
      'write `tokenFrom: RENDERLINE_SECRET_SHOP_TOKEN`',
    );
  });

  it.each([
    ['no secret and no tokens', '{}', 'needs `secretFrom`, `tokenFrom` or both'],
    [
      'a secret in the file',
      '{ secretFrom: "5f4dcc3b5aa765d61d83" }',
      'must be the uppercase name of an environment variable, never the secret itself',
    ],
    ['an empty list', '{ secretFrom: [] }', 'must contain at least 1 entry'],
    ["the worker's own key", '{ tokenFrom: RENDERLINE_API_KEY }', 'belongs to the worker itself'],
    [
      'another environment variable',
      '{ tokenFrom: HOME }',
      'does not begin with RENDERLINE_SECRET_',
    ],
    ['a parameter', '{ secretFrom: "${{ params.name }}" }', '`start` must not contain a parameter'],
    ['a limit of zero requests', '{ secretFrom: RENDERLINE_SECRET_A, perMinute: 0 }', 'perMinute'],
    ['an unknown field', '{ secretFrom: RENDERLINE_SECRET_A, port: 1 }', 'port'],
  ])('a start with %s is refused', (_what, http, message) => {
    const problems = told(withStart(http));
    expect(problems.join('\n')).toContain(message);
    expect(compile(withStart(http)).ok).toBe(false);
    expect(problems.join()).not.toContain('5f4dcc3b');
  });
});
