// The starts of a previewed schedule are those that the Temporal server computes.
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  compareFacts,
  formatDeclaredFacts,
  formatLiveFacts,
  startTimesOf,
} from '../../src/app/schedules/schedule-facts.ts';
import {
  type DeclaredSchedule,
  formatUnpausedNote,
  scheduleOptions,
} from '../../src/app/schedules/schedule-options.ts';
import { compileText } from '../../src/compile/compile.ts';
import {
  computeDays,
  startTimesOn,
  toScheduleDays,
} from '../../src/compile/schedule/schedule-days.ts';
import { formatDay } from '../../src/language/calendar/days.ts';
import { listNextStarts, type StartTimes } from '../../src/language/next-starts.ts';
import { connectTemporal, type TemporalConnection } from '../../src/temporal/connection/connect.ts';
import { useTemporal } from './_temporal.ts';

const temporal = useTemporal();
let connection: TemporalConnection;

beforeAll(async () => {
  connection = await connectTemporal({ env: temporal.env });
});

afterAll(async () => {
  await connection.close();
});

/** The schedule of a text, as it is applied at the end of 2026. */
function wantedOf(cron: readonly string[], timezone: string, ...more: string[]) {
  const fields = [`cron: ${JSON.stringify(cron)}`, `timezone: ${timezone}`, 'jitter: 0s', ...more];
  const text = `name: seen\nconnectors: { m: { type: local, path: /m } }\nrecords: m\nnodes: [{ id: take, type: connector_poll, config: { connector: m } }]\nschedule: { ${fields.join(', ')} }`;
  const options = { cwd: '/', fileFolder: '/', environment: {}, parameters: {} };
  const { plan, schedules } = compileText(text, 'seen.yaml', options);
  const [declaration] = schedules;
  if (plan === null || declaration === undefined) throw new Error('the text is wrong');
  const wanted: DeclaredSchedule = {
    declaration,
    days: toScheduleDays(declaration, [], computeDays(Date.UTC(2026, 11, 1))),
    calendars: [],
    path: '/seen.yaml',
    plan,
    limits: { renders: 9 },
    taskQueue: 'q',
    searchable: false,
  };
  return { wanted, pause: { paused: false, note: formatUnpausedNote(wanted) } };
}

function computedStarts(times: StartTimes, afterMs: number, count: number): string[] {
  const found: string[] = [];
  for (const startMs of listNextStarts(times, afterMs)) {
    found.push(new Date(startMs).toISOString());
    if (found.length === count) break;
  }
  return found;
}

describe('the preview of a schedule', () => {
  const rows: [cron: string[], timezone: string][] = [
    [['0 2 * * *'], 'UTC'],
    [['30 2 27-29 3 * 2027'], 'Europe/Berlin'],
    [['30 4 30-31 10 * 2027'], 'Europe/Berlin'],
    // The time zone determines which copies of a repeated hour start.
    [['30 1 * 11 su 2027'], 'America/New_York'],
    [['30 2 30,31 10 * 2027'], 'Europe/Berlin'],
    [['*/15 1-3 31 10 * 2027'], 'Europe/Berlin'],
    [['10,40 * 31 10 * 2027'], 'Europe/London'],
    [['*/20 0-3 7 11 * 2027'], 'America/New_York'],
    [['10,50 1,2 13-15 3 sun,mon 2027'], 'America/Havana'],
    [['30 1-3 4-5 4 * 2027'], 'Australia/Lord_Howe'],
    [['30 0 13-15 3 * 2027'], 'America/Havana'],
    [['15 10 9 29 2 * *'], 'Asia/Kolkata'],
    [['*/25 8-18/5 1,15 jan-mar 7', '@weekly'], 'America/New_York'],
    [['5/20 0 * * mon/2'], 'Asia/Tokyo'],
    [['0 0 * * 5-7'], 'Pacific/Auckland'],
  ];
  test.each(rows)(
    'the preview and the server agree on the starts of %j in %s',
    async (cron, timezone) => {
      const { wanted, pause } = wantedOf(cron, timezone);
      const handle = await connection.client.schedule.create(scheduleOptions(wanted, pause));
      const live = await handle.describe();
      await handle.delete();
      const server = live.info.nextActionTimes.map((time) => time.toISOString());
      expect(server.length).toBeGreaterThan(1);
      const after = live.info.createdAt.getTime();
      expect(computedStarts(startTimesOf(live), after, server.length)).toEqual(server);
      expect(compareFacts(formatLiveFacts(live), formatDeclaredFacts(wanted, pause))).toEqual([]);
    },
  );
});

describe('the days of a schedule', () => {
  const at = (day: string) => msToTs(Date.parse(`${day}T00:00:00Z`));

  const rows: [cron: string, timezone: string, days: string[], from: string, to: string, number][] =
    [
      [
        '0 1 * * MON-SAT',
        'Europe/Berlin',
        ['except: [2026-12-24..2026-12-26, 2027-01-01]'],
        '2026-12-20',
        '2027-01-10',
        14,
      ],
      [
        '0 1 * * *',
        'Europe/Berlin',
        ['from: 2026-12-30', 'until: 2027-01-02'],
        '2026-12-01',
        '2027-02-01',
        4,
      ],
      [
        '0,59 0,23 * * *',
        'America/New_York',
        ['from: 2027-03-14', 'until: 2027-03-14'],
        '2027-03-01',
        '2027-04-01',
        4,
      ],
      [
        '0 1 1 * *',
        'Europe/Berlin',
        ['except: [2027-01-01, SAT, SUN]', 'onExcept: next_workday'],
        '2026-12-15',
        '2027-06-15',
        6,
      ],
      [
        '0 1 29 2 *',
        'UTC',
        ['except: [2028-02-29]', 'onExcept: next_workday'],
        '2027-01-01',
        '2032-12-31',
        2,
      ],
      [
        '30 2 * * *',
        'Europe/Berlin',
        ['clockChange: { missing: next, twice: both }'],
        '2027-03-27',
        '2027-03-30',
        3,
      ],
      [
        '30 2 * * *',
        'Europe/Berlin',
        ['clockChange: { twice: both }'],
        '2027-10-30',
        '2027-11-02',
        4,
      ],
      [
        '30 2 * * *',
        'Europe/Berlin',
        ['clockChange: { twice: once }'],
        '2027-10-30',
        '2027-11-02',
        3,
      ],
      [
        '30 1 * * *',
        'America/New_York',
        ['clockChange: { missing: next, twice: once }'],
        '2027-11-06',
        '2027-11-09',
        3,
      ],
      [
        '30 1 * * *',
        'America/New_York',
        ['clockChange: { twice: both }'],
        '2027-11-06',
        '2027-11-09',
        4,
      ],
      [
        '*/15 1-3 * * *',
        'Europe/Berlin',
        ['clockChange: { missing: next, twice: both }'],
        '2027-10-31',
        '2027-11-01',
        12,
      ],
      [
        '15 0 * * *',
        'America/Havana',
        ['clockChange: { missing: next }'],
        '2027-03-13',
        '2027-03-16',
        3,
      ],
    ];
  test.each(rows)(
    'the preview and the server agree on the starts of %s in %s with the days %j',
    async (cron, timezone, days, from, to, count) => {
      const { wanted, pause } = wantedOf([cron], timezone, ...days);
      const handle = await connection.client.schedule.create(scheduleOptions(wanted, pause));
      const live = await handle.describe();
      const request = { scheduleId: handle.scheduleId, startTime: at(from), endTime: at(to) };
      const { startTime } = await connection.client.workflowService.listScheduleMatchingTimes({
        namespace: connection.namespace,
        ...request,
      });
      await handle.delete();
      const server = startTime.map(({ seconds }) => new Date(Number(seconds) * 1000).toISOString());
      expect(server).toHaveLength(count);
      const declared = startTimesOn(wanted.declaration, wanted.days);
      for (const times of [declared, startTimesOf(live)]) {
        expect(computedStarts(times, Date.parse(`${from}T00:00:00Z`), count)).toEqual(server);
      }
      expect(compareFacts(formatLiveFacts(live), formatDeclaredFacts(wanted, pause))).toEqual([]);
    },
  );

  test('the preview and the server agree on a schedule with 400 holidays in ten years', async () => {
    const holidays = Array.from({ length: 400 }, (_, index) => formatDay(20_820 + 9 * index));
    const { wanted, pause } = wantedOf(['0 1 * * *'], 'UTC', `except: [${holidays.join()}]`);
    const handle = await connection.client.schedule.create(scheduleOptions(wanted, pause));
    const live = await handle.describe();
    await handle.delete();
    expect(compareFacts(formatLiveFacts(live), formatDeclaredFacts(wanted, pause))).toEqual([]);
    const starts = live.info.nextActionTimes.map((time) => time.toISOString().slice(0, 10));
    expect(starts.length).toBe(10);
    expect(starts.filter((day) => holidays.includes(day))).toEqual([]);
  });
});
