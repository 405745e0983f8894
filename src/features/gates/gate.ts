// Node type that holds each asset until the gate's opening hours, or until a given time.
import { z } from 'zod';
import { defineNode } from '../../engine/node-type.ts';
import { isDate } from '../../language/calendar/days.ts';
import { findTimeZoneProblem } from '../../language/time-zone.ts';
import { formatGate, type Gate, waitAtGate, weekdays } from './wait-at-gate.ts';

const timeOfDay = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as "20:00"');

const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/;
const timestampMessage = 'must be a time such as "2026-12-01T08:00:00+01:00"';

const Config = z
  .strictObject({
    from: timeOfDay.optional().describe('Time of day at which the gate opens, `"20:00"`.'),
    to: timeOfDay
      .optional()
      .describe(
        'Time of day at which the gate closes. If it is before `from`, the gate is open past midnight.',
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
        (text) => isDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
        timestampMessage,
      )
      .optional()
      .describe('No asset passes before this time.'),
  })
  .refine(({ from, to }) => (from === undefined) === (to === undefined), {
    message: '`from` and `to` must be used together',
  })
  .refine(({ from, to }) => from === undefined || from !== to, {
    message: 'a gate whose `from` is its `to` never opens',
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
  docs: `For work that must not start at any time: renders at night, when nobody else needs the request allowance, or a
collection under embargo. An asset that arrives while the gate is open continues at once. An asset that
arrives earlier waits without any requests and continues together with all others that wait.
An asset that has passed continues even after the gate has closed.

\`from\` and \`to\` are times of day in \`timezone\`, on \`days\`. Hours whose end is before their start last past
midnight and belong to the day on which they start. \`notBefore\` is a point in time. With both, both must hold.
The clock is read about once a minute during long waits. \`timeout\` is how long one asset may wait
(default 7d); after that the asset fails with GATE_TIMEOUT.`,
  example: `name: renders-at-night
parameters:
  folder: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
records: models
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take] }
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
