// Parsing of times in the past.
import { expect, test } from 'vitest';
import { RenderlineError } from '../../../src/app/renderline-error.ts';
import { parseSince } from '../../../src/app/report/parse-since.ts';

const now = new Date(2026, 10, 23, 14, 30).getTime();

test.each([
  ['today', new Date(2026, 10, 23)],
  ['yesterday', new Date(2026, 10, 22)],
  ['Yesterday', new Date(2026, 10, 22)],
  ['12h', new Date(2026, 10, 23, 2, 30)],
  ['2026-11-01', new Date(2026, 10, 1)],
  ['2026-11-01T02:00', new Date(2026, 10, 1, 2)],
  ['2026-11-01 02:00:00Z', new Date(Date.UTC(2026, 10, 1, 2))],
  ['2026-11-01T02:00Z', new Date(Date.UTC(2026, 10, 1, 2))],
])('the time %s is parsed', (text, at) => {
  expect(new Date(parseSince(text, now))).toEqual(at);
});

test('the longest time ago is a hundred years', () => {
  expect(new Date(parseSince('36500d', now)).getUTCFullYear()).toBe(1926);
  expect(() => parseSince('999999999d', now)).toThrow(
    '--since "999999999d" must be at most 36500d.',
  );
});

test.each(['', 'monday', '2026-13-01', '2026-02-30', '2026-02-30T02:00', '2026-12-01', '-1h'])(
  'the time %j is refused',
  (text) => {
    expect(() => parseSince(text, now)).toThrow(RenderlineError);
  },
);
