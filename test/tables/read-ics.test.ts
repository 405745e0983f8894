// Calendars (.ics) as programs export them: their all-day events become days.
import { describe, expect, it } from 'vitest';
import { parseDay } from '../../src/language/calendar/days.ts';
import { readIcs } from '../../src/tables/read-ics.ts';

const range = { first: parseDay('2026-01-01') ?? 0, last: parseDay('2028-12-31') ?? 0 };

const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test', ...lines, 'END:VCALENDAR', ''].join('\r\n');

let events = 0;
const event = (...lines: string[]) => {
  events += 1;
  return ['BEGIN:VEVENT', `UID:${events}`, ...lines, 'END:VEVENT'].join('\r\n');
};

const read = (text: string) => readIcs(new TextEncoder().encode(text), range);

describe('the days of a calendar', () => {
  it.each<[name: string, text: string, days: string[], last: string | null]>([
    ['a day', calendar(event('DTSTART;VALUE=DATE:20261225')), ['2026-12-25'], '2026-12-25'],
    [
      'several days, whose end is the day after the last one',
      calendar(event('DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20261227')),
      ['2026-12-24', '2026-12-25', '2026-12-26'],
      '2026-12-26',
    ],
    [
      'a day that ends on the day of its start',
      calendar(event('DTSTART;VALUE=DATE:20270101', 'DTEND;VALUE=DATE:20270101')),
      ['2027-01-01'],
      '2027-01-01',
    ],
    [
      'a day from midnight to midnight, as Outlook writes it',
      calendar(
        event(
          'DTSTART;TZID=Europe/Berlin:20261231T000000',
          'DTEND;TZID=Europe/Berlin:20270101T000000',
        ),
      ),
      ['2026-12-31'],
      '2026-12-31',
    ],
    [
      'every year without an end, with one exception',
      calendar(
        event('DTSTART;VALUE=DATE:20200501', 'RRULE:FREQ=YEARLY', 'EXDATE;VALUE=DATE:20270501'),
      ),
      ['2026-05-01', '2028-05-01'],
      null,
    ],
    [
      'the fourth Thursday of November, three times',
      calendar(
        event('DTSTART;VALUE=DATE:20261126', 'RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;COUNT=3'),
      ),
      ['2026-11-26', '2027-11-25', '2028-11-23'],
      '2028-11-23',
    ],
    [
      'a leap day every year',
      calendar(event('DTSTART;VALUE=DATE:20240229', 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29')),
      ['2028-02-29'],
      null,
    ],
    [
      'an event with one moved occurrence',
      calendar(
        'BEGIN:VEVENT\r\nUID:m\r\nDTSTART;VALUE=DATE:20270104\r\nRRULE:FREQ=WEEKLY;COUNT=2\r\nEND:VEVENT',
        'BEGIN:VEVENT\r\nUID:m\r\nRECURRENCE-ID;VALUE=DATE:20270111\r\nDTSTART;VALUE=DATE:20270112\r\nEND:VEVENT',
      ),
      ['2027-01-04', '2027-01-12'],
      '2027-01-12',
    ],
    [
      'several calendars in one file, with folded lines and a duplicate day',
      calendar(event('SUMMARY:Weihnach\r\n ten', 'DTSTART;VALUE=DATE:2026\r\n 1225')) +
        calendar(event('DTSTART;VALUE=DATE:20261225')),
      ['2026-12-25'],
      '2026-12-25',
    ],
    [
      'lines with Unix line endings, after a byte order mark',
      `\uFEFF${calendar(event('DTSTART;VALUE=DATE:20261225')).replaceAll('\r\n', '\n')}`,
      ['2026-12-25'],
      '2026-12-25',
    ],
    ['last year', calendar(event('DTSTART;VALUE=DATE:20251225')), [], '2025-12-25'],
    [
      'a cancelled event',
      calendar(
        event('DTSTART;VALUE=DATE:20261225', 'STATUS:CANCELLED'),
        event('DTSTART;VALUE=DATE:20261226'),
      ),
      ['2026-12-26'],
      '2026-12-26',
    ],
  ])('the days of a calendar are read: %s', async (_name, text, days, last) => {
    expect(await read(text)).toMatchObject({ days, last, partial: 0 });
  });
});

it.each([
  ['hours of a day', event('DTSTART:20261231T100000Z', 'DURATION:PT2H')],
  [
    'a day in UTC, which is not a whole day in other time zones',
    event('DTSTART:20261224T000000Z', 'DTEND:20261225T000000Z'),
  ],
  ['an hour every week', event('DTSTART:20261231T100000', 'RRULE:FREQ=WEEKLY')],
  ['every hour', event('DTSTART;VALUE=DATE:20261231', 'RRULE:FREQ=HOURLY')],
])('the event "%s" is counted, but has no day', async (_name, text) => {
  expect(await read(calendar(text))).toMatchObject({ days: [], events: 1, partial: 1 });
});

it('a calendar without events is valid', async () => {
  expect(await read(calendar())).toEqual({ days: [], last: null, events: 0, partial: 0 });
});

it.each([
  ['an empty file', '', 'is not a calendar (.ics)'],
  ['a web page', '<!doctype html>', 'is not a calendar (.ics)'],
  ['a truncated calendar', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1', 'cannot be read: '],
  ['an event without a start', calendar(event('SUMMARY:x')), 'has an event without DTSTART'],
  ['an invalid date', calendar(event('DTSTART;VALUE=DATE:2026')), 'cannot be read: '],
  [
    'an invalid rule',
    calendar(event('DTSTART;VALUE=DATE:20260101', 'RRULE:FREQ=OFTEN')),
    'cannot be read: ',
  ],
])('%s is refused', async (_name, text, message) => {
  await expect(read(text)).rejects.toThrow(message);
});

it('a rule that never matches is abandoned at the time limit', async () => {
  const rule = 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30';
  const bytes = new TextEncoder().encode(calendar(event('DTSTART;VALUE=DATE:20260101', rule)));
  const bounds = { memoryBytes: 128 * 1024 ** 2, timeoutMs: 500 };
  await expect(readIcs(bytes, range, bounds)).rejects.toThrow(
    'needs more than 0.5 s to be read; reduce its size, or write it as a list of days under `except`',
  );
});
