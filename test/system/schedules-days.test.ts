// Holidays and seasons of schedules, on a real Temporal server: previewed, applied, shown, and out of date.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ScheduleChange } from '../../src/app/apply/schedule-changes.ts';
import type { ListedSchedule } from '../../src/app/schedules/list.ts';
import { dayOf, formatDay } from '../../src/language/calendar/days.ts';
import { runInProcess } from './_in-process.ts';
import { json, Pipelines } from './_pipelines.ts';
import { errorOf, useProduct } from './_runs.ts';
import { tempFolder, useProcesses, waitUntil } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

useProcesses();
const product = useProduct(useTemporal());

const pipelines = async () => new Pipelines(await tempFolder('pipelines'), product.env);
const renderline = (...argv: string[]) => runInProcess(argv, product.env);

async function listed(name: string): Promise<ListedSchedule | undefined> {
  const { schedules } = json<{ schedules: ListedSchedule[] }>(
    await renderline('schedules', '--json'),
  );
  return schedules.find(({ schedule }) => schedule === name);
}

async function listedOnceThere(name: string): Promise<ListedSchedule> {
  let found: ListedSchedule | undefined;
  await waitUntil('the schedule is listed', async () => {
    found = await listed(name);
    return found !== undefined;
  });
  if (found === undefined) throw new Error('unreachable');
  return found;
}

/** The date at this number of days from today. */
const day = (distance: number) => formatDay(dayOf(Date.now(), 'UTC') + distance);

const calendarOf = (...days: string[]) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    ...days.flatMap((one) => [
      'BEGIN:VEVENT',
      `UID:${one}`,
      `DTSTART;VALUE=DATE:${one.replaceAll('-', '')}`,
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
    '',
  ].join('\r\n');

const daysIn = (next: readonly string[]) => next.map((start) => start.slice(0, 10));

test('starts on holidays of a calendar are left out, until the calendar changes', async () => {
  const files = await pipelines();
  const daily = [
    'cron: "0 12 * * *"',
    'jitter: 0s',
    'except: [{ connector: models, path: holidays.ics }]',
  ];
  const { folder } = await files.write('holidays', daily);
  const calendar = join(folder, 'holidays.ics');

  const missing = errorOf(await renderline('apply', files.folder, '--json'), 2);
  expect(missing).toMatchObject({ code: 'CALENDAR_UNREADABLE' });
  await writeFile(calendar, calendarOf());
  const empty = errorOf(await renderline('apply', files.folder, '--json'), 2);
  expect(empty).toMatchObject({ code: 'CALENDAR_UNREADABLE' });
  expect(empty.message).toContain('has no events');
  expect(await listed('holidays')).toBeUndefined();

  await writeFile(calendar, calendarOf(day(-2), day(2), day(3)));
  const [planned] = await files.apply('--dry-run');
  expect(planned).toMatchObject({ change: 'create', nextFrom: 'computed' });
  expect(planned?.next).toHaveLength(10);
  expect(daysIn(planned?.next ?? [])).not.toContain(day(2));
  expect(daysIn(planned?.next ?? [])).toContain(day(4));
  expect(await listed('holidays')).toBeUndefined();

  // The computed starts match those of the server.
  const created = await files.apply();
  expect(created).toMatchObject([{ change: 'create', nextFrom: 'temporal', next: planned?.next }]);
  expect(await files.apply()).toMatchObject([{ change: 'unchanged', fields: [] }]);

  const shown = await listedOnceThere('holidays');
  expect(shown.next).toEqual(planned?.next);
  expect(shown.days['except']).toContain(`${day(2)}..${day(3)}`);
  expect(shown.days['calendars']).toMatch(/^holidays\.ics: 3 days, ends .*, sha256 [0-9a-f]{12}$/);
  expect(shown.warnings.join()).toContain(`holidays.ics ends on ${day(3)}, before the schedule`);
  const range = ['--from', day(-3), '--to', `${day(-1)}T23:00`, '--dry-run', '--json'];
  const past = json<{ starts: { start: string }[] }>(
    await renderline('backfill', 'holidays', ...range),
  );
  expect(daysIn(past.starts.map(({ start }) => start))).toEqual([day(-3), day(-1)]);

  const before = (await renderline('doctor')).stdout;
  expect(before).toContain(`holidays.ics ends on ${day(3)}`);
  expect(before).not.toContain('has changed since it was applied');
  await writeFile(calendar, calendarOf(day(5), day(400)));
  expect((await renderline('doctor')).stdout).toContain(
    'holidays: holidays.ics has changed since it was applied',
  );
  const [changed] = await files.apply();
  expect(changed?.fields.map(({ field }) => field)).toEqual(['except', 'calendars']);
  expect(daysIn(changed?.next ?? [])).not.toContain(day(5));
  expect((await listedOnceThere('holidays')).warnings).toEqual([]);

  await rm(calendar);
  expect((await renderline('doctor')).stdout).toContain('holidays.ics cannot be read here');
});

test('a schedule ends with its season, and removed fields no longer apply', async () => {
  const files = await pipelines();
  const write = (...more: string[]) =>
    files.write('season', ['cron: "0 12 * * *"', 'jitter: 0s', ...more]);
  await write(`from: ${day(2)}`, `until: ${day(4)}`, `except: [${day(3)}]`);
  const [created] = await files.apply();
  expect(daysIn(created?.next ?? [])).toEqual([day(2), day(4)]);

  await write(`until: ${day(-1)}`);
  const [ended]: (ScheduleChange | undefined)[] = await files.apply();
  expect(ended).toMatchObject({ change: 'update', next: [] });
  await listedOnceThere('season');
  expect((await renderline('schedules')).stdout).toContain('none: the schedule has ended');

  await write();
  const [open] = await files.apply();
  expect(open?.fields.map(({ field }) => field)).toEqual(['until']);
  expect(open?.next).toHaveLength(10);
});
