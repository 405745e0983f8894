// Requests and responses for starting runs over HTTP. The OpenAPI document is generated from these schemas.
import { z } from 'zod';

/** Maximum size of a body. A body contains names and values, never files. */
export const maxRequestBytes = 16 * 1024;
export const requestBounds = { values: 2_000, depth: 4 };

export const RunRequest = z
  .strictObject({
    parameters: z
      .record(
        z.string().regex(/^\w{1,63}$/, 'must be the name of a parameter'),
        z.union([z.string().max(2_000), z.number(), z.boolean()], {
          error: 'must be text of at most 2000 characters, a number, true or false',
        }),
      )
      .default({})
      .describe("Values of the pipeline's parameters, by name."),
    only: z
      .array(z.string().min(1).max(1_000))
      .min(1)
      .max(500)
      .optional()
      .describe('Keys of assets, or globs. The run processes only these assets.'),
    dryRun: z
      .boolean()
      .default(false)
      .describe('If true, the response is the plan, and nothing is started.'),
  })
  .describe('The run to start.');
export type RunRequest = z.output<typeof RunRequest>;

const Work = z
  .object({
    assets: z.int().describe('Assets that the run processes.'),
    unchanged: z.int().describe('Assets without work, because nothing has changed.'),
    renders: z.int(),
    requests: z.int().describe('Requests to the platform.'),
    max: z
      .boolean()
      .describe('`renders` is an upper bound: only the run can evaluate some conditions.'),
    seconds: z.number().describe('Estimated duration.'),
  })
  .describe('Amount of work that the run has to do.');

const RunPlan = z.object({
  hash: z.string().describe('Plans with the same hash are equal.'),
  steps: z.array(z.string()),
  work: Work.nullable().describe('null unless the request has `only` or `dryRun`.'),
});
export type RunPlan = z.output<typeof RunPlan>;

export const StartedRun = z
  .object({
    schema: z.literal('renderline/http-run/v1'),
    pipeline: z.string(),
    run: z.string().nullable().describe('Id of the run; null if nothing was started.'),
    state: z.string().nullable().describe('Path of the state of the run, as in `Location`.'),
    plan: RunPlan,
  })
  .describe('A run that was started, or a plan.');
export type StartedRun = z.output<typeof StartedRun>;

const Counts = z.object({
  total: z.int(),
  complete: z.int(),
  failed: z.int(),
  skipped: z.int(),
});

const outcomes = [
  'running',
  'paused',
  'complete',
  'partial_failure',
  'failed',
  'cancelled',
  'terminated',
] as const;

/** Maximum number of failures that the state of a run lists. */
export const maxFailures = 20;

export const RunState = z
  .object({
    schema: z.literal('renderline/http-run-state/v1'),
    pipeline: z.string(),
    run: z.string(),
    outcome: z.enum(outcomes).describe('`paused` includes runs that wait for approval.'),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
    assets: Counts.nullable().describe('null while no worker responds.'),
    cause: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe('Why the whole run stopped or is paused.'),
    failures: z
      .array(z.object({ key: z.string(), node: z.string(), code: z.string(), message: z.string() }))
      .max(maxFailures)
      .describe(`The first ${maxFailures} failures.`),
  })
  .describe('The state of a run.');
export type RunState = z.output<typeof RunState>;

export const Problem = z
  .object({
    type: z.literal('about:blank'),
    title: z.string(),
    status: z.int(),
    code: z.string().describe('Stable code, for programs.'),
    detail: z.string().describe('Explanation, for people.'),
    errors: z
      .array(z.object({ name: z.string(), message: z.string() }))
      .optional()
      .describe('One entry for each invalid field or parameter.'),
  })
  .describe('Why a request was refused, as in RFC 9457.');
export type Problem = z.output<typeof Problem>;
export type FieldProblem = NonNullable<Problem['errors']>[number];
