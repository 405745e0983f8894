// Tests that the last success of schedules needs one request a minute.
import { describe, expect, it } from 'vitest';
import { ScheduleStatusReader } from '../../../src/temporal/status/schedule-status.ts';
import { type FakeRun, fakeServer } from './_visibility.ts';

const hourMs = 3_600_000;
const run = (schedule: string, endedAtMs: number): FakeRun => ({
  id: `${schedule}-${endedAtMs}`,
  endedAtMs,
  attributes: { TemporalScheduledById: schedule, RenderlineOutcome: 'complete' },
});

/** The runs that visibility returns, newest first. */
function filter({ attributes = {}, endedAtMs = 0 }: FakeRun, query: string): boolean {
  const [, schedule] = /TemporalScheduledById = '([^']+)'/.exec(query) ?? [];
  const [, since = '1970-01-01'] = /CloseTime > '([^']+)'/.exec(query) ?? [];
  const isOf = schedule === undefined || attributes['TemporalScheduledById'] === schedule;
  return isOf && endedAtMs > Date.parse(since);
}

describe('schedules', () => {
  it('only our schedules are listed, each with the longest time between its next starts', async () => {
    const { client } = fakeServer({
      schedules: [
        { id: 'shoes/weekdays', startsMs: [0, 24 * hourMs, 96 * hourMs, 120 * hourMs] },
        { id: 'hats/paused', startsMs: [0, hourMs], paused: true },
        { id: 'theirs', startsMs: [0, hourMs], isOurs: false },
      ],
    });
    expect(await new ScheduleStatusReader(client).read()).toEqual([
      { schedule: 'hats/paused', periodMs: null, lastSuccessAtMs: null },
      { schedule: 'shoes/weekdays', periodMs: 72 * hourMs, lastSuccessAtMs: null },
    ]);
  });

  it('one query for runs that have ended since the last read updates all schedules', async () => {
    const server = fakeServer({
      schedules: [{ id: 'shoes' }, { id: 'hats' }],
      runs: [run('shoes', 5 * hourMs), run('hats', 4 * hourMs), run('shoes', hourMs)],
      filter,
    });
    const reader = new ScheduleStatusReader(server.client);
    expect(await reader.read()).toMatchObject([
      { schedule: 'hats', lastSuccessAtMs: 4 * hourMs },
      { schedule: 'shoes', lastSuccessAtMs: 5 * hourMs },
    ]);
    expect(server.queries).toHaveLength(3);
    server.runs.unshift(run('hats', 6 * hourMs));
    server.queries.length = 0;
    expect(await reader.read()).toMatchObject([
      { schedule: 'hats', lastSuccessAtMs: 6 * hourMs },
      { schedule: 'shoes', lastSuccessAtMs: 5 * hourMs },
    ]);
    expect(server.queries).toEqual([
      expect.stringMatching(/TemporalScheduledById IS NOT NULL AND CloseTime > '1970-01-01T04:58/),
    ]);
  });

  it.each([
    ['no start is planned on excepted days', 1, [], 96],
    ['the run of a planned start has not succeeded', 1, [25], 24],
    ['the next start is near', 73, [], 24],
  ])(
    'schedules that succeeded long ago have a correct period if %s',
    async (_name, successHours, plannedHours, periodHours) => {
      const next = [97, 121, 145].map((hours) => hours * hourMs);
      const server = fakeServer({
        schedules: [
          { id: 'shoes', startsMs: next, earlierMs: plannedHours.map((hours) => hours * hourMs) },
        ],
        runs: [run('shoes', successHours * hourMs)],
        filter,
      });
      const reader = new ScheduleStatusReader(server.client);
      for (let read = 0; read < 2; read++) {
        expect(await reader.read()).toMatchObject([{ periodMs: periodHours * hourMs }]);
      }
      const asked = server.queries.filter((query) => query.startsWith('planned'));
      expect(asked).toHaveLength(successHours === 1 ? 1 : 0);
    },
  );

  it('new schedules are read when they are first seen', async () => {
    const server = fakeServer({ runs: [run('shoes', hourMs)], filter });
    const reader = new ScheduleStatusReader(server.client);
    expect(await reader.read()).toEqual([]);
    server.schedules.push({ id: 'shoes' });
    expect(await reader.read()).toMatchObject([{ schedule: 'shoes', lastSuccessAtMs: hourMs }]);
  });

  it('deleted schedules are removed, and a new schedule with the same name is read again', async () => {
    const server = fakeServer({
      schedules: [{ id: 'shoes' }],
      runs: [run('shoes', hourMs)],
      filter,
    });
    const reader = new ScheduleStatusReader(server.client);
    await reader.read();
    const [deleted] = server.schedules.splice(0);
    server.runs.length = 0;
    await reader.read();
    server.schedules.push(deleted ?? { id: '' });
    expect(await reader.read()).toMatchObject([{ schedule: 'shoes', lastSuccessAtMs: null }]);
  });
});
