import { expect, test } from 'vitest';
import { createApiError, ResponseShapeError, TransportError } from '../../src/api/errors/errors.ts';
import {
  findRefusal,
  itemReasons,
  type RefusalReason,
  refusesKey,
} from '../../src/api/errors/refusal.ts';

const answer = (status: number, code = 'SOME_CODE') =>
  createApiError({ status, code, operation: 'createModels', detail: 'no' });

test.each<[number, RefusalReason | null]>([
  [400, 'content'],
  [401, null],
  [402, 'rights'],
  [403, 'rights'],
  [404, 'missing'],
  [405, 'route'],
  [407, 'route'],
  [408, null],
  [409, null],
  [410, 'missing'],
  [413, 'content'],
  [415, 'route'],
  [418, 'content'],
  [421, 'route'],
  [422, 'content'],
  [423, 'content'],
  [425, null],
  [426, 'route'],
  [429, null],
  [451, 'rights'],
  [499, null],
  [500, null],
  [503, null],
])('a response with status %i is attributed to: %s', (status, blames) => {
  const error = answer(status);
  expect(findRefusal(error)).toEqual(blames === null ? null : { blames, error });
});

test.each([
  ['a reused key', answer(422, 'IDEMPOTENCY_KEY_REUSED')],
  ['a lost response', new TransportError('createModels', 'sent', 'ECONNRESET', 'it broke')],
  ['a request that was never sent', new TransportError('createModels', 'connect', 'EPIPE', 'x')],
  ['the page of a gateway that knows no route', answer(404, 'NOT_THE_API')],
  ['an unreadable response', new ResponseShapeError('createModels', 200, '', 'odd')],
  ['another error with a status', Object.assign(new Error('no'), { status: 400 })],
  ['no error', undefined],
])('%s is not a refusal', (_, error) => {
  expect(findRefusal(error)).toBeNull();
});

test.each<[number, RefusalReason]>([
  [400, 'content'],
  [413, 'content'],
  [422, 'content'],
  [406, 'route'],
  [418, 'route'],
  [423, 'route'],
  [431, 'route'],
])(
  'a response with status %i without a platform code, as of a proxy, is attributed to: %s',
  (status, blames) => {
    expect(findRefusal(answer(status, `HTTP_${status}`))?.blames).toBe(blames);
  },
);

test('a caller gets only refusals with the reasons that it handles', () => {
  expect(findRefusal(answer(404), itemReasons)?.blames).toBe('missing');
  expect(findRefusal(answer(403), itemReasons)).toBeNull();
});

test.each([
  ['by the operation', answer(403, 'FORBIDDEN')],
  ['because of a limit of the plan', answer(403, 'PLAN_LIMIT_REACHED')],
  ['of the content, by a proxy', answer(413, 'HTTP_413')],
])('a refusal %s also applies to earlier requests with the same key', (_, error) => {
  const refusal = findRefusal(error);
  expect(refusal && refusesKey(refusal)).toBe(true);
});

test.each([
  ['of the location', answer(403, 'GEO_RESTRICTED')],
  ['by a proxy', answer(403, 'HTTP_403')],
])('a refusal %s does not apply to earlier requests with the same key', (_, error) => {
  const refusal = findRefusal(error);
  expect(refusal && refusesKey(refusal)).toBe(false);
});
