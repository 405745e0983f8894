// Reads the calendars (.ics) of schedules at `apply`, and warns about days that are out of date.
import { createHash } from 'node:crypto';
import {
  computeDays,
  type ScheduleDays,
  ScheduleDaysError,
  toScheduleDays,
} from '../../compile/schedule/schedule-days.ts';
import type { ScheduleDeclaration } from '../../compile/schedule.ts';
import { openConnector } from '../../connectors/index.ts';
import { commandFailures } from '../../failures/commands.ts';
import { type Day, dayOf, formatDay, parseDay } from '../../language/calendar/days.ts';
import type { DayRange } from '../../language/calendar/extra-starts.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { Plan } from '../../plan/types.ts';
import { maxIcsBytes, readIcs } from '../../tables/read-ics.ts';
import { TableError } from '../../tables/table-error.ts';
import { RenderlineError } from '../renderline-error.ts';

interface CalendarSource {
  connector: string;
  path: string;
}

type Connectors = Pick<Plan, 'connectors'>;

export interface CalendarFile extends CalendarSource {
  sha256: string;
  /** Number of days of the calendar in the range of the computed starts. */
  days: number;
  /** Last day of all events that do not repeat forever. Null if there are no such events. */
  last: string | null;
  /** Number of events that are not whole days. Such events are ignored. */
  partial: number;
}

export interface AppliedDays {
  days: ScheduleDays;
  calendars: readonly CalendarFile[];
}

/** Computed days, and the calendars of an endless schedule, cause a warning if they end within this number of days. */
const warnDays = 30;

/**
 * Reads the calendars of a schedule and computes its days.
 * @throws RenderlineError CALENDAR_UNREADABLE, SCHEDULE_DAYS; ConnectorError
 */
export async function readScheduleDays(
  declaration: ScheduleDeclaration,
  plan: Connectors,
  nowMs: number,
): Promise<AppliedDays> {
  const computed = computeDays(nowMs);
  const holidays = new Set<Day>();
  const calendars: CalendarFile[] = [];
  for (const source of declaration.except.calendars) {
    const { days, ...calendar } = await readCalendar(source, plan, computed);
    for (const day of days) holidays.add(day);
    calendars.push({ ...calendar, days: days.length });
  }
  try {
    return { days: toScheduleDays(declaration, holidays, computed), calendars };
  } catch (error) {
    if (!(error instanceof ScheduleDaysError)) throw error;
    throw new RenderlineError(commandFailures.SCHEDULE_DAYS, error.message, { fix: '' });
  }
}

/** Returns the sha256 of a calendar's current content. @throws RenderlineError CALENDAR_UNREADABLE; ConnectorError */
export async function hashCalendar(source: CalendarSource, plan: Connectors): Promise<string> {
  return sha256Of((await openCalendar(source, plan)).bytes);
}

async function readCalendar(
  source: CalendarSource,
  plan: Connectors,
  computed: DayRange,
): Promise<Omit<CalendarFile, 'days'> & { days: Day[] }> {
  const { bytes, refuse } = await openCalendar(source, plan);
  try {
    const { days, last, events, partial } = await readIcs(bytes, computed);
    if (events === 0) throw refuse('has no events');
    if (events === partial)
      throw refuse(`has ${formatCount(events, 'event')}, but no all-day event`);
    const known = { sha256: sha256Of(bytes), last, partial };
    return { ...source, ...known, days: days.flatMap((text) => parseDay(text) ?? []) };
  } catch (error) {
    if (error instanceof TableError) throw refuse(error.message);
    throw error;
  }
}

async function openCalendar({ connector, path }: CalendarSource, { connectors }: Connectors) {
  const spec = connectors[connector];
  if (spec === undefined) throw new RangeError(`the plan has no connector ${connector}`);
  const store = openConnector(spec);
  const refuse = (reason: string) =>
    new RenderlineError(
      commandFailures.CALENDAR_UNREADABLE,
      `The calendar ${path} in ${store.describe()} ${reason}.`,
    );
  if ((await store.stat(path)) === null) throw refuse('does not exist');
  return { bytes: await store.read(path, maxIcsBytes), refuse };
}

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The days, of a declared schedule or of one in Temporal, that `dayWarningsOf` checks. */
export interface KnownDays {
  timezone: string;
  calendars: readonly CalendarFile[];
  /** Last day for which starts were computed. Null if none were computed in advance. */
  knownTo: Day | null;
  endAtMs: number | null;
}

/** Warns about calendars that end before the schedule does, and about computed days that end soon. */
export function dayWarningsOf(
  { timezone, calendars, knownTo, endAtMs }: KnownDays,
  nowMs: number,
): string[] {
  const today = dayOf(nowMs, timezone);
  const lastStart = endAtMs === null ? Infinity : dayOf(endAtMs, timezone);
  if (lastStart < today) return [];
  const soon = Math.min(lastStart, today + warnDays);
  const needed = lastStart === Infinity ? soon : Math.min(lastStart, knownTo ?? lastStart);
  const advice =
    'runs also start on later holidays. Replace the calendar, then apply the file again.';
  const warnings = calendars.flatMap(({ path, days, last }) => {
    if (days === 0) return `${path} has no days since 1 January of last year, so ${advice}`;
    const end = last === null ? null : parseDay(last);
    const endsEarly = end !== null && end < needed;
    return endsEarly ? `${path} ends on ${last}, before the schedule ends, so ${advice}` : [];
  });
  if (knownTo !== null && knownTo < soon)
    warnings.push(
      `Exceptions, moved starts and daylight-saving changes are computed only until ${formatDay(knownTo)}. Apply the file again to extend them.`,
    );
  return warnings;
}
