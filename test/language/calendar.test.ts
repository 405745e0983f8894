// Days as people write them and as Temporal's calendars match them, and starts that no cron expression can describe.
import { describe, expect, it } from 'vitest';
import { findClockChanges } from '../../src/language/calendar/clock-changes.ts';
import {
  type Day,
  dayOf,
  formatDay,
  formatDays,
  parseDay,
  startOfDay,
} from '../../src/language/calendar/days.ts';
import {
  calendarsOfDays,
  daysOfCalendars,
  isWorkday,
} from '../../src/language/calendar/excepted-days.ts';
import { everyValue, parseWeekday } from '../../src/language/cron.ts';

const day = (text: string): Day => parseDay(text) ?? Number.NaN;

describe('a day', () => {
  it.each(['2026-12-24', '2028-02-29', '2000-01-01', '2100-12-31'])(
    'the day %s is valid',
    (text) => {
      expect(formatDay(day(text))).toBe(text);
    },
  );

  it.each([
    '2027-02-29',
    '2100-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-04-31',
    '24.12.2026',
    '2026-12-4',
    '2026/12/24',
    '20261224',
    '1999-12-31',
    '2101-01-01',
    '',
  ])('the day %s is invalid', (text) => {
    expect(parseDay(text)).toBeNull();
  });

  it.each([
    ['UTC', '2026-12-24', '2026-12-24T00:00:00.000Z'],
    ['Europe/Berlin', '2026-12-24', '2026-12-23T23:00:00.000Z'],
    ['Europe/Berlin', '2027-03-28', '2027-03-27T23:00:00.000Z'],
    ['America/New_York', '2026-07-04', '2026-07-04T04:00:00.000Z'],
    ['Pacific/Auckland', '2027-01-01', '2026-12-31T11:00:00.000Z'],
  ])('in %s, the day %s starts at %s', (timezone, text, instant) => {
    const startMs = startOfDay(day(text), timezone);
    expect(new Date(startMs).toISOString()).toBe(instant);
    expect([dayOf(startMs, timezone), dayOf(startMs - 1, timezone)]).toEqual([
      day(text),
      day(text) - 1,
    ]);
  });

  it('consecutive days are shown as a range', () => {
    const texts = ['2026-12-24', '2026-12-25', '2026-12-26', '2026-12-31', '2027-01-01'];
    const shown = formatDays([...texts.map(day), day('2027-01-06')]);
    expect(shown).toEqual(['2026-12-24..2026-12-26', '2026-12-31..2027-01-01', '2027-01-06']);
  });

  it.each([
    ['SUN', 0],
    ['mon', 1],
    ['Saturday', 6],
    ['6', null],
    ['someday', null],
    ['2026-12-24', null],
  ])('the text "%s" as a day of the week is %s', (text, weekday) => {
    expect(parseWeekday(text)).toBe(weekday);
  });
});

describe('excepted days', () => {
  const some = (days: string[], weekdays: number[] = []) => ({
    days: new Set(days.map(day)),
    weekdays,
  });

  it.each([
    ['no days', some([]), 0],
    ['days of one month', some(['2026-12-24', '2026-12-26']), 1],
    ['days in several months, and weekdays', some(['2026-12-31', '2027-01-01'], [0, 6]), 3],
    ['a leap day', some(['2028-02-29']), 1],
  ])(
    'excepted days (%s) become calendars of whole days and can be read back from them',
    (_, excepted, calendars) => {
      const all = calendarsOfDays(excepted);
      expect(all).toHaveLength(calendars);
      expect(daysOfCalendars(all)).toEqual({ ...excepted, others: [] });
    },
  );

  it('excepted days read from an edited calendar are the days that it matches', () => {
    const mondays = { ...everyValue, year: [2027], month: [2], dayOfWeek: [1] };
    expect(daysOfCalendars([mondays])).toEqual({
      ...some(['2027-02-01', '2027-02-08', '2027-02-15', '2027-02-22']),
      others: [],
    });
    const february = { ...mondays, dayOfMonth: [28, 29, 30, 31], dayOfWeek: everyValue.dayOfWeek };
    expect(daysOfCalendars([february])).toEqual({ ...some(['2027-02-28']), others: [] });
  });

  it('400 holidays become one calendar per month', () => {
    const days = Array.from({ length: 400 }, (_, index) => day('2026-01-01') + 3 * index);
    expect(calendarsOfDays({ days: new Set(days), weekdays: [] })).toHaveLength(40);
  });

  it.each([
    ['2026-12-25', some(['2026-12-25']), false],
    ['2026-12-28', some(['2026-12-25']), true],
    ['2026-12-26', some(['2026-12-25']), false],
    ['2026-12-26', some(['2026-12-25'], [0]), true],
    ['2026-12-27', some(['2026-12-25'], [5, 6]), true],
  ])('excepted days decide whether %s is a workday (case %#)', (text, excepted, expected) => {
    expect(isWorkday(excepted, day(text))).toBe(expected);
  });
});

it.each([
  ['UTC', []],
  ['Europe/Berlin', ['2027-03-28T01:00:00.000Z +1', '2027-10-31T01:00:00.000Z -1']],
  ['America/New_York', ['2027-03-14T07:00:00.000Z +1', '2027-11-07T06:00:00.000Z -1']],
  ['Australia/Lord_Howe', ['2027-04-03T15:00:00.000Z -0.5', '2027-10-02T15:30:00.000Z +0.5']],
])('the clocks of %s change in 2027 at %j', (timezone, expected) => {
  const changes = findClockChanges(timezone, Date.UTC(2027, 0, 1), Date.UTC(2028, 0, 1));
  const shown = changes.map(({ atMs, offsetBeforeMs, offsetAfterMs }) => {
    const hours = (offsetAfterMs - offsetBeforeMs) / 3_600_000;
    return `${new Date(atMs).toISOString()} ${hours > 0 ? '+' : ''}${hours}`;
  });
  expect(shown).toEqual(expected);
});
