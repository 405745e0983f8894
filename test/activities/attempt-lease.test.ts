// An attempt that was suspended for too long writes nothing any more.
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AttemptLease } from '../../activities/attempt-lease.ts';
import { noWorkflows } from '../engine/_context.ts';

let nowMs: number;
let asked: number;
/** The server's answers, one for each question; the last one repeats. */
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
    elapsed: () => nowMs,
  };
  const run = () => work(new AttemptLease(deps));
  const info = { currentAttemptScheduledTimestampMs: sinceMs };
  const ended = new MockActivityEnvironment(info).run(run) as Promise<T>;
  ended.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(30_000);
  return ended;
}

it('does not ask while the attempt has just started, and at most once in ten seconds after that', async () => {
  await inAttempt(async (lease) => {
    for (let second = 0; second < 40; second += 1) {
      await Promise.all([lease.assertLease(), lease.assertLease()]);
      nowMs += 1_000;
    }
  });
  expect(asked).toBe(3);
});

it('asks at once where a run that was ended a moment ago would not know', async () => {
  answers = [true, false];
  const ended = inAttempt(async (lease) => {
    await lease.confirmNow();
    await lease.confirmNow();
  });
  await expect(ended).rejects.toMatchObject({ name: 'StaleAttemptError' });
});

it('ends an attempt that another attempt has replaced', async () => {
  answers = [false];
  const ended = inAttempt(async (lease) => {
    nowMs += 60_000;
    await lease.assertLease();
  });
  await expect(ended).rejects.toMatchObject({ name: 'StaleAttemptError' });
});

it('asks at once where the worker slept before it took up what it was given', async () => {
  answers = [false];
  const ended = inAttempt((lease) => lease.assertLease(), nowMs - 24_000);
  await expect(ended).rejects.toMatchObject({ name: 'StaleAttemptError' });
});

it('continues if the server was unreachable for a moment', async () => {
  answers = [away, away, true];
  await inAttempt(async (lease) => {
    nowMs += 60_000;
    await lease.assertLease();
  });
  expect(asked).toBe(3);
});

it('writes nothing while the server is unreachable: the attempt fails and is retried', async () => {
  answers = [away];
  const ended = inAttempt(async (lease) => {
    nowMs += 60_000;
    await lease.assertLease();
  });
  await expect(ended).rejects.toThrow('UNAVAILABLE');
  expect(asked).toBe(10);
});
