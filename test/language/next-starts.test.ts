// When schedules start, including the days on which the clock changes.
import { describe, expect, it } from 'vitest';
import { type CronTimes, everyValue, parseCron } from '../../src/language/cron.ts';
import { listNextStarts, type StartTimes } from '../../src/language/next-starts.ts';
import { findTimeZoneProblem } from '../../src/language/time-zone.ts';

function starts(
  times: Partial<StartTimes> & { cron?: string[] },
  after: string,
  max = 3,
): string[] {
  const { cron = [], ...others } = times;
  const crons = cron.map((text) => {
    const parsed = parseCron(text);
    if (!parsed.ok) throw new Error(parsed.problem.message);
    return parsed.times;
  });
  const found: string[] = [];
  const all = listNextStarts({ timezone: 'UTC', ...others, crons }, Date.parse(after));
  for (const ms of all) {
    found.push(new Date(ms).toISOString().slice(0, 19));
    if (found.length === max) break;
  }
  return found;
}

describe('start times of a cron expression', () => {
  it.each([
    [
      'the start after an instant, never the instant itself',
      '0 2 * * *',
      '2026-11-21T02:00:00Z',
      ['2026-11-22T02:00:00', '2026-11-23T02:00:00', '2026-11-24T02:00:00'],
    ],
    [
      'only days that match both day fields',
      '0 0 13 * fri',
      '2026-01-01T00:00:00Z',
      ['2026-02-13T00:00:00', '2026-03-13T00:00:00', '2026-11-13T00:00:00'],
    ],
    [
      'leap days',
      '0 0 29 2 *',
      '2026-01-01T00:00:00Z',
      ['2028-02-29T00:00:00', '2032-02-29T00:00:00', '2036-02-29T00:00:00'],
    ],
    [
      'every second',
      '* * * * * * *',
      '2026-11-21T23:59:58Z',
      ['2026-11-21T23:59:59', '2026-11-22T00:00:00', '2026-11-22T00:00:01'],
    ],
    ['no start on a date that never occurs', '0 0 31 4 *', '2026-01-01T00:00:00Z', []],
    ['no start in years that have passed', '0 0 1 1 * 2020', '2026-01-01T00:00:00Z', []],
  ])('start times are computed: %s', (_name, cron, after, expected) => {
    expect(starts({ cron: [cron] }, after)).toEqual(expected);
  });

  it.each([
    ['winter', '2026-01-10T00:00:00Z', '2026-01-10T01:00:00'],
    ['summer', '2026-07-10T00:00:00Z', '2026-07-11T00:00:00'],
  ])('a start at two o’clock in Berlin in %s is computed', (_name, after, first) => {
    expect(starts({ cron: ['0 2 * * *'], timezone: 'Europe/Berlin' }, after, 1)).toEqual([first]);
  });

  it('a schedule does not start on a day whose clock change skips its time', () => {
    const berlin = { cron: ['30 2 * * *'], timezone: 'Europe/Berlin' };
    expect(starts(berlin, '2027-03-27T00:00:00Z')).toEqual([
      '2027-03-27T01:30:00',
      '2027-03-29T00:30:00',
      '2027-03-30T00:30:00',
    ]);
  });

  // Starts of Temporal 1.29. `schedules-preview.test.ts` compares the starts with a server.
  it.each([
    ['Europe/Berlin', '30 2 * * *', '2027-10-30T12:00', ['10-31T01:30', '11-01T01:30']],
    ['Europe/London', '30 1 * * *', '2027-10-30T12:00', ['10-31T01:30', '11-01T01:30']],
    ['America/New_York', '30 1 * * *', '2027-11-06T12:00', ['11-07T05:30', '11-07T06:30']],
    ['Europe/Berlin', '0 * * * *', '2027-10-30T23:00', ['10-31T00:00', '10-31T02:00']],
    ['America/New_York', '0 * * * *', '2027-11-07T04:00', ['11-07T05:00', '11-07T06:00']],
    ['Australia/Sydney', '15 2 * * *', '2027-04-03T00:00', ['04-03T16:15', '04-04T16:15']],
  ])(
    'a schedule whose time occurs twice in a day starts as in Temporal: %s, %s',
    (timezone, cron, after, expected) => {
      const found = starts({ cron: [cron], timezone }, `${after}:00Z`, expected.length);
      expect(found.map((start) => start.slice(5, 16))).toEqual(expected);
    },
  );

  it.each([
    [
      'by half an hour, south of the equator',
      'Australia/Lord_Howe',
      '45 1 * * *',
      '2027-04-03T00:00:00Z',
      ['2027-04-03T15:15:00', '2027-04-04T15:15:00', '2027-04-05T15:15:00'],
    ],
    [
      'at midnight',
      'America/Havana',
      '30 0 * * *',
      '2027-03-13T00:00:00Z',
      ['2027-03-13T05:30:00', '2027-03-15T04:30:00', '2027-03-16T04:30:00'],
    ],
  ])('start times are computed for a clock change %s', (_name, timezone, cron, after, expected) => {
    expect(starts({ cron: [cron], timezone }, after)).toEqual(expected);
  });

  it('a start every quarter of an hour continues through a clock change', () => {
    const found = starts(
      { cron: ['*/15 * * * *'], timezone: 'America/New_York' },
      '2027-11-07T03:00:00Z',
      16,
    );
    const gaps = found
      .slice(1)
      .map((start, index) => Date.parse(`${start}Z`) - Date.parse(`${found[index]}Z`));
    expect(new Set(gaps)).toEqual(new Set([900_000]));
  });
});

describe('start times of intervals and lists', () => {
  it('an interval counts from 1970 plus its offset', () => {
    const interval = { everyMs: 6 * 3_600_000, offsetMs: 600_000 };
    expect(starts({ intervals: [interval] }, '2026-11-21T06:10:00Z')).toEqual([
      '2026-11-21T12:10:00',
      '2026-11-21T18:10:00',
      '2026-11-22T00:10:00',
    ]);
  });

  it('several expressions produce one sequence, in which simultaneous starts count once', () => {
    expect(starts({ cron: ['0 6 * * *', '0 */3 * * *'] }, '2026-11-21T02:00:00Z', 4)).toEqual([
      '2026-11-21T03:00:00',
      '2026-11-21T06:00:00',
      '2026-11-21T09:00:00',
      '2026-11-21T12:00:00',
    ]);
  });
});

describe('excluded days', () => {
  /** The days of 2027 as one calendar, which counts how often it is compared with a start. */
  function countedDays(more: Partial<CronTimes>) {
    const count = { comparisons: 0 };
    const { year: _year, ...rest } = { ...everyValue, ...more };
    const days = {
      ...rest,
      get year() {
        count.comparisons += 1;
        return [2027];
      },
    };
    return { days, count };
  }

  it('a month with a start in every second is passed day by day', () => {
    const { days, count } = countedDays({ month: [3] });
    const times = { cron: ['* * * * * * *'], timezone: 'Europe/Berlin', skip: [days] };
    expect(starts(times, '2027-02-28T22:59:58Z')).toEqual([
      '2027-02-28T22:59:59',
      '2027-03-31T22:00:00',
      '2027-03-31T22:00:01',
    ]);
    expect(count.comparisons).toBeLessThan(200);
  });

  it.each([
    'America/Havana',
    'America/Sao_Paulo',
    'Asia/Amman',
    'Asia/Beirut',
    'Atlantic/Azores',
    'Australia/Lord_Howe',
    'Europe/Berlin',
    'UTC',
  ])('no start of another day is passed, whenever the clock changes: %s', (timezone) => {
    const times = { cron: ['*/30 0,1,2,22,23 * * *'], timezone };
    const dayOfStart = new Intl.DateTimeFormat('en', { timeZone: timezone, day: 'numeric' });
    const [from, total] = ['2018-01-01T12:00:00Z', 3_700];
    const all = starts(times, from, total);
    for (const rest of [0, 1]) {
      const dayOfMonth = everyValue.dayOfMonth.filter((day) => day % 2 === rest);
      const skip = [{ ...everyValue, dayOfMonth }];
      const isKept = (start: string) =>
        Number(dayOfStart.format(Date.parse(`${start}Z`))) % 2 !== rest;
      const expected = all.filter(isKept);
      expect(starts({ ...times, skip }, from, expected.length)).toEqual(expected);
    }
  });
});

describe('time zones', () => {
  it.each(['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'US/Pacific', 'Etc/GMT+5'])(
    'the time zone %s is valid',
    (name) => {
      expect(findTimeZoneProblem(name)).toBeNull();
    },
  );

  it.each([
    ['Europe/Berln', 'Did you mean "Europe/Berlin"?'],
    ['europe/berlin', 'Did you mean "Europe/Berlin"?'],
    ['+01:00', 'Write an IANA name such as Europe/Berlin or UTC.'],
    ['nowhere', 'Write an IANA name such as Europe/Berlin or UTC.'],
  ])('the time zone %s is invalid', (name, hint) => {
    expect(findTimeZoneProblem(name)).toEqual({ hint });
  });
});
