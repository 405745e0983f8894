// Fault injection: rules from --faults or POST /_sandbox/faults, evaluated for each request.

import { GlobSet } from 'renderline/language/glob-set';
import { findGlobProblem } from 'renderline/language/read-glob';
import { z } from 'zod';
import { randomFraction } from '../state/seeded-random.ts';

const Refusal = z.strictObject({
  status: z.int().min(400).max(599),
  code: z.string().optional(),
  message: z.string().optional(),
});

/** If true, the idempotency key stores the response that the client did not receive. */
const keptFlag = z.boolean().optional();

const RequestFault = z.union([
  Refusal,
  z.strictObject({ rateLimited: z.literal(true) }),
  z.strictObject({ reset: z.enum(['before', 'after']), kept: keptFlag.describe('default true') }),
  z.strictObject({
    commitThenStatus: z.int().min(500).max(599),
    kept: keptFlag.describe('default false; true stores the response under the idempotency key'),
  }),
  z.strictObject({ truncate: z.literal(true), kept: keptFlag.describe('default true') }),
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
  drop: z.literal(true).optional().describe('the notification is not sent'),
  repeat: z
    .int()
    .positive()
    .max(100)
    .optional()
    .describe('number of additional deliveries of the notification'),
  delayMs: z.int().nonnegative().optional().describe('delay of the notification in real time'),
  reorder: z.literal(true).optional().describe('the notification is sent after the next one'),
  forge: z.enum(forgeries).optional().describe('a forged copy of the notification is sent first'),
});
export type EventFault = z.infer<typeof EventFault>;

const conditions = {
  /** Applies only to the nth match, counted from 1. */
  nth: z.int().positive().optional(),
  /** Applies to every nth match. */
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
  z.strictObject({ match: Glob, ...conditions, do: RequestFault }),
  z.strictObject({
    model: Glob.describe('glob over model names'),
    ...conditions,
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
    ...conditions,
    do: Refusal.pick({ status: true, message: true }),
  }),
  z.strictObject({
    render: Glob.describe('glob over project names'),
    ...conditions,
    do: z.strictObject({
      ...outcome,
      isPreview: z.boolean().optional(),
    }),
  }),
  z.strictObject({
    capture: Glob.describe('glob over variant names'),
    ...conditions,
    do: z.strictObject(outcome),
  }),
  z.strictObject({
    colorway: Glob.describe('glob over model names'),
    ...conditions,
    do: z.strictObject(outcome),
  }),
  z.strictObject({
    event: Glob.describe('glob over event names'),
    ...conditions,
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

/** The effects that the rules of a kind may have. */
type FaultOf<Kind extends FaultKind> = Extract<FaultRule, Record<Kind, string>>['do'];

export class Faults {
  readonly #seed: number;
  #liveRules: LiveRule[] = [];

  constructor(seed: number, rules: readonly FaultRule[] = []) {
    this.#seed = seed;
    this.set(rules);
  }

  /** Replaces all rules and resets their counts. */
  set(rules: readonly FaultRule[]): void {
    this.#liveRules = rules.map((rule, index) => {
      const kind = faultKinds.find((name) => name in rule) ?? 'match';
      // The field that makes a rule one of its kind contains the glob.
      const globs = new GlobSet([(rule as Record<string, unknown>)[kind] as string], {
        style: 'path',
      });
      return { rule, index, globs, seen: 0, used: 0 };
    });
  }

  /** Returns the rules with their number of matches and uses. */
  report() {
    return this.#liveRules.map(({ rule, seen, used }) => ({ rule, seen, used }));
  }

  /** Returns the fault of the first rule that applies to a request. Every matching rule counts the request. */
  requestFault(operation: string, method: string, path: string): RequestFault | undefined {
    let fault: RequestFault | undefined;
    for (const liveRule of this.#liveRules) {
      if (!('match' in liveRule.rule)) continue;
      const hit = liveRule.rule.match === operation || liveRule.globs.hasMatch(`${method} ${path}`);
      if (hit && this.#due(liveRule) && !fault) {
        fault = liveRule.rule.do;
        liveRule.used += 1;
      }
    }
    return fault;
  }

  /**
   * The fault for a model, upload (of a model or library item), render (by its project), capture (by its variant),
   * colorway job (by its model) or event with this name. An event to a job's own `webhookUrl` is evaluated separately.
   */
  faultFor<Kind extends FaultKind>(kind: Kind, name: string): Partial<FaultOf<Kind>> {
    let fault: Partial<FaultOf<Kind>> = {};
    for (const liveRule of this.#liveRules) {
      if (!(kind in liveRule.rule) || !liveRule.globs.hasMatch(name) || !this.#due(liveRule))
        continue;
      liveRule.used += 1;
      fault = Object.assign({}, liveRule.rule.do, fault);
    }
    return fault;
  }

  #due(liveRule: LiveRule): boolean {
    liveRule.seen += 1;
    const { nth, every, times, probability } = liveRule.rule;
    if (times !== undefined && liveRule.used >= times) return false;
    if (nth !== undefined && liveRule.seen !== nth) return false;
    if (every !== undefined && liveRule.seen % every !== 0) return false;
    return (
      probability === undefined ||
      randomFraction(this.#seed, 'fault', liveRule.index, liveRule.seen) < probability
    );
  }
}
