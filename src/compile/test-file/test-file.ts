// Schema of a test file, which contains the tests of one pipeline.
import { z } from 'zod';
import { modelStatuses } from '../../api/operations/models.ts';
import { webhookEvents } from '../../api/operations/webhooks.ts';
import { durationPattern, parseDurationMs } from '../../language/duration.ts';
import { duration, glob } from '../../language/fields.ts';

const text = z.string().min(1);
const optionalText = text.optional();
const texts = z.array(text);
const optionalTrue = z.literal(true).optional();
const optionalCount = z.int().min(1).optional();
const name = text.max(200);
const relativePath = z.string().min(1).max(500).meta({ reference: 'test path' });
const slots = texts
  .min(1)
  .max(50)
  .describe('Names of the slots of a generated model; by default one slot, `body`.');

const breakages = ['truncated', 'empty', 'not a model'] as const;

const GeneratedFile = z.strictObject({
  path: relativePath.describe(
    'Path below the folder of the test. A path that ends with .glb creates a model, .png or .jpg a picture. With `count`, `{n}` becomes 1, 2, 3 …',
  ),
  count: z
    .int()
    .min(1)
    .max(2_000)
    .optional()
    .describe('Number of files to create; requires `{n}` in `path`.'),
  slots: slots.optional(),
  broken: z.enum(breakages).optional().describe('Creates a file that cannot be used.'),
  text: z.string().optional().describe('Content of the file, for example of a table.'),
  copy: optionalText.describe('File whose content is copied, relative to the test file.'),
});
export type GeneratedFile = z.output<typeof GeneratedFile>;

const files = z
  .array(z.union([relativePath, GeneratedFile], { error: 'must be a path, or {path, …}' }))
  .max(500)
  .describe(
    'Files that exist when the run starts. A parameter of type `path` without a value refers to the folder with the name of the parameter.',
  );

const PlatformModel = z.strictObject({
  name: name.describe('Name of the model. With `count`, `{n}` becomes 1, 2, 3 …'),
  count: z.int().min(1).max(500).optional(),
  slots: slots.optional(),
  status: z.enum(modelStatuses).optional().describe('Status of the model; READY by default.'),
  category: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Category of the model; none by default.'),
  tags: texts.default([]).describe('Names of tags to create.'),
});

const PlatformView = z.union([name, z.strictObject({ name, id: name })], {
  error: 'must be a name, or {name, id}',
});

const OwnTemplate = z.strictObject({
  name,
  id: z
    .string()
    .regex(/^[\w-]{1,200}$/, 'must contain only letters, digits, - and _')
    .optional()
    .describe(
      'Id with which the pipeline refers to the template; by default the platform chooses one.',
    ),
  views: z
    .array(PlatformView)
    .min(1)
    .max(50)
    .default(['Main'])
    .describe(
      'Cameras of the template, each of which renders a picture: names, or names with ids.',
    ),
  shots: z
    .array(PlatformView)
    .max(4)
    .default([])
    .describe('Camera moves of the template, each of which renders a one-second video.'),
  transparent: z
    .boolean()
    .default(false)
    .describe(
      'Whether the pictures have a transparent background, which channels with a white background require.',
    ),
});

const limit = z.int().min(0).optional();

const Platform = z
  .strictObject({
    models: z.array(PlatformModel).max(100).default([]).describe('Existing models.'),
    templates: z
      .array(z.union([name, OwnTemplate], { error: 'must be a name, or {name, views, …}' }))
      .max(100)
      .default([])
      .describe(
        'Templates of the workspace, in addition to the public templates of the sandbox. A plain name creates a template with one camera, `Main`.',
      ),
    materials: texts.max(100).default([]).describe('Names of existing materials.'),
    properties: texts
      .max(20)
      .default([])
      .describe('Names of existing MULTI_SELECT properties of models.'),
    tags: texts
      .max(50)
      .default([])
      .describe(
        'Names of existing tags. In a parameter, `{{ tags.NAME }}` becomes the id of the tag.',
      ),
    rateLimit: z
      .int()
      .min(0)
      .max(100_000)
      .default(0)
      .describe('Requests that the platform accepts per minute; 0 sets no limit.'),
    limits: z
      .strictObject({
        models: limit,
        projects: limit,
        rendersPerMonth: limit,
        rendersPerYear: limit,
        captures: limit,
        storageBytes: limit,
      })
      .default({})
      .describe(
        'Limits of the workspace plan; unlimited by default. The platform only reports the numbers of renders and refuses no render for them.',
      ),
    notifications: z
      .boolean()
      .default(false)
      .describe(
        'Whether notifications are received, so that waits poll immediately. Always true if events start the runs.',
      ),
  })
  .describe('What exists on the platform when the test begins.');

const subjects = {
  model: glob.describe('Processing of models whose names match the glob.').optional(),
  upload: glob.describe('Uploads of files whose names match the glob.').optional(),
  render: glob.describe('Renders of projects whose names match the glob.').optional(),
  capture: glob.describe('Captures of variants whose names match the glob.').optional(),
  colorway: glob.describe('Colorway jobs of models whose names match the glob.').optional(),
  request: text.describe('Requests of this operation, or `*` for all operations.').optional(),
  notification: z
    .enum([...webhookEvents, '*'])
    .describe('Notifications of this event, or `*` for all events.')
    .optional(),
  worker: z
    .literal('killed')
    .describe('The worker process is killed, and another worker is started.')
    .optional(),
};

export type FaultSubject = keyof typeof subjects;

export const Fault = z
  .strictObject({
    ...subjects,
    takes: duration('Duration of the work. For a request: the delay of the response.').optional(),
    fails: z
      .union([z.literal(true), z.string().min(1).max(200)], { error: 'must be true or a reason' })
      .optional()
      .describe('The work fails; a text is the reason that the platform gives.'),
    answers: z
      .int()
      .min(400)
      .max(599)
      .optional()
      .describe('The request, or the upload, is refused with this status; nothing is done.'),
    code: optionalText.describe('Error code of the response.'),
    done: optionalTrue.describe('With `answers: 5xx`: the work is done anyway.'),
    rateLimited: optionalTrue.describe('The request gets status 429.'),
    lost: z
      .union([z.literal(true), z.enum(['request', 'answer'])], {
        error: 'must be `request` or `answer`, or true for a notification',
      })
      .optional()
      .describe(
        'The connection breaks before the work (`request`) or after it (`answer`); a notification is dropped.',
      ),
    omits: optionalCount.describe(
      'Number of items missing at the end of the list in the response, as if the list lagged.',
    ),
    late: duration('Delay of a notification.').optional(),
    repeated: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe('Number of additional times that a notification is sent.'),
    after: optionalText.describe(
      '`worker` dies right after the response to a request of this operation.',
    ),
    at: optionalText.describe('`worker` dies when the work of this node starts.'),
    nth: optionalCount.describe('Affects only the nth occurrence.'),
    every: optionalCount.describe('Affects every nth occurrence.'),
    times: optionalCount.describe('Maximum number of affected occurrences; unlimited by default.'),
  })
  .describe('A fault to inject: one subject, and what happens to the subject.');
export type Fault = z.output<typeof Fault>;

export const faultFields: Record<FaultSubject, readonly (keyof Fault)[]> = {
  model: ['takes', 'fails'],
  upload: ['answers'],
  render: ['takes', 'fails'],
  capture: ['takes', 'fails'],
  colorway: ['takes', 'fails'],
  request: ['takes', 'answers', 'rateLimited', 'lost', 'omits'],
  notification: ['lost', 'late', 'repeated'],
  worker: ['after', 'at'],
};

const boundsPattern = /^(?:(?:<=|>=|<|>)\s*\d{1,9}|\d{1,9}\s*\.\.\s*\d{1,9})$/;
const boundsForm = 'must be a number, or bounds such as "<= 5", ">= 1" or "2..4"';
const bounds = z.union([z.int().min(0), z.string().regex(boundsPattern, boundsForm)], {
  error: boundsForm,
});
const timeBoundPattern = new RegExp(`^([<>]=?)\\s*(${durationPattern.source.slice(1, -1)})$`);
const timeBoundForm = 'must be a bound such as "< 30m"';

/** Parses a bound of a duration, such as `< 30m`. Returns null if the text is not such a bound. */
export function parseTimeBound(text: string): { sign: string; ms: number } | null {
  const [, sign = '', time = ''] = timeBoundPattern.exec(text) ?? [];
  const ms = parseDurationMs(time);
  return ms === null ? null : { sign, ms };
}

const optionalBounds = bounds.optional();
export type Bounds = z.output<typeof bounds>;

const outcomes = [
  'complete',
  'partial_failure',
  'failed',
  'cancelled',
  'paused',
  'invalid',
] as const;

const ExpectedFailure = z.strictObject({
  key: text.describe('Key of the asset.'),
  code: text.meta({ reference: 'failure code' }).optional(),
  node: optionalText.describe('Node at which the asset failed.'),
  says: optionalText.describe('Part of the message of the failure.'),
});

export const Expect = z
  .strictObject({
    outcome: z
      .enum(outcomes)
      .optional()
      .describe(
        'How the run ends; `invalid` means that the pipeline is refused with these parameters.',
      ),
    cause: optionalText.describe('Code of the cause that stops or refuses the whole run.'),
    runs: optionalBounds.describe('Number of runs that events start.'),
    assets: z
      .strictObject({
        total: optionalBounds,
        complete: optionalBounds,
        failed: optionalBounds,
        skipped: optionalBounds,
        unchanged: optionalBounds,
      })
      .optional()
      .describe('Numbers of assets of the run, by result.'),
    files: texts.max(2_000).optional().describe('All delivered files, in any order.'),
    fileCount: optionalBounds.describe('Number of delivered files.'),
    failures: z
      .array(ExpectedFailure)
      .max(500)
      .optional()
      .describe('All failures of assets, in any order; an empty list means that no asset fails.'),
    failureCodes: z
      .record(z.string(), bounds)
      .optional()
      .describe('Number of assets that fail with each code; other codes must not occur.'),
    warnings: texts
      .max(100)
      .optional()
      .describe('Parts of messages; each must occur in at least one warning.'),
    requests: z
      .record(z.string(), bounds)
      .optional()
      .describe(
        'Number of API requests by operation, or of all operations as `total`; other operations are not checked.',
      ),
    notices: z
      .array(
        z.strictObject({
          url: optionalText.describe(
            'Address of the receiver, or the variable that contains the address (`urlFrom`).',
          ),
          type: optionalText.describe('Type of the notice, such as run.ended.'),
          outcome: optionalText,
          key: optionalText.describe('The asset that the notice is about.'),
          says: optionalText.describe('Part of the notice, such as the title of a message.'),
        }),
      )
      .max(100)
      .optional()
      .describe('All notices that the pipeline sends, in any order.'),
    starts: z
      .strictObject({
        schedule: optionalText.describe('Name of the schedule, if the file has several.'),
        from: text.describe(
          'Date or time at which the range starts, by the clock of the schedule.',
        ),
        to: text.describe('Date or time at which the range ends, not included.'),
        at: texts
          .max(500)
          .describe(
            'Expected starts in this range: `2026-03-29T02:00`, by the clock of the schedule, or with Z or an offset.',
          ),
      })
      .optional()
      .describe(
        'When the schedule starts runs. This check needs no run. Days of calendars (.ics) count as ordinary days.',
      ),
    takes: z
      .string()
      .regex(timeBoundPattern, { error: timeBoundForm, abort: true })
      .refine((text) => parseTimeBound(text) !== null, timeBoundForm)
      .optional()
      .describe('Bound on the duration of the run in platform time, such as `< 30m`.'),
    snapshot: z
      .boolean()
      .optional()
      .describe(
        'Whether outcome, counts, files, failures and warnings must match the snapshot next to the test file; `--update` writes the snapshot.',
      ),
  })
  .describe('The expected result; fields that are not set are not checked.');
export type Expect = z.output<typeof Expect>;

const parameterValue = z.union([z.string(), z.number(), z.boolean()]);
const parameters = z
  .record(z.string(), parameterValue)
  .default({})
  .describe('Parameter values. Relative paths start at the folder of the test.');

const runFields = {
  parameters,
  files: files.default([]),
  faults: z.array(Fault).max(100).default([]).describe('Faults from the start of the run.'),
  approve: optionalTrue.describe(
    'Approves the run when it waits for approval; without it, the run ends there as `paused`.',
  ),
  uploads: z
    .array(PlatformModel)
    .max(100)
    .default([])
    .describe('Models that somebody uploads while the pipeline waits for events.'),
  expect: Expect,
};

const NextRun = z.strictObject({
  ...runFields,
  remove: z.array(relativePath).max(500).default([]).describe('Files to delete before the run.'),
});

export const PipelineTest = z.strictObject({
  name,
  skip: optionalText.describe('Reason why the test is skipped.'),
  timeout: duration('Timeout of the whole test in real time; 60s by default.').optional(),
  platform: Platform.prefault({}),
  ...runFields,
  again: z
    .array(NextRun)
    .max(20)
    .default([])
    .describe('Further runs, one after the other, on the state that the previous runs left.'),
});
export type PipelineTest = z.output<typeof PipelineTest>;
export type TestRun = z.output<typeof NextRun>;

export const TestFile = z.strictObject({
  pipeline: optionalText.describe(
    'Path of the pipeline, relative to this file; by default NAME.yaml next to NAME.test.yaml.',
  ),
  parameters: parameters.describe('Parameter values for all tests.'),
  tests: z.array(PipelineTest).min(1).max(200),
});
export type TestFile = z.output<typeof TestFile>;
