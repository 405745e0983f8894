// What was seen outlives the one that saw it, also where it was forgotten.
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

describe('handed on', () => {
  test.each([
    ['what is remembered', 'b', 200, 'repeated'],
    ['what was forgotten', 'a', 100, 'stale'],
    ['what is as old as what was forgotten', 'x', 100, 'stale'],
    ['what is younger', 'x', 101, 'new'],
    ['what does not say when', 'x', null, 'new'],
  ] as const)('%s', (_what, id, atMs, judged) => {
    const next = new EventDeduplicator(bounds, JSON.parse(JSON.stringify(full().carried())));
    expect(full().classify(id, atMs, nowMs)).toBe(judged);
    expect(next.classify(id, atMs, nowMs)).toBe(judged);
  });
});
