// Fault injection: rules from --faults or POST /_sandbox/faults, evaluated for each request.

import { GlobSet } from 'renderline/language/glob-set';
import { findGlobProblem } from 'renderline/language/read-glob';
import { z } from 'zod';
import { fraction } from '../state/seeded-random.ts';

const Refusal = z.strictObject({
  status: z.int().min(400).max(599),
  code: z.string().optional(),
  message: z.string().optional(),
});

/** If true, the idempotency key stores the response that the client did not receive. */
const kept = z.boolean().optional();

const RequestFault = z.union([
  Refusal,
  z.strictObject({ rateLimited: z.literal(true) }),
  z.strictObject({ reset: z.enum(['before', 'after']), kept: kept.describe('default true') }),
  z.strictObject({
    commitThenStatus: z.int().min(500).max(599),
    kept: kept.describe('default false; true stores the response under the idempotency key'),
  }),
  z.strictObject({ truncate: z.literal(true), kept: kept.describe('default true') }),
  z.strictObject({
    leaveOut: z.int().positive().describe('number of items missing at the end of the first list'),
  }),
  z.strictObject({ delayMs: z.int().nonnegative(), before: z.boolean().optional() }),
  z.strictObject({ trickleBytesPerSecond: z.int().positive() }),
  z.strictObject({ body: z.string(), contentType: z.string().optional() }),
]);
export type RequestFault = z.infer<typeof RequestFault>;

/** Kinds of forged notifications: without signature, signed with another secret, changed after signing. */
export const forgeries = ['unsigned', 'wrong-secret', 'tampered'] as const;

const EventFault = z.strictObject({
  drop: z.literal(true).optional().describe('not sent'),
  repeat: z.int().positive().max(100).optional().describe('number of additional deliveries'),
  delayMs: z.int().nonnegative().optional().describe('delay in real time'),
  reorder: z.literal(true).optional().describe('sent after the next one'),
  forge: z.enum(forgeries).optional().describe('a forged copy is sent first'),
});
export type EventFault = z.infer<typeof EventFault>;

const when = {
  /** Only the nth match, counted from 1. */
  nth: z.int().positive().optional(),
  /** Every nth match. */
  every: z.int().positive().optional(),
  /** Maximum number of uses. */
  times: z.int().positive().optional(),
  /** Share of the matches, chosen by the seed. */
  probability: z.number().min(0).max(1).optional(),
};

const Glob = z
  .string()
  .min(1)
  .superRefine((glob, context) => {
    const refusal = findGlobProblem(glob);
    if (refusal !== null) context.addIssue(`the glob ${refusal.reason}`);
  });

const outcome = {
  failure: z.string().optional(),
  durationMs: z.number().nonnegative().optional(),
};

/** A fault rule. `match` is an operation id, or `METHOD /path` with shell globs. */
export const FaultRule = z.union([
  z.strictObject({ match: Glob, ...when, do: RequestFault }),
  z.strictObject({
    model: Glob.describe('glob over model names'),
    ...when,
    do: z.strictObject({
      ...outcome,
      refuse: z
        .string()
        .optional()
        .describe('the create response reports this error instead of the model'),
    }),
  }),
  z.strictObject({
    upload: Glob.describe('glob over names of models and library items'),
    ...when,
    do: Refusal.pick({ status: true, message: true }),
  }),
  z.strictObject({
    render: Glob.describe('glob over project names'),
    ...when,
    do: z.strictObject({
      ...outcome,
      isPreview: z.boolean().optional(),
    }),
  }),
  z.strictObject({
    capture: Glob.describe('glob over variant names'),
    ...when,
    do: z.strictObject(outcome),
  }),
  z.strictObject({
    colorway: Glob.describe('glob over model names'),
    ...when,
    do: z.strictObject(outcome),
  }),
  z.strictObject({
    event: Glob.describe('glob over event names'),
    ...when,
    do: EventFault,
  }),
]);
export type FaultRule = z.infer<typeof FaultRule>;
export const FaultRules = z.array(FaultRule);

interface LiveRule {
  readonly rule: FaultRule;
  readonly globs: GlobSet;
  readonly index: number;
  seen: number;
  used: number;
}

const faultKinds = ['model', 'upload', 'render', 'capture', 'colorway', 'event'] as const;
type FaultKind = (typeof faultKinds)[number];

/** What the rules of a kind may do. */
type FaultOf<Kind extends FaultKind> = Extract<FaultRule, Record<Kind, string>>['do'];

export class Faults {
  readonly #seed: number;
  #live: LiveRule[] = [];

  constructor(seed: number, rules: readonly FaultRule[] = []) {
    this.#seed = seed;
    this.set(rules);
  }

  /** Replaces all rules and resets their counts. */
  set(rules: readonly FaultRule[]): void {
    this.#live = rules.map((rule, index) => {
      const kind = faultKinds.find((each) => each in rule) ?? 'match';
      // The field that makes a rule one of its kind has the glob.
      const globs = new GlobSet([(rule as Record<string, unknown>)[kind] as string], {
        style: 'path',
      });
      return { rule, index, globs, seen: 0, used: 0 };
    });
  }

  /** The rules with their number of matches and uses. */
  report() {
    return this.#live.map(({ rule, seen, used }) => ({ rule, seen, used }));
  }

  /** The fault of the first rule that applies to a request. Every matching rule counts the request. */
  requestFault(operation: string, method: string, path: string): RequestFault | undefined {
    let chosen: RequestFault | undefined;
    for (const live of this.#live) {
      if (!('match' in live.rule)) continue;
      const hit = live.rule.match === operation || live.globs.matchesAny(`${method} ${path}`);
      if (hit && this.#due(live) && !chosen) {
        chosen = live.rule.do;
        live.used += 1;
      }
    }
    return chosen;
  }

  /**
   * The fault for a model, upload (of a model or library item), render (by its project), capture (by its variant),
   * colorway job (by its model) or event of this name. An event to a job's own `webhookUrl` is evaluated separately.
   */
  faultFor<Kind extends FaultKind>(kind: Kind, name: string): Partial<FaultOf<Kind>> {
    let fault: Partial<FaultOf<Kind>> = {};
    for (const live of this.#live) {
      if (!(kind in live.rule) || !live.globs.matchesAny(name) || !this.#due(live)) continue;
      live.used += 1;
      fault = Object.assign({}, live.rule.do, fault);
    }
    return fault;
  }

  #due(live: LiveRule): boolean {
    live.seen += 1;
    const { nth, every, times, probability } = live.rule;
    if (times !== undefined && live.used >= times) return false;
    if (nth !== undefined && live.seen !== nth) return false;
    if (every !== undefined && live.seen % every !== 0) return false;
    return (
      probability === undefined ||
      fraction(this.#seed, 'fault', live.index, live.seen) < probability
    );
  }
}
