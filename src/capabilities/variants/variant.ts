// Node type that creates colorways of models and chooses the variants to render.
import { z } from 'zod';
import { addVariantsToProject } from '../../api/operations/variants.ts';
import { variantExpression } from '../../language/fields.ts';
import { type CompileScope, defineNode, draftOf } from '../../machinery/node-type.ts';
import { ModelScope, scopedModels } from '../models/scope-root.ts';
import { chooseVariants } from './choose-variants.ts';
import { Colorways, colorwaySpec } from './colorway-grid.ts';
import {
  colorwayBatch,
  colorwayComplete,
  colorwayVariant,
  SwapRule,
  variantsBefore,
} from './colorway-steps.ts';
import { projectVariants } from './project-variants.ts';

const Choice = z.union([
  z.enum(['new', 'all']),
  z.strictObject({
    names: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(100)
      .describe('Names of variants, to the letter or as globs without regard to case.'),
  }),
  z.strictObject({
    where: variantExpression('CEL over `variant` (`id`, `name`, `isNew`) and the asset.'),
  }),
]);

const Config = z
  .strictObject({
    modelScope: ModelScope.optional(),
    swapRules: z
      .array(SwapRule)
      .min(1)
      .max(100)
      .optional()
      .describe(
        'The colorway: which material goes on which slot. Of several that match the platform decides.',
      ),
    colorways: Colorways.optional().describe(
      'A grid: each model becomes an asset in each of its colorways.',
    ),
    choose: Choice.optional().describe(
      'Which variants are drawn: `new` (what the colorway made; the default with `swapRules`), `all`, `names` or `where`.',
    ),
    one: z
      .boolean()
      .optional()
      .describe(
        'Fails an asset for which several variants are chosen. Goes without saying where files are named by `{{ variant }}`.',
      ),
  })
  .refine(({ colorways, ...others }) => {
    const given = ['swapRules', 'choose', 'one'].filter((name) => name in others);
    return colorways === undefined || given.length === 0;
  }, 'takes no swapRules, choose or one with colorways, which say all of it')
  .refine(
    ({ swapRules, choose, colorways }) => [swapRules, choose, colorways].some((one) => one),
    'needs colorways, swapRules or choose',
  )
  .refine(({ swapRules, choose }) => swapRules !== undefined || choose !== 'new', {
    message: 'choose: new needs swapRules, since nothing else makes variants',
  });

/** Keeps a tag scope, but drops model ids, which would be in the payload of every activity. */
function choiceConfig({ modelScope, ...config }: z.output<typeof Config>, one: boolean) {
  return { ...config, one, ...(modelScope?.type === 'tag' ? { modelScope } : {}) };
}

/** Whether exactly one variant must be chosen. Checked before rendering, because file names may need the variant's name. */
function isOne({ one }: z.output<typeof Config>, scope: CompileScope): boolean {
  return one ?? scope.isNamedAfter('variant');
}

function tagRoute({ tagIds = [], property = '' }: z.output<typeof ModelScope>): string {
  const cost = `${tagIds.length + 2} requests, and 3 for 100 models`;
  return `only a run can tell which models carry a tag: it copies the tags into "${property}" (${cost}); this plan counts those of the last copy`;
}

export const variant = defineNode({
  type: 'variant',
  summary: 'Make colorways of the models that come here, and choose the variants to draw.',
  docs: `With \`swapRules\` the models that come here share colorway batches. Materials are named by id, or by a name that exactly one READY material of the library bears. A variant that wears
exactly these materials already is taken as it is. Failed jobs are started again up to \`maxRetries\` times, then reported by asset; what the platform warns of is kept with the asset.

\`render\` then draws only the chosen variants. With \`choose: new\` these are the variants that the model did not have before the batch; if there is none the asset fails with
COLORWAY_NO_VARIANT. A name that two variants bear is an error, never a guess.

With \`modelScope\` it begins a pipeline over models that the platform has already: \`all\` that are READY or APPROVED, \`manual\` by their ids, or \`tag\`. Batches are made over those of
them that are new or have changed, so that a run every night makes a colorway once, and again when the swap rules change. A model without a matching slot fails alone, in every run.

No operation of the platform lists the models of a tag. \`tag\` therefore needs a \`property\`: a MULTI_SELECT property of models that nobody else uses, made once, whose name begins
with Renderline. Each run clears its values and copies the tags into it, which needs a key that may change definitions; \`plan\`, which writes nothing, counts the models of the last
copy.

Comes before the project is made. Where the project is older, as in pipelines that begin with projects, \`operations:\` names the operation that adds variants to it,
\`addVariantsToProject: 'POST /projects/{projectId}/variants'\` ([how](../commands.md#operations-without-a-path)). The chosen ones are added once, a request a project; what is
refused fails the asset as VARIANTS_NOT_ADDED. After a \`render\` it is too late all the same. Projects of one model share its colorway when they come in one batch (\`batchSize\`); in
several batches at once each is paid for, and which is whose cannot be told.
\`renderVariants\` and \`variantsToRender\` of \`render\` count only for assets that pass over this node.

With \`colorways\` each model becomes an asset in each of its colorways, such as \`chairs/oslo@Oak\`, with a record, failures and files of its own (\`{{ colorway }}\`). They come from a list,
a matrix of slots and materials, or a table beside the models, whose rows name a \`model\` (key or glob), or a \`tag\` by its id, which counts only in a \`modelScope\` of that one tag, since no
read tells the tags of a model. What stands before this node is done once a model; batches are shared by all models of a colorway, and renders by fifty. A colorway that is added later is
made alone; one whose materials change is made anew; a variant that wears its materials already is adopted.`,
  example: `name: oak-colorway
parameters:
  folder: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
records: models
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - id: oak
    type: variant
    parentIds: [ready]
    config:
      swapRules:
        - { matchText: wood, matchMode: contains, material: Oak }
  - { id: shots, type: render, parentIds: [oak] }
`,
  config: Config,
  mode: 'call',
  stage: 'composition',
  root: scopedModels,
  needs: ['ready model'],
  gives: ['choice of variants'],
  comesBefore: ['project'],
  lateBy: { operation: addVariantsToProject, unlessThere: 'render' },
  profile: { batch: 50, startToClose: '5m', timeout: '6h' },
  recipe: ['swapRules', 'choose', 'one'],
  asksFor: {
    fields: ['variant', 'colorway'],
    of({ choose, colorways }, field) {
      if (field === 'colorway') return colorways === undefined ? null : true;
      if (field !== 'variant') return null;
      return choose === 'all' ? 'chooses all variants, and no output says which it shows' : true;
    },
  },
  colorways: ({ colorways, modelScope }) =>
    colorways === undefined ? null : colorwaySpec(colorways, modelScope?.tagIds),
  route: ({ modelScope }) =>
    modelScope?.type === 'tag'
      ? `reads the variants of each model and chooses; ${tagRoute(modelScope)}`
      : 'reads the variants of each model and chooses',
  steps(config, scope) {
    const { swapRules, colorways } = config;
    if (colorways !== undefined) {
      return [
        draftOf('before', variantsBefore),
        draftOf('batch', colorwayBatch),
        { ...draftOf('wait', colorwayComplete), redo: { node: scope.node, part: 'batch' } },
        draftOf('', colorwayVariant),
      ];
    }
    const choose = scope.own(choiceConfig(config, isOne(config, scope)));
    const after = scope.mayHave('project') ? [draftOf('project', projectVariants)] : [];
    if (swapRules === undefined) return [choose, ...after];
    const rules = { swapRules };
    return [
      draftOf('before', variantsBefore, rules),
      draftOf('batch', colorwayBatch, rules),
      { ...draftOf('wait', colorwayComplete), redo: { node: scope.node, part: 'batch' } },
      choose,
      ...after,
    ];
  },
  cost: { requests: ({ assets }) => ({ listModelVariants: assets }) },
  run: chooseVariants,
});
