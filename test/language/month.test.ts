// Calendar months of a time zone.
import { expect, test } from 'vitest';
import { monthOf } from '../../src/language/calendar/month.ts';

test.each([
  ['an instant within a month', '2026-11-27T10:00Z', 'UTC', '2026-11', '2026-12-01T00:00Z'],
  ['the first instant of a month', '2026-11-01T00:00Z', 'UTC', '2026-11', '2026-12-01T00:00Z'],
  [
    'the last millisecond of a month',
    '2026-11-30T23:59:59.999Z',
    'UTC',
    '2026-11',
    '2026-12-01T00:00Z',
  ],
  ['the end of a year', '2026-12-31T23:00Z', 'UTC', '2026-12', '2027-01-01T00:00Z'],
  ['a leap day', '2028-02-29T12:00Z', 'UTC', '2028-02', '2028-03-01T00:00Z'],
  ['a zone ahead of UTC', '2026-11-30T23:30Z', 'Europe/Berlin', '2026-12', '2026-12-31T23:00Z'],
  ['a zone behind UTC', '2026-12-01T03:00Z', 'America/Chicago', '2026-11', '2026-12-01T06:00Z'],
  ['the end of summer time', '2026-10-15T12:00Z', 'Europe/Berlin', '2026-10', '2026-10-31T23:00Z'],
  [
    'the start of summer time',
    '2026-03-20T12:00Z',
    'Europe/Berlin',
    '2026-03',
    '2026-03-31T22:00Z',
  ],
])('the month is found for %s', (_what, at, timezone, name, end) => {
  expect(monthOf(Date.parse(at), timezone)).toEqual({ name, endsAtMs: Date.parse(end) });
});
