// The starts shown before there is a schedule are those that the Temporal server comes to.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  compareFacts,
  declaredFacts,
  liveFacts,
  liveStartTimes,
} from '../../src/app/schedules/schedule-facts.ts';
import {
  type DeclaredSchedule,
  scheduleOptions,
  unpausedNote,
} from '../../src/app/schedules/schedule-options.ts';
import { compileText } from '../../src/compile/compile.ts';
import { nextStarts } from '../../src/language/next-starts.ts';
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

describe('the preview and the server agree', () => {
  const rows: [cron: string[], timezone: string][] = [
    [['0 2 * * *'], 'UTC'],
    [['30 2 27-29 3 * 2027'], 'Europe/Berlin'],
    [['30 4 30-31 10 * 2027'], 'Europe/Berlin'],
    // Which copies of a repeated hour start depends on where the place is.
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
  test.each(rows)('%j %s', async (cron, timezone) => {
    const text = `name: seen\nconnectors: { m: { type: local, path: /m } }\nrecords: m\nnodes: [{ id: take, type: connector_poll, config: { connector: m } }]\nschedule: { cron: ${JSON.stringify(cron)}, timezone: ${timezone}, jitter: 0s }`;
    const options = { cwd: '/', fileFolder: '/', environment: {}, parameters: {} };
    const { plan, schedules } = compileText(text, 'seen.yaml', options);
    const [declaration] = schedules;
    if (plan === null || declaration === undefined) throw new Error('the text is wrong');
    const wanted: DeclaredSchedule = {
      declaration,
      path: '/seen.yaml',
      plan,
      limits: { renders: 9 },
      taskQueue: 'q',
      searchable: false,
    };
    const pause = { paused: false, note: unpausedNote(wanted) };
    const handle = await connection.client.schedule.create(scheduleOptions(wanted, pause));
    const live = await handle.describe();
    await handle.delete();
    const server = live.info.nextActionTimes.map((time) => time.toISOString());
    expect(server.length).toBeGreaterThan(1);
    const ours: string[] = [];
    for (const startMs of nextStarts(liveStartTimes(live), live.info.createdAt.getTime())) {
      ours.push(new Date(startMs).toISOString());
      if (ours.length === server.length) break;
    }
    expect(ours).toEqual(server);
    expect(compareFacts(liveFacts(live), declaredFacts(wanted, pause))).toEqual([]);
  });
});
