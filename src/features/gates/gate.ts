import { z } from 'zod';
import type { NodeContext } from '../../engine/node-context.ts';
import { defineNode } from '../../engine/node-type.ts';
import { fail } from '../../failures/fail.ts';
import { isDateText } from '../../language/calendar/days.ts';
import { formatDuration } from '../../language/duration.ts';
import { findTimeZoneProblem } from '../../language/time-zone.ts';
import { createZoneOffset } from '../../plan/helpers/zone-offset.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { readyModelsExample } from '../example.ts';
import { gateFailures } from './failures.ts';

export interface Gate {
  /** Time before which the gate does not open, epoch ms. */
  notBeforeMs?: number | undefined;
  hours?: OpeningHours | undefined;
}

/** Formats a gate for plans and failures, such as `20:00 to 06:00 Europe/Berlin (fri, sat)`. */
export function formatGate({ notBeforeMs, hours }: Gate): string {
  const days = hours === undefined || hours.days.length === 7 ? '' : ` (${hours.days.join(', ')})`;
  return [
    ...(notBeforeMs === undefined ? [] : [`not before ${new Date(notBeforeMs).toISOString()}`]),
    ...(hours ? [`${hours.from} to ${hours.to} ${hours.timezone}${days}`] : []),
  ].join(', ');
}

export function waitAtGate(
  gate: Gate,
  assets: readonly StepAsset[],
  { runNow }: Pick<NodeContext, 'runNow'>,
): AssetResult[] {
  const nowMs = runNow();
  const { notBeforeMs = nowMs, hours } = gate;
  if (notBeforeMs <= nowMs && (hours === undefined || isWithinHours(hours, nowMs))) {
    return assets.map(({ key }) => ({ key, outcome: 'done' }));
  }
  return assets.flatMap(({ key, deadlineMs, enteredAtMs = nowMs }) => {
    if (deadlineMs === undefined || nowMs < deadlineMs) return [];
    const waited = formatDuration(deadlineMs - enteredAtMs);
    const message = `the gate (${formatGate(gate)}) did not open within ${waited}`;
    return fail(gateFailures.GATE_TIMEOUT, key, message);
  });
}

export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
type Weekday = (typeof weekdays)[number];

interface OpeningHours {
  /** Time in the form `HH:MM`, like `to`. If `to` is before `from`, the hours extend past midnight. */
  from: string;
  to: string;
  /** Days when the hours start. */
  days: readonly Weekday[];
  /** IANA name of the time zone. */
  timezone: string;
}

const dayMs = 24 * 3_600_000;
const minuteMs = 60_000;

export function isWithinHours(hours: OpeningHours, instantMs: number): boolean {
  const localTimeMs = instantMs + createZoneOffset(hours.timezone)(instantMs);
  const minute = Math.floor((localTimeMs % dayMs) / minuteMs);
  const [from, to] = [minuteOfDay(hours.from), minuteOfDay(hours.to)];
  const isOpeningDay = (beforeMs: number) =>
    hours.days.some((day) => day === weekdays[new Date(localTimeMs - beforeMs).getUTCDay()]);
  if (from < to) return from <= minute && minute < to && isOpeningDay(0);
  return minute >= from ? isOpeningDay(0) : minute < to && isOpeningDay(dayMs);
}

function minuteOfDay(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}

const timeOfDay = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as "20:00"');

const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/;
const timestampMessage = 'must be a time such as "2026-12-01T08:00:00+01:00"';

const Config = z
  .strictObject({
    from: timeOfDay.optional().describe('Time of day at which the gate opens, such as `"20:00"`.'),
    to: timeOfDay
      .optional()
      .describe(
        'Time of day at which the gate closes. If this time is before `from`, the gate is open past midnight.',
      ),
    days: z
      .array(z.enum(weekdays))
      .min(1)
      .default([...weekdays])
      .describe('Days on which the gate opens.'),
    timezone: z
      .string()
      .refine((name) => findTimeZoneProblem(name) === null, {
        message: 'must be an IANA name such as Europe/Berlin or UTC',
      })
      .default('UTC')
      .describe('IANA time zone of `from` and `to`.'),
    notBefore: z
      .string()
      .regex(timestampPattern, timestampMessage)
      .refine(
        (text) => isDateText(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
        timestampMessage,
      )
      .optional()
      .describe('No asset passes the gate before this time.'),
  })
  .refine(({ from, to }) => (from === undefined) === (to === undefined), {
    message: '`from` and `to` must be used together',
  })
  .refine(({ from, to }) => from === undefined || from !== to, {
    message: '`from` and `to` are equal, so the gate would never open',
  })
  .refine(({ from, notBefore }) => (from ?? notBefore) !== undefined, {
    message: 'needs hours (`from` and `to`), `notBefore`, or both',
  });

function toGate({ from, to, days, timezone, notBefore }: z.output<typeof Config>): Gate {
  return {
    notBeforeMs: notBefore === undefined ? undefined : Date.parse(notBefore),
    hours: from === undefined || to === undefined ? undefined : { from, to, days, timezone },
  };
}

export const gate = defineNode({
  type: 'gate',
  summary: 'Hold each asset until the opening hours, or until a given time.',
  docs: `For work that may start only at certain times: renders at night, when nobody else needs the request allowance, or a
collection under embargo. An asset that arrives while the gate is open continues at once. An asset that
arrives earlier waits without any requests and continues together with all others that wait.
An asset that has passed continues even after the gate has closed.

\`from\` and \`to\` are times of day in \`timezone\`, on \`days\`. If \`to\` is before \`from\`, the hours last past
midnight and belong to the day on which they start. \`notBefore\` is a point in time. If both are set, the gate opens only when both allow it.
The clock is read about once a minute during long waits. \`timeout\` is how long one asset may wait
(default 7d); after that the asset fails with GATE_TIMEOUT.`,
  example: `${readyModelsExample('renders-at-night')}
  - id: night
    type: gate
    parentIds: [ready]
    config: { from: "20:00", to: "06:00", timezone: Europe/Berlin }
  - { id: shots, type: render, parentIds: [night] }
`,
  config: Config,
  mode: 'wait',
  waitsFor: 'the gate to open',
  needs: [],
  gives: [],
  profile: { batch: 250, startToClose: '2m', timeout: '7d' },
  recipe: [],
  route: (config) => `opens ${formatGate(toGate(config))}; sends no requests`,
  run: (config, assets, context) => Promise.resolve(waitAtGate(toGate(config), assets, context)),
});
