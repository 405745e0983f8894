// The syntax of cron expressions, field by field, and the messages about mistakes.
import { describe, expect, it } from 'vitest';
import { type CronTimes, parseCron } from '../../src/language/cron.ts';

function timesOf(text: string): CronTimes {
  const parsed = parseCron(text);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return parsed.times;
}

const span = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('a cron expression', () => {
  const rows: [text: string, part: Partial<CronTimes>][] = [
    ['0 2 * * *', { second: [0], minute: [0], hour: [2], dayOfMonth: span(1, 31), year: [] }],
    [
      '15 30 1 * * mon 2027',
      { second: [15], minute: [30], hour: [1], dayOfWeek: [1], year: [2027] },
    ],
    ['0 0 1 1 * 2027-2029', { year: [2027, 2028, 2029] }],
    ['0 0 1 1 * *', { year: [] }],
    ['*/20 * * * *', { minute: [0, 20, 40] }],
    ['5/25 * * * *', { minute: [5, 30, 55] }],
    ['1,3,10-12 * * * *', { minute: [1, 3, 10, 11, 12] }],
    ['0 8-18/5 * * *', { hour: [8, 13, 18] }],
    ['0 0 * jan,FEB-apr *', { month: [1, 2, 3, 4] }],
    ['0 0 * * 7', { dayOfWeek: [0] }],
    ['0 0 * * Tu,saturday', { dayOfWeek: [2, 6] }],
    ['0 0 * * fri-7', { dayOfWeek: [0, 5, 6] }],
    ['0 0 * * *', { dayOfWeek: span(0, 6) }],
    ['@weekly', { minute: [0], hour: [0], dayOfWeek: [0] }],
    ['  @daily ', { hour: [0], dayOfWeek: span(0, 6) }],
  ];
  it.each(rows)('the expression "%s" is valid', (text, part) => {
    expect(timesOf(text)).toMatchObject(part);
  });
});

describe('mistakes in a cron expression', () => {
  const rows: [text: string, marked: string, words: RegExp][] = [
    ['61 * * * *', '61', /^the minute must be 0-59, not "61"/],
    ['0 24 * * *', '24', /^the hour must be 0-23/],
    ['0 0 0 * *', '0', /^the day of the month must be 1-31/],
    ['0 0 L * *', 'L', /^the day of the month/],
    ['0 0 * 13 *', '13', /^the month must be 1-12 or a name such as feb/],
    ['0 0 * * 8', '8', /^the day of the week must be 0-7 or a name such as mon/],
    ['0 0 * * m', 'm', /^the day of the week/],
    ['0 0 * ja *', 'ja', /^the month/],
    ['0 0 1 1 * 1999', '1999', /^the year must be 2000-2100/],
    ['75 0 0 * * * *', '75', /^the second/],
    ['0 18-8 * * *', '18-8', /^the hour: "18-8" ends before it starts/],
    ['0 0 * * sat-sun', 'sat-sun', /ends before it starts/],
    ['*/0 * * * *', '*/0', /^the minute: the step "0"/],
    ['1/2/3 * * * *', '1/2/3', /more than one \//],
    ['1-2-3 * * * *', '1-2-3', /more than one -/],
    ['1,,2 * * * *', '1,,2', /^the minute must be/],
    ['? * * * *', '?', /^the minute must be/],
    ['0 2 * *', '0 2 * *', /^has 4 fields, not 5/],
    ['', '', /^has 0 fields/],
    ['0 2 * * * * * *', '0 2 * * * * * *', /^has 8 fields/],
    ['TZ=UTC 0 2 * * *', 'TZ=UTC 0 2 * * *', /`timezone:`/],
    ['@every 5m', '@every 5m', /`every:`/],
    ['@fortnightly', '@fortnightly', /@yearly/],
    ['0 2 * * * # at two', '0 2 * * * # at two', /comment/],
  ];
  it.each(rows)(
    'the message about "%s" identifies its field and position',
    (text, marked, words) => {
      const parsed = parseCron(text);
      if (parsed.ok) throw new Error('it was read');
      const { message, start, end } = parsed.problem;
      expect([text.slice(start, end), message]).toEqual([marked, expect.stringMatching(words)]);
    },
  );
});
