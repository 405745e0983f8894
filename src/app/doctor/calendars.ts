// Checks of `doctor` about the calendars (.ics) of schedules: whether they changed since `apply`, or end too early.
import type { ScheduleDescription } from '@temporalio/client';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { explainError } from '../renderline-error.ts';
import { dayWarningsOf, hashCalendar } from '../schedules/calendars.ts';
import { findRunStart, scheduleDaysOf, scheduleNameOf } from '../schedules/schedule-facts.ts';
import { type Check, createPassedCheck, createWarningCheck } from './health-check.ts';

const applyAgain = 'Apply the file of the schedule again: renderline apply FILE';

export async function checkCalendars(
  schedules: readonly ScheduleDescription[],
  nowMs: number,
): Promise<Check[]> {
  const dated = schedules.filter((live) => scheduleDaysOf(live).knownTo !== null);
  const checks: Check[] = [];
  for (const live of dated) checks.push(...(await checkSchedule(live, nowMs)));
  if (dated.length === 0 || checks.length > 0) return checks;
  return [
    createPassedCheck(
      'calendars',
      `the days of ${formatCount(dated.length, 'schedule')} are up to date`,
    ),
  ];
}

async function checkSchedule(live: ScheduleDescription, nowMs: number): Promise<Check[]> {
  const name = scheduleNameOf(live);
  const days = scheduleDaysOf(live);
  const plan = findRunStart(live)?.plan;
  const warning = (text: string, fix: string) =>
    createWarningCheck('calendars', `${name}: ${text}`, fix);
  const checks = dayWarningsOf(days, nowMs).map((text) => warning(text, ''));
  for (const { connector, path, sha256 } of days.calendars) {
    if (plan === undefined) break;
    try {
      if ((await hashCalendar({ connector, path }, plan)) === sha256) continue;
      checks.push(warning(`${path} has changed since it was applied`, applyAgain));
    } catch (error) {
      const { message, fix } = explainError(error);
      checks.push(warning(`${path} cannot be read here: ${message}`, fix));
    }
  }
  return checks;
}
