// Tests that an attempt that was suspended for too long stops writing.
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AttemptLease } from '../../activities/attempt-lease.ts';
import { noWorkflows } from '../engine/_context.ts';

let nowMs: number;
let asked: number;
/** The responses of the server, one for each query. The last one repeats. */
let answers: (boolean | Error)[];
beforeEach(() => {
  vi.useFakeTimers();
  [nowMs, asked, answers] = [1_000_000, 0, [true]];
});
afterEach(() => vi.useRealTimers());

const away = new Error('14 UNAVAILABLE');

/** @param sinceMs when the server gave the attempt to the worker */
async function inAttempt<T>(
  work: (lease: AttemptLease) => Promise<T>,
  sinceMs = nowMs,
): Promise<T> {
  const isAttemptCurrent = async () => {
    const answer = answers[Math.min(asked, answers.length - 1)] ?? true;
    asked += 1;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const deps = {
    workflows: { ...noWorkflows, isAttemptCurrent },
    now: () => nowMs,
    monotonicNow: () => nowMs,
  };
  const run = () => work(new AttemptLease(deps));
  const info = { currentAttemptScheduledTimestampMs: sinceMs };
  const ended = new MockActivityEnvironment(info).run(run) as Promise<T>;
  ended.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(30_000);
  return ended;
}

it('the server is not queried for a new attempt, and later is queried at most once every ten seconds', async () => {
  await inAttempt(async (lease) => {
    for (let second = 0; second < 40; second += 1) {
      await Promise.all([lease.assertLease(), lease.assertLease()]);
      nowMs += 1_000;
    }
  });
  expect(asked).toBe(3);
});

it('confirmNow() queries immediately, and ends an attempt whose run has just ended', async () => {
  answers = [true, false];
  const ended = inAttempt(async (lease) => {
    await lease.confirmNow();
    await lease.confirmNow();
  });
  await expect(ended).rejects.toMatchObject({ name: 'StaleAttemptError' });
});

it('an attempt ends if another attempt has replaced it', async () => {
  answers = [false];
  const ended = inAttempt(async (lease) => {
    nowMs += 60_000;
    await lease.assertLease();
  });
  await expect(ended).rejects.toMatchObject({ name: 'StaleAttemptError' });
});

it('the server is queried immediately if the worker was suspended before it started the attempt', async () => {
  answers = [false];
  const ended = inAttempt((lease) => lease.assertLease(), nowMs - 24_000);
  await expect(ended).rejects.toMatchObject({ name: 'StaleAttemptError' });
});

it('an attempt continues if the server is unreachable only briefly', async () => {
  answers = [away, away, true];
  await inAttempt(async (lease) => {
    nowMs += 60_000;
    await lease.assertLease();
  });
  expect(asked).toBe(3);
});

it('an attempt fails after ten queries if the server stays unreachable', async () => {
  answers = [away];
  const ended = inAttempt(async (lease) => {
    nowMs += 60_000;
    await lease.assertLease();
  });
  await expect(ended).rejects.toThrow('UNAVAILABLE');
  expect(asked).toBe(10);
});
