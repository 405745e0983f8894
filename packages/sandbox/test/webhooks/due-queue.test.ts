// The due queue compared with a simple list, for random operations.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DueQueue } from '../../src/webhooks/due-queue.ts';

const step = fc.oneof(
  fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    at: fc.integer({ min: 0, max: 50 }),
  }),
  fc.record({ now: fc.integer({ min: 0, max: 50 }) }),
);

test('the queue returns each key once, at its latest time, with the earliest key first', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const queue = new DueQueue();
      const plain = new Map<string, number>();
      for (const asked of steps) {
        if ('key' in asked) {
          queue.set(asked.key, asked.at);
          plain.set(asked.key, asked.at);
          continue;
        }
        const due = queue.due(asked.now);
        const wanted = [...plain].filter(([, at]) => at <= asked.now);
        expect(new Map(due.map(({ key, at }) => [key, at]))).toEqual(new Map(wanted));
        expect(due).toHaveLength(wanted.length);
        expect(due.map(({ at }) => at)).toEqual(
          wanted.map(([, at]) => at).toSorted((a, b) => a - b),
        );
        for (const [key] of wanted) plain.delete(key);
        expect(queue.next).toBe(plain.size === 0 ? undefined : Math.min(...plain.values()));
      }
    }),
  );
});
