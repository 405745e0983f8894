// Tests that polls continue after errors, choose their interval, and end when they are stopped.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { pollUntilStopped } from '../../../src/temporal/connection/poll-until-stopped.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('pollUntilStopped polls immediately and then at the interval, even after an error', async () => {
  const poll = vi.fn(() => Promise.reject<undefined>(new Error('no connection')));
  const stop = pollUntilStopped({ intervalMs: 100 }, poll);
  await vi.advanceTimersByTimeAsync(0);
  expect(poll).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(poll).toHaveBeenCalledTimes(3);
  stop();
});

it('pollUntilStopped waits for the interval that the poll returns', async () => {
  const poll = vi.fn(() => Promise.resolve(1_000));
  const stop = pollUntilStopped({ intervalMs: 100, firstMs: 50 }, poll);
  await vi.advanceTimersByTimeAsync(49);
  expect(poll).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(poll).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(poll).toHaveBeenCalledTimes(2);
  stop();
});

it('pollUntilStopped reports the stop to a running poll, and does not poll again', async () => {
  const seen: boolean[] = [];
  const poll = vi.fn(async (isStopped: () => boolean) => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    seen.push(isStopped());
    return undefined;
  });
  const stop = pollUntilStopped({ intervalMs: 100 }, poll);
  await vi.advanceTimersByTimeAsync(5);
  stop();
  await vi.advanceTimersByTimeAsync(1_000);
  expect([seen, poll.mock.calls.length]).toEqual([[true], 1]);
});
