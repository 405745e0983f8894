// One bad id must not fail a call with many assets.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError, createApiError, TransportError } from '../../src/api/errors/errors.ts';
import { splitCall } from '../../src/engine/submit/split-call.ts';
import type { Asset, AssetResult } from '../../src/plan/types.ts';
import { asset, done } from '../plan/_steps.ts';

const refusal = (status: number, code: string) =>
  createApiError({ status, code, operation: 'createProjects', detail: 'item is not right' });

/** Refuses all calls that contain a bad asset, and records the sizes of the calls. */
function platform(bad: readonly string[], error: Error = refusal(404, 'NOT_FOUND')) {
  const calls: string[][] = [];
  const send = (part: readonly Asset[]): Promise<AssetResult[]> => {
    calls.push(part.map(({ key }) => key));
    if (part.some(({ key }) => bad.includes(key))) return Promise.reject(error);
    return Promise.resolve(part.map(({ key }) => done(key)));
  };
  return { calls, send };
}

const nowMs = 1_000_000;
const clock = { client: { consistencyWindowMs: 120_000 }, now: () => nowMs };

const many = (count: number) => Array.from({ length: count }, (_, index) => asset(`k${index}`));

describe('splitCall', () => {
  it('one call is made if all ids are good', async () => {
    const { calls, send } = platform([]);
    expect(await splitCall(many(50), send, clock)).toHaveLength(50);
    expect(calls).toHaveLength(1);
  });

  it('no call is made without assets', async () => {
    const { calls, send } = platform([]);
    expect(await splitCall([], send, clock)).toEqual([]);
    expect(calls).toEqual([]);
  });

  it('the call is halved until the bad id is alone, which takes about twice log2 calls', async () => {
    const { calls, send } = platform(['k17']);
    const results = await splitCall(many(50), send, clock, ['projectId']);
    const failed = results.filter(({ outcome }) => outcome === 'failed');
    expect(failed).toEqual([
      {
        key: 'k17',
        outcome: 'failed',
        code: 'NOT_FOUND',
        message: 'item is not right',
        forgetIds: ['projectId'],
        missing: true,
      },
    ]);
    expect(results.filter(({ outcome }) => outcome === 'done')).toHaveLength(49);
    expect(calls.length).toBeLessThanOrEqual(1 + 2 * 6);
  });

  it.each([
    [400, 'VALIDATION_ERROR'],
    [404, 'NOT_FOUND'],
  ])('only the bad asset fails on status %d', async (status, code) => {
    const { send } = platform(['k1'], refusal(status, code));
    expect(await splitCall(many(2), send, clock)).toMatchObject([
      { key: 'k0', outcome: 'done' },
      { key: 'k1', outcome: 'failed', code },
    ]);
  });

  it.each([
    ['a moment', 5_000, 2_500],
    ['nearly two minutes', 119_000, 15_000],
  ])(
    'the call is retried later on 404 if one of many assets was created %s ago',
    async (_name, agoMs, delayMs) => {
      const young = { ...asset('young'), platformIds: { lastCreatedAtMs: nowMs - agoMs } };
      const { calls, send } = platform(['young']);
      const ended = splitCall([...many(8), young], send, clock);
      await expect(ended).rejects.toMatchObject({ name: 'NotVisibleYetError', delayMs });
      expect(calls).toHaveLength(1);
    },
  );

  it('the asset fails on 404 if its objects were created two minutes ago, and on 400 in any case', async () => {
    const old = { ...asset('old'), platformIds: { lastCreatedAtMs: nowMs - 120_000 } };
    const gone = await splitCall([old], platform(['old']).send, clock);
    expect(gone).toMatchObject([{ outcome: 'failed', missing: true }]);
    const young = { ...asset('young'), platformIds: { lastCreatedAtMs: nowMs } };
    const { send } = platform(['young'], refusal(400, 'VALIDATION_ERROR'));
    expect(await splitCall([young], send, clock)).toMatchObject([{ outcome: 'failed' }]);
  });

  it.each([
    ['a wrong key', refusal(401, 'INVALID_API_KEY')],
    ['an exhausted plan', refusal(403, 'PLAN_LIMIT_REACHED')],
    ['an idempotency key in use', refusal(409, 'IDEMPOTENCY_CONFLICT')],
    ['an idempotency key used for another request', refusal(422, 'IDEMPOTENCY_KEY_REUSED')],
    ['a spent allowance', refusal(429, 'RATE_LIMITED')],
    ['a server error', refusal(500, 'INTERNAL_ERROR')],
    ['a broken connection', new TransportError('createProjects', 'sent', 'ECONNRESET', 'reset')],
  ])('a call is not split after %s', async (_name, error) => {
    const { calls, send } = platform(['k1'], error);
    await expect(splitCall(many(8), send, clock)).rejects.toBe(error);
    expect(calls).toHaveLength(1);
  });

  it('each bad asset fails alone, and all the others complete', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 50 }), fc.array(fc.nat(49)), async (count, at) => {
        const bad = [...new Set(at.filter((index) => index < count).map((index) => `k${index}`))];
        const { send } = platform(bad);
        const results = await splitCall(many(count), send, clock);
        expect(results.map(({ key }) => key)).toEqual(many(count).map(({ key }) => key));
        const failed = results.filter(({ outcome }) => outcome === 'failed');
        expect(failed.map(({ key }) => key).toSorted()).toEqual(bad.toSorted());
      }),
    );
  });

  it("the platform's message is kept", async () => {
    expect(refusal(400, 'X')).toBeInstanceOf(ApiError);
    const { send } = platform(['k0'], refusal(400, 'X'));
    expect(await splitCall(many(1), send, clock)).toMatchObject([{ message: 'item is not right' }]);
  });
});
