// A worker's first request. Transient errors are retried, but a wrong key is not.
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/api/client.ts';
import { ApiError, TransportError } from '../../../src/api/errors/errors.ts';
import { verifyKey } from '../../../src/app/worker/run-worker.ts';

const atOnce = async () => undefined;
const apiError = (status: number, code: string) =>
  new ApiError({ operation: 'getMe', status, code, detail: 'no' });
const refused = new TransportError('getMe', 'connect', 'ECONNREFUSED', 'no connection');

/** A client that throws these errors one after another and then returns the key's workspace. */
function platform(...errors: Error[]) {
  let requests = 0;
  const getMe = async () => {
    requests += 1;
    const error = errors.shift();
    if (error) throw error;
    return { workspace: { id: 'w', name: 'Shoes' }, apiKey: { name: null, expiresAt: null } };
  };
  // The tested code calls only this method.
  return { client: { getMe } as unknown as Client, requests: () => requests };
}

describe('the first request of a worker', () => {
  it.each([
    ['a 503', [apiError(503, 'INTERNAL_ERROR')]],
    ['connection errors', [refused, refused, refused, refused]],
  ])('the request is retried after %s', async (_what, errors) => {
    const { client, requests } = platform(...errors);
    const { signal } = new AbortController();
    expect(await verifyKey(client, signal, atOnce)).toEqual({ id: 'w', name: 'Shoes' });
    expect(requests()).toBe(errors.length + 1);
  });

  it.each([
    ['a wrong key', [apiError(401, 'INVALID_API_KEY')], 1],
    ['repeated connection errors', Array.from({ length: 9 }, () => refused), 5],
  ])('the request fails after %s', async (_what, errors, asked) => {
    const { client, requests } = platform(...errors);
    const { signal } = new AbortController();
    await expect(verifyKey(client, signal, atOnce)).rejects.toThrow();
    expect(requests()).toBe(asked);
  });

  it('the request is abandoned when the worker stops', async () => {
    const stop = new AbortController();
    const { client, requests } = platform(refused, refused);
    const ended = expect(verifyKey(client, stop.signal)).rejects.toBe(refused);
    stop.abort();
    await ended;
    expect(requests()).toBeLessThanOrEqual(2);
  });
});
