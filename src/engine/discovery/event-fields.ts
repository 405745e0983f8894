// Config fields of root nodes that start runs on platform events, and the event rules that follow from them.
import { z } from 'zod';
import { parseDurationMs, toDurationMs } from '../../language/duration.ts';
import { duration } from '../../language/fields.ts';
import type { EventRules } from '../../plan/types.ts';

const maxBatchWindowMs = 10 * 60_000;
const minSweepMs = 60_000;

/**
 * Creates the config fields of root nodes that platform events can start. The other parameters complete descriptions:
 * `begins` is the noun for objects that start the pipeline, `made` for those that Renderline may have created.
 */
export function createEventFields<Event extends EventRules['event']>(
  event: Event,
  { begins, made }: { begins: string; made: string },
) {
  return {
    on: z.literal(event).optional().describe(`Starts the pipeline with ${begins}.`),
    gather: duration(
      'With `on`: time for which events are collected into one run; default 5s.',
    ).optional(),
    sweep: duration(
      'With `on`: time between sweeps for objects whose events were lost; default 15m.',
    ).optional(),
    own: z
      .boolean()
      .optional()
      .describe(`With \`on\`: also starts runs for ${made}; default false.`),
  };
}

interface EventFields {
  on?: EventRules['event'] | undefined;
  gather?: string | undefined;
  sweep?: string | undefined;
  own?: boolean | undefined;
  select?: unknown;
}

const rules: readonly [message: string, holds: (config: EventFields) => boolean][] = [
  [
    '`gather`, `sweep` and `own` require `on`',
    ({ on, gather, sweep, own }) => on !== undefined || (gather ?? sweep ?? own) === undefined,
  ],
  ['must have either `on` or `select`', ({ on, select }) => !(on && select)],
  [
    'gather must be at most 10m',
    ({ gather }) => isDurationValid(gather, (ms) => ms <= maxBatchWindowMs),
  ],
  ['sweep must be at least 1m', ({ sweep }) => isDurationValid(sweep, (ms) => ms >= minSweepMs)],
];

/** True if a duration passes the test. An invalid duration also passes, because its own field reports the problem. */
function isDurationValid(text: string | undefined, test: (ms: number) => boolean): boolean {
  const ms = parseDurationMs(text ?? '');
  return ms === null || test(ms);
}

/** Adds checks that the fields of `createEventFields` in a configuration are consistent. */
export function checkEventFields<Config extends z.ZodType<EventFields>>(config: Config): Config {
  return rules.reduce((schema, [message, holds]) => schema.refine(holds, { message }), config);
}

/** Returns the event rules of a configuration, or null if it has no `on`. @param overlapMs `overlapMs` of EventRules */
export function toEventRules(
  { on, gather = '5s', sweep = '15m', own = false }: EventFields,
  overlapMs: number,
): Omit<EventRules, 'batchSize'> | null {
  if (on === undefined) return null;
  return {
    event: on,
    batchWindowMs: toDurationMs(gather),
    sweepIntervalMs: toDurationMs(sweep),
    overlapMs,
    includesOwn: own,
  };
}

/** Overlap for objects that the platform lists as soon as they are created. An hour allows for clock differences. */
export const defaultOverlapMs = 3_600_000;
