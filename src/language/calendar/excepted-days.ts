// Days without starts, as Temporal's calendars of excluded times.
import { type CronTimes, everyValue, isWholeDay } from '../cron.ts';
import { type Day, dayMs, weekdayOf } from './days.ts';

export interface ExcludedDays {
  days: ReadonlySet<Day>;
  /** Days of the week, where 0 is Sunday. */
  weekdays: readonly number[];
}

export function isExceptedDay({ days, weekdays }: ExcludedDays, day: Day): boolean {
  return days.has(day) || weekdays.includes(weekdayOf(day));
}

/** Saturday and Sunday are workdays only if days of the week are excepted explicitly. */
export function isWorkday(excepted: ExcludedDays, day: Day): boolean {
  const isWeekend = excepted.weekdays.length === 0 && [0, 6].includes(weekdayOf(day));
  return !isWeekend && !isExceptedDay(excepted, day);
}

/** Returns calendars that match the days as a whole: one for each month, and one for the days of the week. */
export function calendarsOfDays({ days, weekdays }: ExcludedDays): CronTimes[] {
  const months = new Map<string, { year: number; month: number; dayOfMonth: number[] }>();
  for (const day of [...days].sort((a, b) => a - b)) {
    const date = new Date(day * dayMs);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
    const calendar = months.get(`${year}-${month}`) ?? { year, month, dayOfMonth: [] };
    months.set(`${year}-${month}`, calendar);
    calendar.dayOfMonth.push(date.getUTCDate());
  }
  return [
    ...(weekdays.length === 0 ? [] : [{ ...everyValue, dayOfWeek: [...weekdays] }]),
    ...[...months.values()].map(({ year, month, dayOfMonth }) => ({
      ...everyValue,
      year: [year],
      month: [month],
      dayOfMonth,
    })),
  ];
}

/** Reverses `calendarsOfDays`. `others` are calendars of other forms, such as for some times of a day. */
export function daysOfCalendars(
  calendars: readonly CronTimes[],
): ExcludedDays & { others: readonly CronTimes[] } {
  const days = new Set<Day>();
  const weekdays = new Set<number>();
  const others: CronTimes[] = [];
  for (const calendar of calendars) {
    const { year, month, dayOfMonth, dayOfWeek } = calendar;
    const [ofYear] = year;
    const [ofMonth = 1] = month;
    const isOfDays = isWholeDay(calendar);
    if (isOfDays && ofYear !== undefined && year.length === 1 && month.length === 1) {
      for (const date of dayOfMonth) {
        const utcDate = new Date(Date.UTC(ofYear, ofMonth - 1, date));
        // A calendar may include the 31st of any month, and match only some days of the week.
        if (utcDate.getUTCDate() === date && dayOfWeek.includes(utcDate.getUTCDay()))
          days.add(utcDate.getTime() / dayMs);
      }
    } else if (isOfDays && year.length === 0 && dayOfMonth.length === 31 && month.length === 12) {
      for (const weekday of dayOfWeek) weekdays.add(weekday);
    } else {
      others.push(calendar);
    }
  }
  return { days, weekdays: [...weekdays].sort((a, b) => a - b), others };
}
