import { z } from 'zod';
import { choice, connectorName, duration, pipelineName } from '../language/fields.ts';

export const maxExceptions = 500;

const exceptPolicies = ['skip', 'next_workday'] as const;

const dayField = (description: string) => z.string().min(1).max(60).describe(description);

const CalendarFile = z.strictObject({
  connector: connectorName,
  path: z
    .string()
    .regex(/\.ics$/i, 'must end in .ics')
    .describe('Path of the calendar below the connector.'),
});

const cronText = z
  .string()
  .min(1)
  .max(300)
  .describe(
    'Five fields: minute, hour, day of month, month, day of week. Six: with a year at the end. Seven: also with seconds at the start.',
  );

export const overlaps = [
  'skip',
  'buffer_one',
  'allow_all',
  'cancel_other',
  'terminate_other',
] as const;

export const Schedule = z
  .strictObject({
    cron: z
      .union([cronText, z.array(cronText).min(1).max(20)], {
        error: 'must be a cron expression in quotes, or a list of cron expressions',
      })
      .optional()
      .describe('Times of the starts: a cron expression, or a list of cron expressions.'),
    every: duration('Interval between starts, counted from 1970 in UTC.').optional(),
    offset: duration('Shifts the starts of `every` by this duration.').optional(),
    timezone: z
      .string()
      .min(1)
      .default('UTC')
      .describe('IANA name of the time zone in which `cron` is evaluated.'),
    overlap: choice(overlaps, 'What happens to a start while the previous run is still open.'),
    catchUp: duration(
      'Maximum age at which a start that Temporal missed while it was down is still executed.',
    ).default('1h'),
    jitter: duration('Maximum of the random delay that each start gets.').default('60s'),
    from: dayField('First day with starts, in the time zone of the schedule.').optional(),
    until: dayField('Last day with starts.').optional(),
    except: z
      .array(
        z.union([z.string().min(1).max(60), CalendarFile], {
          error:
            'must be a day such as 2026-12-24, a range, a day of the week, or {connector, path}',
        }),
      )
      .min(1)
      .max(maxExceptions)
      .optional()
      .describe(
        'Days without starts: 2026-12-24, ranges 2026-12-24..2026-12-26, days of the week such as SUN, and calendars (.ics).',
      ),
    onExcept: choice(
      exceptPolicies,
      'What happens to a start on a day of `except`: it is skipped, or moved to the next workday.',
    ),
    clockChange: z
      .strictObject({
        missing: choice(
          ['skip', 'next'],
          'What happens to starts at local times that the clock change skips: no start, or one start at the first moment after the gap.',
        ),
        twice: z
          .enum(['once', 'both'])
          .optional()
          .describe(
            'What happens to starts at local times that occur twice: `once` starts one second after the first time, `both` starts at both times. By default the Temporal server decides.',
          ),
      })
      .optional()
      .describe(
        'What happens to starts at local times that are skipped or occur twice when the clocks change.',
      ),
    paused: z
      .string()
      .min(1)
      .max(400)
      .optional()
      .describe('Reason why the schedule is paused: no run starts until this line is removed.'),
    parameters: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .default({})
      .describe('Values for the parameters of scheduled runs.'),
  })
  .describe('When runs start automatically, once the file is applied with `renderline apply`.');
export type Schedule = z.output<typeof Schedule>;

export const NamedSchedule = Schedule.extend({
  name: pipelineName.describe(
    "Name that distinguishes the schedule from the file's other schedules; the last part of its name in Temporal.",
  ),
});

export const maxSchedules = 50;
