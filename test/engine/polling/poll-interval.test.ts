// When the next poll is due.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  basePollIntervalMs,
  computeMsUntilInterval,
  pollGapMs,
  pollIntervalForMs,
} from '../../../src/engine/polling/poll-policy.ts';

describe('the poll interval', () => {
  it.each([
    [0, 1_000],
    [0.3, 1_000],
    [0.499, 1_000],
    [0.5, 1_000],
    [0.75, 2_750],
    [1, 8_000],
    [7, 8_000],
  ])('the interval at a pressure of %d is %d ms', (pressure, tickMs) => {
    expect(pollIntervalForMs(pressure)).toBe(tickMs);
  });

  it('the interval never shrinks while pressure grows', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (a, b) => {
          expect(pollIntervalForMs(Math.max(a, b))).toBeGreaterThanOrEqual(
            pollIntervalForMs(Math.min(a, b)),
          );
        },
      ),
    );
  });
});

describe('the minimum time between polls', () => {
  const budget = (pressure: number, limit: number | undefined) => ({
    pressure: () => pressure,
    limit,
  });

  it.each([
    ['if nothing has been spent', 0, 600, 50, 600],
    ['if less than half has been spent, whatever a poll costs', 0.49, 600, 50, 600],
    ['if the allowance is unknown', 0.9, undefined, 50, 3_288],
    ['if half has been spent, for a cheap poll', 0.5, 600, 1, 600],
    ['if half has been spent, for a poll of 1,000 models', 0.5, 600, 10, 4_000],
    ['if half has been spent, for a poll of 5,000 models', 0.5, 600, 50, 20_000],
    ['for a poll that costs more than the allowance', 0.5, 600, 900, 60_000],
    ['if everything has been spent', 1, 600, 1, 4_800],
  ])('pollGapMs() returns the minimum gap %s', (_name, pressure, limit, requests, gapMs) => {
    expect(pollGapMs(budget(pressure, limit), requests)).toBeCloseTo(gapMs, -1);
  });
});

describe('the time until the next tick', () => {
  it.each([
    ['at a tick', 5_000, 1_000, 1_000],
    ['between two ticks', 5_400, 1_000, 600],
    ['just before a tick, until the one after it', 5_900, 1_000, 1_100],
    ['exactly a quarter of a second before a tick', 5_750, 1_000, 250],
    ['with a long interval', 61_000, 20_000, 19_000],
  ])(
    'computeMsUntilInterval() returns the time until the next tick %s',
    (_name, nowMs, tickMs, delayMs) => {
      expect(computeMsUntilInterval(nowMs, tickMs)).toBe(delayMs);
    },
  );

  it('the time is never 0, which would end an activity, and always ends at a shared tick', () => {
    fc.assert(
      fc.property(
        fc.nat(10_000_000),
        fc.integer({ min: basePollIntervalMs, max: 20_000 }),
        (nowMs, tickMs) => {
          const delayMs = computeMsUntilInterval(nowMs, tickMs);
          expect(delayMs).toBeGreaterThanOrEqual(250);
          expect(delayMs).toBeLessThan(tickMs + 250);
          expect((nowMs + delayMs) % tickMs).toBe(0);
        },
      ),
    );
  });
});
