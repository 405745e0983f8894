// Timers of the rate limiter in skipped time.
import { expect, test, vi } from 'vitest';
import { SkippedTimers } from '../../../src/app/testing/workers/skipped-timers.ts';

function timersOf() {
  let nowMs = 1_000;
  const skipped: number[] = [];
  const timers = new SkippedTimers(
    () => nowMs,
    async (ms) => {
      skipped.push(ms);
      nowMs += ms;
    },
  );
  return { timers, skipped };
}

test('time is skipped to the next timer, and then to the one after it', async () => {
  const { timers, skipped } = timersOf();
  const rung: string[] = [];
  timers.after(60_000, () => rung.push('late'));
  timers.after(10_000, () => rung.push('soon'));
  await vi.waitFor(() => expect(rung).toEqual(['soon', 'late']));
  expect(skipped).toEqual([10_000, 50_000]);
});

test('cancelled timers and long timeouts skip no time', async () => {
  const { timers, skipped } = timersOf();
  timers.after(10_000, () => undefined)();
  const callOff = timers.after(600_000, () => undefined);
  const rung = vi.fn();
  timers.after(1_000, rung);
  await vi.waitFor(() => expect(rung).toHaveBeenCalled());
  expect(skipped).toEqual([1_000]);
  callOff();
});
