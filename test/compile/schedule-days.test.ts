// The days of a schedule: season, exceptions, moved starts, changes of the clock, and the position of every mistake.
import { describe, expect, it } from 'vitest';
import {
  computeDays,
  startTimesOn,
  toScheduleDays,
} from '../../src/compile/schedule/schedule-days.ts';
import { formatDay, parseDay } from '../../src/language/calendar/days.ts';
import { listNextStarts } from '../../src/language/next-starts.ts';
import { compile, placesOf, told, withNodes } from './_compile.ts';

/** The schedule begins on line 8. */
const withSchedule = (...lines: string[]) =>
  [withNodes(), 'schedule:', ...lines.map((line) => `  ${line}`)].join('\n');

function daysOf(lines: readonly string[], holidays: readonly string[] = []) {
  const text = withSchedule(...lines);
  const [declaration] = compile(text).schedules;
  if (declaration === undefined) throw new Error(told(text).join('\n'));
  const computed = computeDays(Date.UTC(2026, 10, 27));
  const days = toScheduleDays(
    declaration,
    holidays.flatMap((one) => parseDay(one) ?? []),
    computed,
  );
  return { declaration, days };
}

/** Starts after a time, by the local clock if that is UTC. */
function starts(lines: readonly string[], after: string, max: number, holidays: string[] = []) {
  const { declaration, days } = daysOf(lines, holidays);
  const found: string[] = [];
  for (const ms of listNextStarts(startTimesOn(declaration, days), Date.parse(`${after}Z`))) {
    found.push(new Date(ms).toISOString().slice(0, 19).replace(/:00$/, ''));
    if (found.length === max) break;
  }
  return found;
}

describe('starts of a schedule with days', () => {
  const rows: [name: string, lines: string[], after: string, expected: string[]][] = [
    [
      'of excepted days are left out',
      ['cron: "0 1 * * MON-SAT"', 'except: [2026-12-24..2026-12-26, 2027-01-01]'],
      '2026-12-23T00:00',
      ['2026-12-23T01:00', '2026-12-28T01:00', '2026-12-29T01:00', '2026-12-30T01:00'],
    ],
    [
      'are limited to the season, including its first and last day',
      ['cron: "0 1 * * *"', 'from: 2026-12-01', 'until: 2026-12-02'],
      '2026-11-01T00:00',
      ['2026-12-01T01:00', '2026-12-02T01:00'],
    ],
    [
      'may be in the first and the last minute of a season',
      ['cron: "0,59 0,23 * * *"', 'from: 2026-12-01', 'until: 2026-12-01'],
      '2026-11-01T00:00',
      ['2026-12-01T00:00', '2026-12-01T00:59', '2026-12-01T23:00', '2026-12-01T23:59'],
    ],
    [
      'of an interval use days in UTC',
      ['every: 12h', 'except: [SUN, 2026-12-25]', 'until: 2026-12-28'],
      '2026-12-24T00:00',
      ['2026-12-24T12:00', '2026-12-26T00:00', '2026-12-26T12:00', '2026-12-28T00:00'],
    ],
    [
      'on the first of the month move to the next workday',
      ['cron: "0 1 1 * *"', 'except: [2027-01-01, SAT, SUN]', 'onExcept: next_workday'],
      '2026-12-15T00:00',
      ['2027-01-04T01:00', '2027-02-01T01:00', '2027-03-01T01:00', '2027-04-01T01:00'],
    ],
    [
      'move beyond Saturday and Sunday, although these are not excepted',
      ['cron: "0 1 * * FRI"', 'except: [2026-12-25]', 'onExcept: next_workday'],
      '2026-12-20T00:00',
      ['2026-12-28T01:00', '2027-01-01T01:00'],
    ],
    [
      'move to Saturday if days of the week are excepted and Saturday is not one of them',
      ['cron: "0 1 * * FRI"', 'except: [2026-12-25, SUN]', 'onExcept: next_workday'],
      '2026-12-20T00:00',
      ['2026-12-26T01:00', '2027-01-01T01:00'],
    ],
    [
      'that occur on the next workday anyway are not added',
      ['cron: "0 1 * * *"', 'except: [2026-12-24, 2026-12-25]', 'onExcept: next_workday'],
      '2026-12-23T02:00',
      ['2026-12-26T01:00', '2026-12-27T01:00', '2026-12-28T01:00'],
    ],
    [
      'move neither out of the season nor into it',
      [
        'cron: "0 1 1 * *"',
        'except: [2027-01-01, 2027-03-01]',
        'onExcept: next_workday',
        'from: 2027-01-02',
        'until: 2027-03-01',
      ],
      '2026-12-01T00:00',
      ['2027-02-01T01:00'],
    ],
    [
      'of a leap day that is excepted move',
      ['cron: "0 1 29 2 *"', 'except: [2028-02-29]', 'onExcept: next_workday'],
      '2027-01-01T00:00',
      ['2028-03-01T01:00', '2032-02-29T01:00'],
    ],
  ];
  it.each(rows)('starts %s', (_name, lines, after, expected) => {
    expect(starts(lines, after, expected.length)).toEqual(expected);
  });

  it('a schedule has no starts after the season', () => {
    const season = ['cron: "0 1 * * *"', 'until: 2026-01-31'];
    expect(starts(season, '2026-11-27T00:00', 1)).toEqual([]);
  });

  it('starts on days of a calendar (.ics) are left out like starts on days in the file', () => {
    const lines = ['cron: "0 1 * * *"', 'except: [{ connector: models, path: a.ics }]'];
    expect(starts(lines, '2026-12-24T12:00', 1, ['2026-12-25'])).toEqual(['2026-12-26T01:00']);
  });
});

describe('a start on the day of a clock change', () => {
  const berlin = (cron: string, change: string) => [
    `cron: "${cron}"`,
    'timezone: Europe/Berlin',
    `clockChange: ${change}`,
  ];
  const newYork = (change: string) => [
    'cron: "30 1 * * *"',
    'timezone: America/New_York',
    `clockChange: ${change}`,
  ];
  const rows: [name: string, lines: string[], after: string, expected: string[]][] = [
    [
      'missing: skip',
      berlin('30 2 * * *', '{ missing: skip }'),
      '2027-03-27T12:00',
      ['2027-03-29T00:30'],
    ],
    [
      'missing: next, at 03:00',
      berlin('30 2 * * *', '{ missing: next }'),
      '2027-03-27T12:00',
      ['2027-03-28T01:00', '2027-03-29T00:30'],
    ],
    [
      'missing: next, once for several starts, and not in addition to an existing one',
      berlin('*/20 2,3 * * *', '{ missing: next }'),
      '2027-03-27T12:00',
      ['2027-03-28T01:00', '2027-03-28T01:20'],
    ],
    [
      'twice: both, east of Greenwich',
      berlin('30 2 * * *', '{ twice: both }'),
      '2027-10-30T12:00',
      ['2027-10-31T00:30', '2027-10-31T01:30', '2027-11-01T01:30'],
    ],
    [
      'twice: once, east of Greenwich',
      berlin('30 2 * * *', '{ twice: once }'),
      '2027-10-30T12:00',
      ['2027-10-31T00:30:01', '2027-11-01T01:30'],
    ],
    [
      'twice: both, west of Greenwich',
      newYork('{ twice: both }'),
      '2027-11-06T12:00',
      ['2027-11-07T05:30', '2027-11-07T06:30', '2027-11-08T06:30'],
    ],
    [
      'twice: once, west of Greenwich',
      newYork('{ twice: once }'),
      '2027-11-06T12:00',
      ['2027-11-07T05:30:01', '2027-11-08T06:30'],
    ],
    [
      'no start on an excepted day',
      [...newYork('{ twice: both }'), 'except: [2027-11-07]'],
      '2027-11-06T12:00',
      ['2027-11-08T06:30'],
    ],
  ];
  it.each(rows)(
    'a start on the day of a clock change follows its policy: %s',
    (_name, lines, after, expected) => {
      expect(starts(lines, after, expected.length)).toEqual(expected);
    },
  );
});

describe('days that Temporal cannot store', () => {
  it.each([
    [
      ['cron: "* * * * *"', 'except: [2026-02-01..2026-11-30]'],
      '`except` excludes 303 consecutive days with 1440 starts each; Temporal skips at most 50000 starts.',
    ],
    [
      ['cron: "*/5 * * * FRI"', 'except: [FRI]', 'onExcept: next_workday'],
      '`onExcept: next_workday` moves 60192 starts until 2028-12-31; the maximum is 400.',
    ],
    [
      ['cron: "30 1 * * *"', 'timezone: Australia/Lord_Howe', 'clockChange: { twice: once }'],
      '`clockChange` supports only time zones whose clock changes by one hour; Australia/Lord_Howe changes by 30 minutes.',
    ],
    [
      ['cron: "*/30 * * * * * *"', 'timezone: Europe/Berlin', 'clockChange: { twice: both }'],
      '`clockChange.twice` supports at most 60 starts in the repeated hour; this schedule has 120.',
    ],
  ])('days that Temporal could not store are refused with a fix: %j', (lines, message) => {
    expect(() => daysOf(lines)).toThrow(message);
  });
});

it('days are computed up to the end of the year after next, and the result stays the same during a year', () => {
  const ranges = ['2026-01-01', '2026-11-27', '2027-02-01'].map((day) =>
    computeDays(Date.parse(`${day}T12:00:00Z`)),
  );
  expect(ranges.map(({ first, last }) => [first, last].map(formatDay).join())).toEqual([
    '2025-01-01,2028-12-31',
    '2025-01-01,2028-12-31',
    '2026-01-01,2029-12-31',
  ]);
  expect(daysOf(['cron: "0 1 * * *"', 'except: [2026-12-24]']).days.knownTo).toBeNull();
});

it.each(['cron: "* * * * *"', 'cron: "* * * * * * *"', 'every: 1s'])(
  'a season that begins with years of excluded days has starts: %s',
  (times) => {
    const season = ['from: 2026-01-01', 'until: 2035-12-31', 'except: [2026-01-01..2034-12-31]'];
    expect(placesOf(withSchedule(times, ...season))).toEqual([]);
  },
);

describe('the position of a mistake in the days', () => {
  const cron = 'cron: "0 2 * * *"';
  const rows: [name: string, lines: string[], problems: string[]][] = [
    [
      'a day in another format',
      [cron, 'except: [24.12.2026]'],
      [
        '10:12 RL708 schedule.except[0]: "24.12.2026" is not a date between 2000 and 2100 | Did you mean 2026-12-24?',
      ],
    ],
    [
      'a day in an ambiguous format',
      [cron, 'from: 12/11/2026'],
      [
        '10:9 RL708 schedule.from: "12/11/2026" is not a date between 2000 and 2100 | Write the day as 2026-12-24.',
      ],
    ],
    [
      'a leap day of a common year',
      [cron, 'until: 2027-02-29'],
      [
        '10:10 RL708 schedule.until: "2027-02-29" is not a date between 2000 and 2100 | Write the day as 2026-12-24.',
      ],
    ],
    [
      'a range that is reversed',
      [cron, 'except: [2026-12-26..2026-12-24]'],
      [
        '10:12 RL708 schedule.except[0]: the range ends before it starts | Write 2026-12-24..2026-12-26.',
      ],
    ],
    [
      'a season that is reversed',
      [cron, 'from: 2027-03-31', 'until: 2026-12-01'],
      ['11:10 RL708 schedule.until is before `from` | Swap the two days.'],
    ],
    [
      'a season without a start',
      ['cron: "0 2 1 7 *"', 'from: 2026-12-01', 'until: 2027-03-31'],
      [
        '11:3 RL704 the schedule has no start from 2026-12-01 until 2027-03-31 outside the excluded days | Correct the days, or the times.',
      ],
    ],
    [
      'an exception for all starts',
      ['cron: "* 2 * * MON"', 'except: [MON]'],
      [
        '10:3 RL704 the schedule has no start outside the excluded days | Correct the days, or the times.',
      ],
    ],
    [
      'a weekly start on an excluded day',
      ['every: 7d', 'except: [THU]'],
      [
        '10:3 RL704 the schedule has no start outside the excluded days | Correct the days, or the times.',
      ],
    ],
    [
      'an exception for every day',
      [cron, 'except: [SUN, MON, TUE, WED, THU, FRI, SAT]'],
      ['10:3 RL704 `except` lists every day of the week | Remove at least one day.'],
    ],
    [
      'decades of exceptions',
      [cron, 'except: [2026-01-01..2046-12-31]'],
      [
        '10:3 RL708 `except` lists 7670 days; the maximum is 4000 | Use `from` and `until` for a season.',
      ],
    ],
    [
      'many calendars',
      [cron, `except: [${Array(6).fill('{ connector: models, path: a.ics }').join()}]`],
      [
        '10:3 RL204 `except` lists 6 calendars; the maximum is 5 | Combine the calendars in one file.',
      ],
    ],
    [
      'a policy without exceptions',
      [cron, 'onExcept: next_workday'],
      [
        '10:3 RL703 `onExcept` needs `except` | Remove `onExcept`, or list the days under `except:`.',
      ],
    ],
    [
      'workdays for an interval',
      ['every: 6h', 'except: [SUN]', 'onExcept: next_workday'],
      [
        '11:3 RL703 `next_workday` is for `cron`, whose starts have a time of day | Remove `onExcept`.',
      ],
    ],
    [
      'changes of the clock for an interval',
      ['every: 6h', 'clockChange: { missing: next }'],
      ['10:3 RL703 `clockChange` is for `cron`; an interval counts in UTC | Remove `clockChange`.'],
    ],
    [
      'a policy that does not exist',
      [cron, 'except: [SUN]', 'onExcept: next_workdy'],
      [
        '11:13 RL204 schedule.onExcept must be skip or next_workday, not "next_workdy" | Did you mean "next_workday"?',
      ],
    ],
  ];
  it.each(rows)('a mistake is reported at its position: %s', (_name, lines, problems) => {
    expect(told(withSchedule(...lines))).toEqual(problems);
  });

  it.each([
    ['a calendar of an unknown connector', '{ connector: office, path: a.ics }', 'RL303'],
    ['a calendar that is not an .ics file', '{ connector: models, path: a.csv }', 'RL204'],
    ['a calendar without a path', '{ connector: models }', 'RL202'],
    ['a number', '20261224', 'RL204'],
    ['a parameter', '"${{ params.x }}"', 'RL306'],
  ])('a mistake is reported for %s', (_name, entry, code) => {
    expect(placesOf(withSchedule(cron, `except: [${entry}]`))[0]).toMatch(code);
  });
});
