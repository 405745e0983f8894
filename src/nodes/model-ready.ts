// Holds each asset until the platform has processed its model.
import { z } from 'zod';
import { durationMs, durationPattern } from '../compile/duration.ts';
import { awaitModels } from '../engine/await-models.ts';
import { modelLister } from '../engine/select-models.ts';
import { duration } from './fields.ts';
import { defineNode, type RootRole } from './node-type.ts';
import { SelectModels, selectedModels } from './select.ts';

const longestGatherMs = 10 * 60_000;
const shortestSweepMs = 60_000;

const Config = z
  .strictObject({
    select: SelectModels.optional(),
    on: z
      .literal('model.processed')
      .optional()
      .describe('Begins the pipeline with models that the platform has processed.'),
    gather: duration(
      '`on`: how long events gather into one run; 5s unless told otherwise.',
    ).optional(),
    sweep: duration(
      '`on`: time between looks for what no event told of; 15m unless told otherwise.',
    ).optional(),
    own: z
      .boolean()
      .optional()
      .describe(
        '`on`: also for models that Renderline itself uploaded; false unless told otherwise.',
      ),
  })
  .refine(({ on, gather, sweep, own }) => on || (gather ?? sweep ?? own) === undefined, {
    message: 'has gather, sweep or own, which go with `on`',
  })
  .refine(({ on, select }) => !(on && select), { message: 'begins with either `on` or `select`' })
  .refine(({ gather }) => fits(gather, (ms) => ms <= longestGatherMs), {
    message: 'gathers for 10m at most',
  })
  .refine(({ sweep }) => fits(sweep, (ms) => ms >= shortestSweepMs), {
    message: 'sweeps once a minute at most',
  });

/** What is no duration at all is said by its own field. */
function fits(text: string | undefined, test: (ms: number) => boolean): boolean {
  return text === undefined || !durationPattern.test(text) || test(durationMs(text));
}

/** Begins with what is selected, or with what events tell of: by hand, every model that is ready. */
const root: RootRole<z.output<typeof Config>> = {
  ...selectedModels,
  by: ['select', 'on'],
  brings: (config) => (config?.on ? ['model', 'ready model'] : selectedModels.brings(config)),
  intake: ({ on, gather = '5s', sweep = '15m', own = false }) =>
    on ? { event: on, gatherMs: durationMs(gather), sweepMs: durationMs(sweep), own } : null,
  list: (config, context) =>
    config.on
      ? modelLister({ status: ['READY', 'APPROVED'] }, context)
      : selectedModels.list(config, context),
};

export const modelReady = defineNode({
  type: 'model_ready',
  summary: 'Hold each asset until its model is READY or APPROVED.',
  docs: `Asks for 100 models a request and lets an asset go on the moment its model is ready; one slow model
holds back nobody. FAILED, MODEL_REJECTED and MODEL_REQUIRED fail the asset with that status as the code.
\`timeout\` is how long one asset may take (default 30m).

With \`on: model.processed\` it begins a pipeline with models as the platform has processed them: \`renderline webhooks
FILE\` receives the events and starts runs. Models that Renderline itself uploaded, as far as their records are in the same place, start
none unless \`own: true\`; what no event told of is found by the sweep. Started by hand the pipeline takes every model that is ready.`,
  example: `name: until-ready
parameters:
  folder: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
records: models
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take], timeout: 15m }
`,
  config: Config,
  mode: 'wait',
  root,
  needs: ['model'],
  gives: ['ready model'],
  profile: { batch: 250, startToClose: '2m', timeout: '30m' },
  recipe: [],
  route: () => 'looks at up to 100 models a request, for all shards together',
  run: awaitModels,
});
