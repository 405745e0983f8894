// Many reads of one poll: which errors affect only one read, and which end the poll.
import { describe, expect, it, test } from 'vitest';
import {
  apiError,
  BudgetWaitError,
  ResponseShapeError,
  TransportError,
} from '../../../src/api/errors/errors.ts';
import { OperationUnresolvedError } from '../../../src/api/errors/route-errors.ts';
import { isItsOwn, readEach } from '../../../src/engine/polling/read-each.ts';

const answered = (status: number, code: string) =>
  apiError({ status, code, operation: 'getModel', detail: 'no' });
const odd = new ResponseShapeError('getModel', 200, 'status', 'it is a number');

describe('an error', () => {
  test.each<[string, unknown, boolean]>([
    ['a thing that is not there', answered(404, 'NOT_FOUND'), true],
    ['a request that is wrong', answered(400, 'INVALID_REQUEST'), true],
    ['trouble of the platform', answered(503, 'SERVICE_UNAVAILABLE'), true],
    ['a timeout of the platform', answered(408, 'TIMEOUT'), true],
    ['an answer that cannot be read', odd, true],
    ['a broken connection', new TransportError('getModel', 'sent', 'ECONNRESET', 'reset'), true],
    // All other reads would meet these errors too.
    ['a key that is not known', answered(401, 'UNAUTHORIZED'), false],
    ['an allowance that is spent', answered(429, 'RATE_LIMITED'), false],
    ['an allowance that is waited for', new BudgetWaitError(1_000, 2_000), false],
    ['an operation without a path', new OperationUnresolvedError('x', 'GET /x', 'no'), false],
    ['a mistake of ours', new TypeError('x is not a function'), false],
    ['what is no error', 'no', false],
  ])('%s is of one read alone: %s', (_, error, own) => expect(isItsOwn(error)).toBe(own));
});

describe('reads', () => {
  /** Reads items; the given ones fail. */
  const read = (failing: Record<string, unknown>) =>
    readEach(['a', 'b', 'c'], async (item) => {
      if (item in failing) throw failing[item];
      return item.toUpperCase();
    });

  it('answer each for itself', async () => {
    expect(await read({})).toEqual(
      new Map([
        ['a', 'A'],
        ['b', 'B'],
        ['c', 'C'],
      ]),
    );
  });

  it('that fail are missing among the others', async () => {
    expect([...(await read({ a: answered(404, 'NOT_FOUND'), c: odd })).keys()]).toEqual(['b']);
  });

  it('that all fail fail with the first error', async () => {
    const first = answered(503, 'SERVICE_UNAVAILABLE');
    await expect(read({ a: first, b: odd, c: odd })).rejects.toBe(first);
  });

  it('are in vain where the whole run is concerned', async () => {
    const refused = answered(401, 'UNAUTHORIZED');
    await expect(read({ b: refused })).rejects.toBe(refused);
  });

  it('of nothing answer nothing', async () => {
    expect(await readEach([], () => Promise.reject(odd))).toEqual(new Map());
  });

  it('are eight at a time', async () => {
    let [open, max] = [0, 0];
    const items = Array.from({ length: 30 }, (_, at) => at);
    await readEach(items, async () => {
      open += 1;
      max = Math.max(max, open);
      await Promise.resolve();
      open -= 1;
    });
    expect(max).toBe(8);
  });
});
