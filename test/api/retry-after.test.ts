import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clampDelayMs,
  findRequestedDelayMs,
  parseReset,
  parseRetryAfter,
  parseServerDate,
  readRateHeaders,
} from '../../src/api/errors/retry-after.ts';

const nowMs = Date.UTC(2026, 10, 21, 6, 0, 0);
const nowSeconds = nowMs / 1000;

describe('Retry-After', () => {
  it.each([
    ['7', 7000],
    ['0', 0],
    [' 2 ', 2000],
    ['1.5', 1500],
    ['Sat, 21 Nov 2026 06:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 05:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('the value %j is %j ms', (text, expected) => {
    expect(parseRetryAfter(text, nowMs)).toBe(expected);
  });
});

describe('X-RateLimit-Reset', () => {
  it.each([
    ['epoch seconds', String(nowSeconds + 42), 42_000],
    ['epoch milliseconds', String(nowMs + 42_000), 42_000],
    ['a delta in seconds', '42', 42_000],
    ['a time in the past', String(nowSeconds - 5), 0],
    ['text that is not a number', 'tomorrow', undefined],
  ])('the header may contain %s', (_, text, expected) => {
    expect(parseReset(text, nowMs)).toBe(expected);
  });
});

describe('the delay that a response demands', () => {
  const headers = (values: Record<string, string>) =>
    findRequestedDelayMs(readRateHeaders(values, nowMs));

  it.each([
    ['the longer of the two', { 'retry-after': '3', 'x-ratelimit-reset': '20' }, 20_000],
    ['not 0, which would end an activity', { 'retry-after': '0' }, 250],
    [
      'not 0 while the window is still open',
      { 'retry-after': '0', 'x-ratelimit-reset': '9' },
      9000,
    ],
    ['never more than two minutes', { 'retry-after': '86400' }, 120_000],
    ['none without headers', {}, undefined],
  ])('the delay is %s', (_, values, expected) => {
    expect(headers(values as Record<string, string>)).toBe(expected);
  });

  it.each([-600, 0, 600])(
    'the delay does not depend on the local clock, even if it is off by %i s',
    (skewSeconds) => {
      const rate = readRateHeaders(
        {
          date: new Date(nowMs).toUTCString(),
          'x-ratelimit-reset': String(nowSeconds + 30),
        },
        nowMs + skewSeconds * 1000,
      );
      expect(rate.resetInMs).toBe(30_000);
    },
  );

  it('the delay stays within its bounds for any header text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (retryAfter, reset) => {
        const delayMs = headers({ 'retry-after': retryAfter, 'x-ratelimit-reset': reset });
        return delayMs === undefined || (delayMs >= 250 && delayMs <= 120_000);
      }),
    );
  });
});

describe('other headers', () => {
  it('the limit and the remaining requests are read, and invalid values are ignored', () => {
    expect(
      readRateHeaders({ 'x-ratelimit-limit': '600', 'x-ratelimit-remaining': '0' }, nowMs),
    ).toEqual({ limit: 600, remaining: 0 });
    expect(readRateHeaders({ 'x-ratelimit-limit': '0' }, nowMs)).toEqual({});
    expect(readRateHeaders({ 'x-ratelimit-limit': 'many' }, nowMs)).toEqual({});
  });

  it('the first value of a repeated header is used', () => {
    expect(readRateHeaders({ 'retry-after': ['4', '9'] }, nowMs)).toEqual({ retryAfterMs: 4000 });
  });

  it('the clock of the platform is read', () => {
    expect(parseServerDate({ date: 'Sat, 21 Nov 2026 06:00:00 GMT' })).toBe(nowMs);
    expect(parseServerDate({ date: 'yesterday' })).toBeUndefined();
    expect(parseServerDate({})).toBeUndefined();
  });

  it.each([
    [-1, 250],
    [0, 250],
    [1000, 1000],
    [1e9, 120_000],
  ])('the delay %i is clamped to %i', (delayMs, expected) => {
    expect(clampDelayMs(delayMs)).toBe(expected);
  });
});
