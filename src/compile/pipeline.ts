// Schema of the pipeline file, except for the `config` of nodes and the fields of connectors, which depend on the type.
import { z } from 'zod';
import { anyJson } from '../api/contract/schemas.ts';
import { schemaOf } from '../connectors/connector-type.ts';
import { connectorTypes } from '../connectors/index.ts';
import { ChoicesFrom } from '../features/choices.ts';
import { Channel, channelForm, channelName } from '../features/delivery/channels/channel.ts';
import {
  age,
  byteSize,
  choice,
  connectorName,
  duration,
  expression,
  isValidReceiver,
  naming,
  pipelineName,
  receiverFields,
  receiverForm,
  regex,
} from '../language/fields.ts';
import { omitUndefined } from '../plan/helpers/omit-undefined.ts';
import type { RunLimits } from '../plan/run/run-limits.ts';
import { priorities } from '../plan/types.ts';
import { relativeFolder } from '../settings/file-fields.ts';
import { columnName, DataTable } from './data-table.ts';
import { Start } from './http-start.ts';
import { maxSchedules, NamedSchedule, Schedule } from './schedule-fields.ts';

const nodeId = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_-]{0,62}$/,
    'must begin with a letter and contain only letters, digits, - and _',
  )
  .describe('Id of the node, unique in the file; shown in the Temporal UI and in failures.');

const text = z.string().min(1);
const forPeople = z.string().optional().describe('For people.');
const jsonFields = z.record(z.string(), anyJson);
const retries = z.int().min(0).max(10);

const parameterTypes = ['string', 'path', 'integer', 'number', 'boolean', 'enum'] as const;

export const Parameter = z
  .strictObject({
    type: z
      .enum(parameterTypes)
      .describe('Type of the value. `path` is a file or folder; relative paths become absolute.'),
    description: forPeople,
    default: z
      .union([z.string(), z.number(), z.boolean()])
      .optional()
      .describe('Value that is used if none is set.'),
    required: z
      .boolean()
      .optional()
      .describe('Whether a value must be set; true by default if there is no `default`.'),
    min: z.number().optional().describe('Minimum of a number, or minimum length of a string.'),
    max: z.number().optional().describe('Maximum of a number, or maximum length of a string.'),
    pattern: regex.optional().describe('Regular expression that a string must match as a whole.'),
    values: z
      .union([z.array(z.string()).min(1).max(100), ChoicesFrom])
      .optional()
      .describe(
        'Allowed values of an enum: a list, or `from:` with the name of a list of the workspace.',
      ),
  })
  .describe('A value set at the start of a run: `--param NAME=VALUE`.');
export type Parameter = z.output<typeof Parameter>;

/** Finds the workspace list that contains a parameter's values. Null if the file itself defines the valid values. */
export function findChoiceSource({ values }: Pick<Parameter, 'values'>): ChoicesFrom | null {
  return values === undefined || Array.isArray(values) ? null : values;
}

export const parameterName = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

export const Retry = z.strictObject({
  max: retries.optional().describe('Overrides `maxRetries` for this node.'),
});

export const FreshnessField = z
  .strictObject({
    olderThan: age('Maximum age of the results by the platform’s clock, such as 90d.'),
  })
  .describe(
    'Results of this node that exceed an age are created again, even for unchanged assets, together with the results of all nodes after it; `plan` counts these assets.',
  );

export const PipelineNode = z.strictObject({
  id: nodeId,
  type: z.string().min(1),
  enabled: z
    .boolean()
    .default(true)
    .describe('`false` removes the node; its children are linked to its parents.'),
  config: jsonFields.default({}),
  parentIds: z.array(z.string()).default([]).describe('Ids of the nodes that precede this node.'),
  when: expression(
    'CEL expression over the asset; if it is false, the asset skips this node.',
  ).optional(),
  timeout: duration('Maximum time that one asset may take at this node.').optional(),
  retry: Retry.optional().describe('Maximum number of retries of failed work at this node.'),
  redo: FreshnessField.optional(),
});
export type PipelineNode = z.output<typeof PipelineNode>;

const namedRoute = text.describe(
  'Method and path below the base URL, such as `GET /colorway-batches/{batchId}`.',
);

const NamedOperation = z.union(
  [
    namedRoute,
    z.strictObject({
      route: namedRoute,
      body: jsonFields
        .optional()
        .describe(
          'Body of `addVariantsToProject`, which the reference does not show. Each field is fixed text, `{{ variantIds }}` or `{{ projectId }}`.',
        ),
    }),
  ],
  { error: 'must be a method and a path, or {route, body}' },
);

const RecordsField = z.strictObject({
  connector: connectorName,
  folder: relativeFolder.optional().describe('Path of the folder below the connector.'),
});

const maxTables = 10;

const capNumber = z.int().min(1).max(1_000_000_000);
const cap = capNumber.optional();

const RendersLimit = z
  .strictObject({
    perRun: cap.describe('Number of render jobs and captures of a run, as `plan` counts them.'),
    perMonth: capNumber.describe(
      'Render jobs and captures that may be started in a calendar month, retries included.',
    ),
    per: choice(
      ['pipeline', 'workspace'],
      'Which renders count: those of this pipeline, or those of all pipelines with `per: workspace` that share the count.',
    ),
    at: connectorName
      .optional()
      .describe(
        'With `per: workspace`: the connector that stores the count, at the same location for all files; by default, the connector of the records.',
      ),
    timezone: text.default('UTC').describe('IANA time zone in which the months begin.'),
    onBreach: choice(
      ['stop', 'wait'],
      'What happens to a render that exceeds the quota: `stop` fails its asset, which a rerun processes; `wait` submits the render in the next month, while the rest of the run continues.',
    ),
  })
  .refine(({ per, at }) => at === undefined || per === 'workspace', {
    message: 'has `at`, which requires `per: workspace`',
  });

export const Limits = z
  .strictObject({
    renders: z
      .union([capNumber, RendersLimit], { error: 'must be a number, or {perMonth, …}' })
      .optional()
      .describe(
        'Render jobs and captures of a run, as `plan` counts them (one per asset), for example 500; or {perMonth: 10000}, a quota over all runs.',
      ),
    models: cap.describe('Number of models that a run may create.'),
    projects: cap.describe('Number of projects that a run may create.'),
    requests: cap.describe('Number of API requests that a run may send, as `plan` counts them.'),
    storage: byteSize
      .optional()
      .describe('Amount of data that a run may upload, for example 20GB.'),
    withdrawn: cap.describe(
      'Assets that a run may withdraw (`withdrawn` of an export); by default a tenth of the recorded assets, and at least 5. If more products were removed, the run withdraws none of them and does all other work.',
    ),
    inFlight: cap.describe(
      `Assets of a run that are processed at the same time; 25,000 by default.`,
    ),
  })
  .describe('Limits that a plan may not exceed, and how many assets are in flight.');
/** Limits that a plan may not exceed. The other limits are fields of the plan. */
export type Limits = RunLimits;

export function capsOf({ limits }: { limits: z.output<typeof Limits> }): RunLimits {
  const { inFlight: _inFlight, withdrawn: _withdrawn, renders, ...caps } = limits;
  const perRun = typeof renders === 'object' ? renders.perRun : renders;
  return { ...caps, ...omitUndefined({ renders: perRun }) };
}

/** Outcomes of a run, plus `waiting` for an approval and `late` for a missed deadline. */
export const notifyOutcomes = [
  'complete',
  'partial_failure',
  'failed',
  'cancelled',
  'waiting',
  'late',
] as const;

const Notify = z
  .strictObject({
    ...receiverFields,
    on: z
      .array(z.enum(notifyOutcomes))
      .min(1)
      .default([...notifyOutcomes])
      .describe('Outcomes of which the receiver is notified; all outcomes by default.'),
    link: z
      .strictObject({
        for: z.string().trim().min(1).max(100),
        within: duration('How long the link is valid.').default('3d'),
      })
      .optional()
      .describe(
        'Adds a link to notices of `waiting`. The person named in `for` can use the link once to decide about the pictures, until `within` has passed. Address and key of the link are settings of the worker.',
      ),
  })
  .refine(isValidReceiver, { message: receiverForm })
  .describe(
    'A receiver, or a channel of Slack or Teams, that is notified when a run has ended, waits for approval, or is late.',
  );

const Deadline = z
  .strictObject({
    at: z
      .string()
      .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as "06:00"')
      .optional()
      .describe(
        'Time of day by which a run should end: the first occurrence after the start of the run.',
      ),
    timezone: text.optional().describe('IANA time zone of `at`. Default: UTC.'),
    within: duration('Time after the start of a run within which the run should end.').optional(),
  })
  .refine(({ at, within }) => (at === undefined) !== (within === undefined), {
    message: 'must have `at` or `within`',
  })
  .refine(({ at, timezone }) => timezone === undefined || at !== undefined, {
    message: 'has `timezone` without `at`',
  })
  .describe(
    'When a run should have ended. Receivers of `notify` get a notice when the run is expected to be late, and another notice when the run is late; the run continues.',
  );

const failuresForm = 'must be a number of assets, or a percentage in quotes such as "5%"';

const Tolerate = z
  .strictObject({
    failures: z
      .union([z.int().min(0), z.string().regex(/^(?:100|\d{1,2}(?:\.\d{1,2})?)%$/, failuresForm)], {
        error: failuresForm,
      })
      .describe('How many assets of a run may fail, as a number or a percentage.'),
    onBreach: choice(
      ['stop', 'pause'],
      'What happens when more assets fail: `stop` starts nothing new, finishes open work, and fails the run; `pause` waits for `renderline resume`.',
    ),
  })
  .describe(
    'What happens to a run when many assets fail; by default, the run continues to its end.',
  );

const Canary = z
  .strictObject({
    assets: z
      .int()
      .min(1)
      .max(1_000_000)
      .describe(
        'Number of assets that go through the whole pipeline first. The assets are chosen to differ as much as possible, without broken files.',
      ),
    timeout: duration(
      'How long the run waits for approval; after this time the run starts nothing more and fails.',
    ).default('7d'),
  })
  .describe(
    'The first assets of a run; the others wait for `renderline approve`. No approval is needed if the canary covers all assets.',
  );

export const maxIncludes = 10;

/** Shared parts are not pipelines, so they have their own suffix, as tests do. No other file can be included. */
export const sharedFileName = /\.shared\.ya?ml$/i;

export const sharedPath = z
  .string()
  .max(300)
  .regex(
    /^(?![/~])[^\\:{\0]+\.shared\.ya?ml$/i,
    'must be the relative path of a file that ends in .shared.yaml',
  );

/** Maximum number of nodes in a file. It is limited because some checks compare all pairs of nodes. */
export const maxNodes = 100;

export const Pipeline = z.strictObject({
  name: pipelineName.describe('Name of the pipeline, which is the prefix of the ids of its runs.'),
  description: forPeople,
  include: z
    .union([sharedPath, z.array(sharedPath).min(1).max(maxIncludes)], {
      error: 'must be the path of a file that ends in .shared.yaml, or a list of such paths',
    })
    .optional()
    .describe(
      'Shared parts: files `*.shared.yaml` with connectors, parameters and defaults for nodes, which this file uses unless it defines its own.',
    ),
  batchSize: z
    .int()
    .min(1)
    .max(100)
    .default(50)
    .describe('Maximum number of assets in one API call.'),
  maxRetries: retries
    .default(2)
    .describe('Maximum number of retries of failed work of the platform.'),
  parameters: z
    .record(z.string(), Parameter)
    .default({})
    .describe(
      'Parameters by name: values that are set at the start of a run and used as `${{ params.NAME }}`.',
    ),
  connectors: z
    .record(z.string(), z.looseObject({ type: z.string() }))
    .default({})
    .describe('Connectors by name: the locations that files are read from or written to.'),
  records: z
    .union([z.string().min(1).meta({ reference: 'connector' }), RecordsField], {
      error: 'must be the name of a connector, or {connector, folder}',
    })
    .optional()
    .describe('Where asset records are stored; by default next to the outputs of `export`.'),
  data: z
    .record(z.string().regex(columnName), DataTable)
    .refine((tables) => Object.keys(tables).length <= maxTables, {
      message: `must contain at most ${maxTables} tables`,
    })
    .default({})
    .describe('Tables whose rows belong to assets, by name.'),
  key: naming(
    'Key that identifies an asset: a template over path, folder, name and ext (files) or id (platform), or a CEL expression.',
    'key',
  ).optional(),
  limits: Limits.default({}),
  operations: z
    .record(z.string(), NamedOperation)
    .default({})
    .describe(
      "Method and path of operations whose path the platform's reference does not show; overrides `renderline.yaml`.",
    ),
  channels: z
    .record(z.string().regex(channelName, channelForm), Channel)
    .default({})
    .describe(
      'Channels by name: what a shop or marketplace accepts, for `channel` of `images`. These channels override those of `renderline.yaml`.',
    ),
  supersede: z
    .enum(['keep', 'delete-after-success'])
    .optional()
    .describe(
      'What happens to the old version of a changed file on the platform: `keep` (the default), or `delete-after-success`, which deletes its old model and project, or its old library item, once the new version is complete.',
    ),
  schedule: z
    .union([Schedule, z.array(NamedSchedule).min(1).max(maxSchedules)])
    .optional()
    .describe('When runs start automatically: one schedule, or a list of named schedules.'),
  start: Start.optional(),
  priority: z
    .enum(priorities)
    .optional()
    .describe(
      'Priority of the work of a run relative to other runs. By default a run of at most 50 assets is `urgent`, and other runs are `normal`.',
    ),
  deadline: Deadline.optional(),
  tolerate: Tolerate.optional(),
  canary: Canary.optional(),
  notify: z
    .array(Notify)
    .max(5)
    .default([])
    .describe('Receivers that are notified when a run has ended, waits for approval, or is late.'),
  report: relativeFolder
    .optional()
    .describe(
      'Folder on the `export` connector for the report of each run: a page with its pictures, named after the run.',
    ),
  nodes: z
    .array(PipelineNode)
    .min(1)
    .max(maxNodes)
    .describe('Steps for each asset: a single-root graph, linked by `parentIds`.'),
});

/** `schedule` is checked separately, because errors of a union do not show what is wrong. */
const PipelineFields = Pipeline.extend({ schedule: anyJson.optional() });
export type Pipeline = z.output<typeof PipelineFields>;

function createConnectorShape() {
  const [first, ...others] = connectorTypes.map(schemaOf);
  if (first === undefined) throw new RangeError('no connector types are registered');
  return z.discriminatedUnion('type', [first, ...others]);
}

function buildFields() {
  const connectors = z.record(z.string(), createConnectorShape()).default({});
  return { types: connectorTypes.length, shape: PipelineFields.extend({ connectors }) };
}

let fields: ReturnType<typeof buildFields> | undefined;

/** Creates the fields of a file, using the connector types that this process has loaded so far. */
export function createPipelineFields() {
  if (fields?.types !== connectorTypes.length) fields = buildFields();
  return fields.shape;
}
