// The fields of commands' JSON output that the pages read. docs/commands.md describes the whole output.
import { z } from 'zod';
import { workStages } from '../plan/stages.ts';

const counted = z.record(z.string(), z.number());
const begins = z.array(
  z.object({
    begin: z.enum([...workStages, 'delivery']),
    assets: z.number(),
    olderThan: z.string().optional(),
    isMoved: z.literal(true).optional(),
  }),
);

/** `renderline/error/v1`, with the problems of a pipeline file if there are any. */
export const ErrorOutput = z.object({
  code: z.string(),
  message: z.string(),
  fix: z.string().default(''),
  problems: z
    .array(
      z.object({
        file: z.string(),
        line: z.number(),
        col: z.number(),
        message: z.string(),
        hint: z.string().optional(),
      }),
    )
    .optional()
    .catch(undefined),
});
export type ErrorOutput = z.output<typeof ErrorOutput>;

/** `renderline/plan/v1`. */
export const PlanOutput = z.object({
  pipeline: z.string(),
  assets: z.object({
    total: z.number(),
    new: z.number(),
    changed: z.number(),
    unchanged: z.number(),
    refused: z.number(),
    later: z.number(),
  }),
  begins,
  renders: z.number(),
  max: z.boolean(),
  requests: z.object({ total: z.number(), byOperation: counted }),
  seconds: z.number(),
  canary: z.object({ assets: z.number() }).nullable(),
  excess: z.array(z.unknown()),
});
export type PlanOutput = z.output<typeof PlanOutput>;

const paidCounts = z.object({ renders: z.number(), models: z.number(), captures: z.number() });

const PaidOutput = paidCounts.extend({ failedRenders: z.number(), possibly: paidCounts });

/** `renderline/run/v1`, the output of `show`. */
export const RunOutput = z.object({
  run: z.string().nullable(),
  pipeline: z.string(),
  outcome: z.string(),
  cause: z.object({ code: z.string(), message: z.string(), fix: z.string() }).nullable(),
  canary: z
    .object({ assets: z.number(), state: z.string(), until: z.string().nullable() })
    .nullable(),
  destination: z.string().nullable(),
  assets: z.object({
    total: z.number(),
    complete: z.number(),
    failed: z.number(),
    skipped: z.number(),
    unchanged: z.number(),
    cancelled: z.number(),
  }),
  unknown: z.string().nullable().default(null),
  discovered: z.boolean().default(true),
  files: z.array(
    z.object({ key: z.string(), path: z.string(), width: z.number(), height: z.number() }),
  ),
  failures: z.array(z.unknown()),
  requests: z.object({ total: z.number() }),
  begins,
  exports: z.array(
    z.object({
      node: z.string(),
      destination: z.string().nullable(),
      files: z.number(),
      failed: z.number(),
    }),
  ),
  paid: PaidOutput.nullable(),
  waits: z.array(
    z.object({
      step: z.string(),
      assets: z.number(),
      since: z.string(),
      for: z.string().nullable(),
    }),
  ),
  seconds: z.number(),
  temporalUi: z.string().nullable().optional(),
  remark: z.string().nullable().default(null),
  steps: z
    .array(
      z.object({
        id: z.string(),
        count: z.object({
          waiting: z.number(),
          running: z.number(),
          done: z.number(),
          failed: z.number(),
        }),
      }),
    )
    .default([]),
});
export type RunOutput = z.output<typeof RunOutput>;

/** Pictures of `renderline/approve/v1`: small JPEGs in base64. */
export const PicturesOutput = z.object({
  pictures: z.array(
    z.object({
      key: z.string(),
      path: z.string(),
      change: z.number(),
      before: z.string(),
      after: z.string(),
    }),
  ),
});
export type PicturesOutput = z.output<typeof PicturesOutput>;

/** `renderline/failures/v1`. */
export const FailuresOutput = z.object({
  redo: z.string().nullable(),
  groups: z.array(
    z.object({
      code: z.string(),
      node: z.string(),
      count: z.number(),
      message: z.string(),
      fix: z.string().nullable(),
      keys: z.array(z.string()),
      redo: z.string().nullable(),
    }),
  ),
});
export type FailuresOutput = z.output<typeof FailuresOutput>;

/** `renderline/runs/v1`. */
export const RunsOutput = z.object({
  runs: z.array(
    z.object({
      run: z.string(),
      pipeline: z.string(),
      state: z.string(),
      startedAt: z.string(),
      seconds: z.number().nullable(),
      unreadable: z.object({ code: z.string(), message: z.string() }).nullable().default(null),
      stranded: z.object({ why: z.string(), fix: z.string() }).nullable().default(null),
    }),
  ),
});
export type RunsOutput = z.output<typeof RunsOutput>;
