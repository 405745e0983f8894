// Calendars (.ics) of schedules. `apply` reads them through the connectors of the file, and they are checked later.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type CalendarFile,
  dayWarningsOf,
  hashCalendar,
  readScheduleDays,
} from '../../../src/app/schedules/calendars.ts';
import { formatDayFacts } from '../../../src/app/schedules/format-day-facts.ts';
import type { ScheduleDeclaration } from '../../../src/compile/schedule.ts';
import { parseDay } from '../../../src/language/calendar/days.ts';
import { maxIcsBytes } from '../../../src/tables/read-ics.ts';

const nowMs = Date.UTC(2026, 10, 27, 12);

const declaration: ScheduleDeclaration = {
  name: null,
  cron: ['0 1 * * *'],
  interval: null,
  timezone: 'Europe/Berlin',
  overlap: 'skip',
  catchUpMs: 0,
  jitterMs: 0,
  paused: null,
  parameters: {},
  from: null,
  until: null,
  except: { days: [], weekdays: [], calendars: [{ connector: 'office', path: 'off.ics' }] },
  onExcept: 'skip',
  clockChange: null,
};

const event = (...days: string[]) =>
  days.map((day) => `BEGIN:VEVENT\r\nUID:${day}\r\nDTSTART;VALUE=DATE:${day}\r\nEND:VEVENT\r\n`);
const calendar = (...events: string[]) =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${events.join('')}END:VCALENDAR\r\n`;

const root = mkdtempSync(join(tmpdir(), 'renderline-calendars-'));
afterAll(() => rmSync(root, { recursive: true }));

function officeWith(text: string | null) {
  const path = mkdtempSync(join(root, 'office-'));
  if (text !== null) writeFileSync(join(path, 'off.ics'), text);
  return { connectors: { office: { type: 'local', path } } };
}

describe('a calendar', () => {
  it('a calendar is read through its connector, and is shown with its fingerprint', async () => {
    const office = officeWith(calendar(...event('20261225', '20261226', '20301225')));
    const { days, calendars } = await readScheduleDays(declaration, office, nowMs);
    const { sha256 = '' } = calendars[0] ?? {};
    expect(calendars).toEqual([
      {
        connector: 'office',
        path: 'off.ics',
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        days: 2,
        last: '2030-12-25',
        partial: 0,
      },
    ]);
    const extra = days.extra.map(({ times }) => times);
    expect(formatDayFacts({ ...days, extra, calendars, timezone: 'Europe/Berlin' })).toEqual({
      except: '2026-12-25..2026-12-26',
      calendars: `off.ics: 2 days, ends 2030-12-25, sha256 ${sha256.slice(0, 12)}`,
      computedTo: '2028-12-31',
    });
    const source = { connector: 'office', path: 'off.ics' };
    expect(await hashCalendar(source, office)).toBe(sha256);
    const changed = officeWith(calendar(...event('20261225')));
    expect(await hashCalendar(source, changed)).not.toBe(sha256);
  });

  it.each([
    ['is missing', null, 'does not exist.'],
    ['has no events', calendar(), 'has no events.'],
    [
      'has no event of a whole day',
      calendar('BEGIN:VEVENT\r\nUID:1\r\nDTSTART:20261225T100000\r\nEND:VEVENT\r\n'),
      'has 1 event, but no all-day event.',
    ],
    ['is an HTML page', '<!doctype html>', 'is not a calendar (.ics).'],
    ['is too large', calendar('x'.repeat(maxIcsBytes)), /off\.ics/],
  ])('a calendar that %s is refused before anything is applied', async (_name, text, message) => {
    await expect(readScheduleDays(declaration, officeWith(text), nowMs)).rejects.toThrow(message);
  });
});

describe('warnings about outdated days', () => {
  const file = (last: string | null, days = 9): CalendarFile => ({
    connector: 'office',
    path: 'off.ics',
    sha256: '',
    days,
    last,
    partial: 0,
  });
  const ends = (last: string) =>
    `off.ics ends on ${last}, before the schedule ends, so runs also start on later holidays. Replace the calendar, then apply the file again.`;

  const rows: [
    name: string,
    calendars: CalendarFile[],
    knownTo: string | null,
    until: string | null,
    warnings: string[],
  ][] = [
    ['no warning without calendars', [], null, null, []],
    ['no warning for a calendar of next year', [file('2027-12-26')], '2028-12-31', null, []],
    ['no warning for a calendar that repeats forever', [file(null)], '2028-12-31', null, []],
    [
      'a warning for a calendar that ends in a month',
      [file('2026-12-26')],
      '2028-12-31',
      null,
      [ends('2026-12-26')],
    ],
    [
      'a warning for a calendar of last year',
      [file('2025-12-26')],
      '2028-12-31',
      null,
      [ends('2025-12-26')],
    ],
    [
      'a warning for a calendar that ends before `until`',
      [file('2027-01-06')],
      '2028-12-31',
      '2027-03-31',
      [ends('2027-01-06')],
    ],
    ['no warning after `until`', [file('2025-12-26')], '2028-12-31', '2026-11-01', []],
    [
      'a warning for a calendar with no days in these years',
      [file('2025-12-26', 0)],
      '2028-12-31',
      null,
      [
        'off.ics has no days since 1 January of last year, so runs also start on later holidays. Replace the calendar, then apply the file again.',
      ],
    ],
    [
      'a warning for days that were computed two years ago',
      [],
      '2026-12-20',
      null,
      [
        'Exceptions, moved starts and daylight-saving changes are computed only until 2026-12-20. Apply the file again to extend them.',
      ],
    ],
  ];
  it.each(rows)('dayWarningsOf() returns %s', (_name, calendars, knownTo, until, warnings) => {
    const endAtMs = until === null ? null : Date.parse(`${until}T22:59:59Z`);
    const known = { calendars, timezone: 'Europe/Berlin', endAtMs };
    const day = knownTo === null ? null : parseDay(knownTo);
    expect(dayWarningsOf({ ...known, knownTo: day }, nowMs)).toEqual(warnings);
  });
});

it('a long list of days is shortened, and its hash differs if one day differs', () => {
  const days = (last: number) => ({
    second: [...Array(60).keys()],
    minute: [...Array(60).keys()],
    hour: [...Array(24).keys()],
    dayOfMonth: [1, 3, 5, 7, 9, 11, 13, 15, last],
    month: [1],
    year: [2027],
    dayOfWeek: [0, 1, 2, 3, 4, 5, 6],
  });
  const [one, other] = [17, 18].map((last) => {
    const none = { extra: [], instantsMs: [], calendars: [], knownTo: null };
    const season = { startAtMs: null, endAtMs: null, timezone: 'UTC' };
    return formatDayFacts({ ...none, ...season, skip: [days(last)] })['except'];
  });
  expect(one).toMatch(/^2027-01-01, .*2027-01-15, … 9 in all \([0-9a-f]{8}\)$/);
  expect(one).not.toBe(other);
});
