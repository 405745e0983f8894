// Tests that a fault of the receiver is logged when it starts and when it ends, and does not fill the log in between.
import { expect, test } from 'vitest';
import { Readiness } from '../../src/receiver/readiness.ts';

const away = {
  code: 'TEMPORAL_UNREACHABLE',
  message: 'nobody answers',
  fix: 'start it\n  or wait',
};
const locked = { code: 'CODEC_KEY_MISSING', message: 'the key "a" is not here', fix: 'set it' };

function watched() {
  const lines: string[] = [];
  let nowMs = 0;
  const log = {
    error: ({ code, fix }: { code: string; fix: string }, message: string) =>
      void lines.push(`${code} ${message} ${fix}`),
    warn: (message: string) => void lines.push(message),
  };
  const readiness = new Readiness(log, () => nowMs);
  return {
    readiness,
    lines,
    later: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('a fault is logged once with its fix, and once when it ends', () => {
  const { readiness, lines } = watched();
  readiness.set(null);
  for (let times = 0; times < 27; times += 1) readiness.set(away);
  expect(readiness.problem).toEqual(away);
  readiness.set(null);
  expect(readiness.problem).toBeNull();
  expect(lines).toEqual([
    expect.stringMatching(/^TEMPORAL_UNREACHABLE .*503.*: nobody answers start it; or wait$/),
    expect.stringContaining('accepted again'),
  ]);
});

test('another fault is logged too', () => {
  const { readiness, lines } = watched();
  readiness.set(away);
  readiness.set(locked);
  expect(readiness.problem?.code).toBe('CODEC_KEY_MISSING');
  expect(lines.map((line) => line.split(' ')[0])).toEqual([away.code, locked.code]);
});

test('a recurring fault is logged once an hour', () => {
  const { readiness, lines, later } = watched();
  for (let times = 0; times < 100; times += 1) {
    readiness.set(away);
    readiness.set(null);
    later(60_000);
  }
  expect(lines).toHaveLength(4);
});
