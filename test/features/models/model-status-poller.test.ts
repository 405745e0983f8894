// Status of models for all waits of a worker: 100 ids per request, and one poll for simultaneous callers.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RequestCounter } from '../../../src/api/request-counter.ts';
import { createPollerContext } from '../../../src/engine/polling/poller-context.ts';
import {
  type ModelPollResult,
  modelStatusPoller,
} from '../../../src/features/models/model-status-poller.ts';
import { ScriptedPlatform } from '../../engine/_platform.ts';

let platform: ScriptedPlatform;
let nowMs: number;
let poll: (ids: string[], requests: RequestCounter) => Promise<Map<string, ModelPollResult | null>>;
beforeEach(async () => {
  platform = await ScriptedPlatform.start();
  nowMs = 1_000_000;
  const poller = modelStatusPoller(createPollerContext(platform.client, () => nowMs));
  poll = async (ids, requests) => {
    const known = await poller.poll(ids, { requests });
    return new Map([...known].map(([id, { status }]) => [id, status]));
  };
});
afterEach(() => platform.stop());

const many = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `m${from + index}`);
const status = 'POST /models/status';

describe('a poll of models', () => {
  it('a poll returns each status, and null for models that are not in the workspace', async () => {
    platform.models.set('a', { status: 'READY' });
    platform.models.set('b', { status: 'APPROVED' });
    platform.models.set('c', { status: 'ANALYZING' });
    platform.models.set('d', { status: 'FAILED', error: 'the download failed' });
    const looks = await poll(['a', 'b', 'c', 'd', 'gone'], new RequestCounter());
    expect(Object.fromEntries(looks)).toEqual({
      a: { status: 'READY', ready: true },
      b: { status: 'APPROVED', ready: true },
      c: { status: 'ANALYZING', ready: false },
      d: { status: 'FAILED', ready: false, error: 'the download failed' },
      gone: null,
    });
  });

  it('a poll returns an unknown status unchanged', async () => {
    platform.models.set('a', { status: 'SOMETHING_NEW' });
    const looks = await poll(['a'], new RequestCounter());
    expect(looks.get('a')).toEqual({ status: 'SOMETHING_NEW', ready: false });
  });

  it.each([
    [1, 1],
    [100, 1],
    [101, 2],
    [1_000, 10],
  ])('a poll of %d ids needs %d requests', async (ids, requests) => {
    await poll(many(0, ids), new RequestCounter());
    expect(platform.count(status)).toBe(requests);
  });

  it('a poll of 4 shards with 25 ids each is one request', async () => {
    for (const id of many(0, 100)) platform.models.set(id, { status: 'READY' });
    const shards = [0, 25, 50, 75].map((from) => many(from, 25));
    const looks = await Promise.all(shards.map((ids) => poll(ids, new RequestCounter())));
    expect(platform.count(status)).toBe(1);
    for (const [index, ids] of shards.entries()) {
      for (const id of ids) expect(looks[index]?.get(id)?.ready).toBe(true);
    }
  });

  it('a poll requests an id only once if two shards wait for it', async () => {
    const ids = many(0, 99);
    await Promise.all([poll(ids, new RequestCounter()), poll(ids, new RequestCounter())]);
    expect(platform.count(status)).toBe(1);
  });

  it('polls of full pages share no request: if one fails, the other succeeds', async () => {
    let isAnswered = false;
    platform.intercept = () => {
      if (isAnswered) return undefined;
      isAnswered = true;
      return { status: 500, body: { error: { code: 'INTERNAL_ERROR', message: 'no' } } };
    };
    const [few, page] = await Promise.allSettled([
      poll(many(0, 100), new RequestCounter()),
      poll(many(100, 100), new RequestCounter()),
    ]);
    expect([few.status, page.status].sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('the requests of a shared poll are counted only for the first caller', async () => {
    const [first, second] = [new RequestCounter(), new RequestCounter()];
    await Promise.all([poll(many(0, 60), first), poll(many(60, 60), second)]);
    expect(first.byOperation).toEqual({ checkModelStatus: 2 });
    expect(second.total).toBe(0);
  });

  it('a failed poll fails for all its callers, and the next poll sends a new request', async () => {
    platform.intercept = () => ({
      status: 500,
      body: { error: { code: 'INTERNAL_ERROR', message: 'no' } },
    });
    const asked = [poll(['a'], new RequestCounter()), poll(['b'], new RequestCounter())];
    const ends = await Promise.allSettled(asked);
    expect(ends.map(({ status: end }) => end)).toEqual(['rejected', 'rejected']);
    platform.intercept = () => undefined;
    nowMs += 1_000;
    expect(await poll(['a'], new RequestCounter())).toEqual(new Map([['a', null]]));
  });
});
