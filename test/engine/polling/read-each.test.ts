// Many reads of one poll: which errors affect only one read, and which end the poll.
import { describe, expect, it, test } from 'vitest';
import {
  BudgetWaitError,
  createApiError,
  ResponseShapeError,
  TransportError,
} from '../../../src/api/errors/errors.ts';
import { OperationUnresolvedError } from '../../../src/api/errors/route-errors.ts';
import { isErrorOfOneItem, readEach } from '../../../src/engine/polling/read-each.ts';

const answered = (status: number, code: string) =>
  createApiError({ status, code, operation: 'getModel', detail: 'no' });
const odd = new ResponseShapeError('getModel', 200, 'status', 'it is a number');

describe('an error of one read among many', () => {
  test.each<[string, unknown, boolean]>([
    ['a missing object', answered(404, 'NOT_FOUND'), true],
    ['an invalid request', answered(400, 'INVALID_REQUEST'), true],
    ['a server error of the platform', answered(503, 'SERVICE_UNAVAILABLE'), true],
    ['a timeout of the platform', answered(408, 'TIMEOUT'), true],
    ['an unreadable response', odd, true],
    ['a broken connection', new TransportError('getModel', 'sent', 'ECONNRESET', 'reset'), true],
    // All other reads would fail with the same errors.
    ['an unknown key', answered(401, 'UNAUTHORIZED'), false],
    ['a spent allowance', answered(429, 'RATE_LIMITED'), false],
    ['a wait for the allowance', new BudgetWaitError(1_000, 2_000), false],
    ['an operation without a path', new OperationUnresolvedError('x', 'GET /x', 'no'), false],
    ['a programming error', new TypeError('x is not a function'), false],
    ['a value that is not an error', 'no', false],
  ])('isErrorOfOneItem() recognizes whether an error affects only one read: %s', (_, error, own) =>
    expect(isErrorOfOneItem(error)).toBe(own),
  );
});

describe('many reads', () => {
  /** Reads items. The given ones fail. */
  const read = (failing: Record<string, unknown>) =>
    readEach(['a', 'b', 'c'], async (item) => {
      if (item in failing) throw failing[item];
      return item.toUpperCase();
    });

  it('each read returns one result', async () => {
    expect(await read({})).toEqual(
      new Map([
        ['a', 'A'],
        ['b', 'B'],
        ['c', 'C'],
      ]),
    );
  });

  it('reads that fail are omitted', async () => {
    expect([...(await read({ a: answered(404, 'NOT_FOUND'), c: odd })).keys()]).toEqual(['b']);
  });

  it('if all reads fail, the first error is thrown', async () => {
    const first = answered(503, 'SERVICE_UNAVAILABLE');
    await expect(read({ a: first, b: odd, c: odd })).rejects.toBe(first);
  });

  it('an error of the whole run fails all reads together', async () => {
    const refused = answered(401, 'UNAUTHORIZED');
    await expect(read({ b: refused })).rejects.toBe(refused);
  });

  it('a call without items returns no results', async () => {
    expect(await readEach([], () => Promise.reject(odd))).toEqual(new Map());
  });

  it('at most eight reads run at a time', async () => {
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
