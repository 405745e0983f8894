import { z } from 'zod';
import { variantOperations } from '../../api/operations/variants.ts';
import { createDraft, defineNode } from '../../engine/node-type.ts';
import { variantExpression } from '../../language/fields.ts';
import { readyModelsExample } from '../example.ts';
import { ModelScope, scopedModels } from '../models/selection/model-scope.ts';
import { slotDemandOf } from '../slots/slot-demands.ts';
import { SwapRule } from '../slots/swap-rule.ts';
import { chooseVariants } from './choose-variants.ts';
import {
  colorwayBatch,
  colorwayComplete,
  colorwayVariant,
  projectVariants,
  variantsBefore,
} from './colorway-steps.ts';
import { colorways as colorwayDimension } from './grid/colorways.ts';
import { Colorways, toColorwaySpec } from './grid/colorways-field.ts';

const Choice = z.union([
  z.enum(['new', 'all']),
  z.strictObject({
    names: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(100)
      .describe('Names of variants: exact names, or globs that ignore case.'),
  }),
  z.strictObject({
    where: variantExpression('CEL condition on `variant` (`id`, `name`, `isNew`) and the asset.'),
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
        'Rules of the colorway: which material each slot gets. If several rules match a slot, the platform decides which rule applies.',
      ),
    colorways: Colorways.optional().describe(
      'Grid of colorways: each model becomes one asset per colorway.',
    ),
    choose: Choice.optional().describe(
      'Which variants are rendered: `new` (those that the colorway created; the default with `swapRules`), `all`, `names` or `where`.',
    ),
    one: z
      .boolean()
      .optional()
      .describe(
        'Fails an asset for which several variants are chosen. Default: true if a later `naming` uses `{{ variant }}`, else false.',
      ),
  })
  .refine(({ colorways, ...others }) => {
    const givenFields = ['swapRules', 'choose', 'one'].filter((name) => name in others);
    return colorways === undefined || givenFields.length === 0;
  }, 'swapRules, choose and one cannot be combined with colorways')
  .refine(
    ({ swapRules, choose, colorways }) => [swapRules, choose, colorways].some((field) => field),
    'needs colorways, swapRules or choose',
  )
  .refine(({ swapRules, choose }) => swapRules !== undefined || choose !== 'new', {
    message: 'choose: new needs swapRules, because nothing else creates variants',
  });

/** Keeps a tag scope, but drops model ids, because they would be in the payload of every activity. */
function toChoiceConfig({ modelScope, ...config }: z.output<typeof Config>, isSingle: boolean) {
  return { ...config, one: isSingle, ...(modelScope?.type === 'tag' ? { modelScope } : {}) };
}

function formatTagRoute({ tagIds = [], property = '' }: z.output<typeof ModelScope>): string {
  const cost = `${tagIds.length + 2} requests, and 3 per 100 models`;
  return `only a run can find the models of a tag: it copies the tags into "${property}" (${cost}); this plan counts the models of the last copy`;
}

export const variant = defineNode({
  type: 'variant',
  summary: 'Create colorways of models, and choose the variants to render.',
  docs: `- **\`swapRules\`**: the models share colorway batches. Materials are named by id, or by a name that exactly one READY material of the library
  has. A variant that already has exactly these materials is reused. Failed jobs are retried up to \`maxRetries\` times, then reported by
  asset; warnings of the platform are kept with the asset.
- **\`choose\`**: \`render\` renders only the chosen variants: \`new\` (those that the model did not have before the batch; without a new variant, the asset
  fails with COLORWAY_NO_VARIANT), \`all\`, \`names\` or \`where\`. A name that two variants share is an error.
- **\`modelScope\`**: the pipeline starts with existing models of the platform: \`all\` for each READY or APPROVED model, \`manual\` for models by their ids, or \`tag\`.
  Batches contain only models that are new or changed, so a nightly run creates a colorway once, and again when the swap rules change. A
  model without a matching slot fails alone, in every run.
- **\`modelScope\` with \`tag\`**: no operation lists the models with a tag, so this scope needs a \`property\`: a MULTI_SELECT property of models that nothing
  else uses, created once, whose name starts with Renderline. Each run clears its values and copies the tags into it, which needs an API
  key that may change definitions; \`plan\`, which writes nothing, counts the models copied last.
- **\`colorways\`**: each model becomes one asset per colorway, such as \`chairs/oslo@Oak\`, with its own record, failures and files
  (\`{{ colorway }}\`). The colorways come from a list, a matrix of slots and materials, or a table on a connector. Rows name a \`model\` (key
  or glob) or a \`tag\` by its id, which works only in a \`modelScope\` of exactly that tag. The nodes before this one run once per model;
  batches are shared by all models of a colorway. For a new colorway, only that colorway is created; a colorway with changed materials is created again.

The node must come before the project is created. If the project is older, as in pipelines that start with projects, \`operations:\` must name
\`addVariantsToProject: 'POST /projects/{projectId}/variants'\` ([how](../commands.md#operations-without-a-path)). The chosen variants are added
once, one request per project; a refusal fails the asset as VARIANTS_NOT_ADDED. After a \`render\`, variants can no longer be added. Projects of one
model share its colorway if they are in one batch (\`batchSize\`); in several concurrent batches each is paid for, and the new variants cannot
be assigned. \`renderVariants\` and \`variantsToRender\` of \`render\` apply only to assets that skip this node.`,
  example: `${readyModelsExample('oak-colorway')}
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
  lateBy: { operation: variantOperations.addVariantsToProject, unlessThere: 'render' },
  profile: { batch: 50, startToClose: '5m', timeout: '6h' },
  recipe: ['swapRules', 'choose', 'one'],
  fileNeeds: ({ swapRules }) => (swapRules === undefined ? null : slotDemandOf(swapRules)),
  namingFields: {
    fields: ['variant'],
    of({ choose }, field) {
      if (field !== 'variant') return null;
      return choose === 'all'
        ? 'chooses all variants, but an output does not state which variant it shows'
        : true;
    },
  },
  dimensions: [
    {
      dimension: colorwayDimension,
      specOf: ({ colorways, modelScope }) =>
        colorways === undefined ? null : toColorwaySpec(colorways, modelScope?.tagIds),
    },
  ],
  route: ({ modelScope }) =>
    modelScope?.type === 'tag'
      ? `reads the variants of each model and chooses; ${formatTagRoute(modelScope)}`
      : 'reads the variants of each model and chooses',
  steps(config, scope) {
    const { swapRules, colorways } = config;
    const creationSteps = [
      createDraft('before', variantsBefore, { swapRules }),
      createDraft('batch', colorwayBatch, { swapRules }),
      { ...createDraft('wait', colorwayComplete), retryAt: { node: scope.node, part: 'batch' } },
    ];
    if (colorways !== undefined) return [...creationSteps, createDraft('', colorwayVariant)];
    // File names may contain the name of the variant, which must therefore be known before rendering.
    const choose = scope.own(toChoiceConfig(config, config.one ?? scope.isNamedAfter('variant')));
    const projectSteps = scope.mayHave('project') ? [createDraft('project', projectVariants)] : [];
    return [...(swapRules ? creationSteps : []), choose, ...projectSteps];
  },
  cost: { requests: ({ assets }) => ({ listModelVariants: assets }) },
  run: chooseVariants,
});
