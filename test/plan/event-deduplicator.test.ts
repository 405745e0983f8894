// Carried state classifies events like the original, including events that are no longer in the list.
import { describe, expect, test } from 'vitest';
import { EventDeduplicator } from '../../src/plan/run/event-deduplicator.ts';

const bounds = { max: 2, freshForMs: Number.POSITIVE_INFINITY };
const nowMs = 10_000;

function full(): EventDeduplicator {
  const seen = new EventDeduplicator(bounds);
  for (const [id, atMs] of [
    ['a', 100],
    ['b', 200],
    ['c', 300],
  ] as const) {
    seen.add(id, atMs, nowMs);
  }
  return seen;
}

describe('a deduplicator that was carried over', () => {
  test.each([
    ['a remembered event', 'b', 200, 'repeated'],
    ['a forgotten event', 'a', 100, 'stale'],
    ['an event as old as a forgotten one', 'x', 100, 'stale'],
    ['a newer event', 'x', 101, 'new'],
    ['an event without a time', 'x', null, 'new'],
  ] as const)('a deduplicator that was carried over classifies %s', (_what, id, atMs, judged) => {
    const next = new EventDeduplicator(bounds, JSON.parse(JSON.stringify(full().carried())));
    expect(full().classify(id, atMs, nowMs)).toBe(judged);
    expect(next.classify(id, atMs, nowMs)).toBe(judged);
  });
});
