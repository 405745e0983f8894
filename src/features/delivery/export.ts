import { z } from 'zod';
import { ProductionOptions } from '../../api/operations/production.ts';
import { asRecord } from '../../api/unknown-values.ts';
import { type FoundAsset, finishedStagesOf } from '../../engine/cost/found-work.ts';
import {
  type CompileScope,
  createDraft,
  defineNode,
  type OptionConflict,
  type StepDraft,
} from '../../engine/node-type.ts';
import { connectorName, naming } from '../../language/fields.ts';
import { filterForms } from '../../language/naming/name-filters.ts';
import { fieldsOfTemplate } from '../../language/naming/naming.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { withdrawalPolicies } from '../../plan/withdrawal.ts';
import { readyModelsExample } from '../example.ts';
import { productionComplete, productionExport } from '../production/production-steps.ts';
import { projectCreated } from '../projects/project-created.ts';
import { modelOrRenderRoot, SelectModelsOrRenders } from '../renders/render-selection.ts';
import { findMaxPixels, maxPixels } from '../renders/requested-pixels.ts';
import { applyChannels, formatChannels } from './channels/apply-channels.ts';
import { deliver } from './deliver.ts';
import { countModelFiles, createModelSteps, estimateFileCount } from './export-steps.ts';
import { acceptedChangePattern, acceptedShareOf } from './hold-back.ts';
import { findImageConflicts } from './images/image-conflicts.ts';
import { asRefinement, checkImages, Images } from './images/image-options.ts';
import { imageNamesOf, imagesRecipeOf } from './images/image-recipe.ts';
import { checkZipImages, Manifest, planManifest } from './manifest/manifest-options.ts';
import { formatMetadata, Metadata } from './metadata/metadata-fields.ts';
import { formatsOf, formatsRecipeOf, ModelFormat } from './models/model-output.ts';

/** Options that apply only to deliveries of one kind. */
const kindsOfOptions = [
  [
    'production',
    'production_files',
    'applies only to production files: needs `what: [production_files]`',
  ],
  ['accept', 'renders', 'compares pictures, so it needs `what: [renders]`'],
  ['metadata', 'renders', 'is written into pictures, so it needs `what: [renders]`'],
  ['formats', 'models', 'applies only to models: needs `what: [models]`'],
] as const;
const Config = z
  .strictObject({
    connector: connectorName,
    what: z
      .array(z.enum(['renders', 'production_files', 'models']))
      .min(1)
      .default(['renders'])
      .describe(
        'What to deliver: the outputs of the render, the production file (PDF), or both. Models need a separate export.',
      ),
    formats: z
      .array(ModelFormat)
      .min(1)
      .optional()
      .describe(
        'Formats of each model: the GLB and the USDZ that the platform creates, or the source file as uploaded. Default: [glb].',
      ),
    production: z
      .strictObject(ProductionOptions.shape)
      .optional()
      .describe('Options of the production file, passed to the platform.'),
    naming: naming(
      `Path of each file below the connector. Fields: key, name, output, index, ext, model, project, template, run, variant, colorway, view, bookmark, shot, row.COLUMN. Filters: ${filterForms.join(', ')}.`,
    ).default('{{ key }}/{{ output }}.{{ ext }}'),
    images: Images.optional(),
    original: z
      .boolean()
      .optional()
      .describe(
        'false delivers only the images, without the pictures from which they are made. Default: true.',
      ),
    metadata: Metadata.optional(),
    verify: z
      .strictObject({
        minWidth: z.int().positive().optional().describe('Minimum width in pixels.'),
        minHeight: z.int().positive().optional().describe('Minimum height in pixels.'),
        maxPixels: z
          .int()
          .positive()
          .max(maxPixels)
          .optional()
          .describe(
            'Width times height; larger pictures are not decoded. Default: four times the size that the preceding renders request, but at least 4096 x 4096 and, unless the renders request more, at most 8192 x 4096. Without a preceding render: 8192 x 4096.',
          ),
        notBlank: z
          .boolean()
          .default(true)
          .describe('Fails an asset if a picture of it has a single colour.'),
      })
      .default({ notBlank: true })
      .describe('Checks of each picture, in addition to the checks of completeness and format.'),
    accept: z
      .strictObject({
        change: z
          .string()
          .regex(acceptedChangePattern, 'must be a share such as "<10%"')
          .refine((change) => acceptedShareOf({ change }) >= 0.001, 'must be at least "<0.1%"')
          .refine((change) => acceptedShareOf({ change }) <= 1, 'must be at most "<100%"')
          .describe(
            'A picture is delivered without approval if less than this share of it differs from the picture that it replaces.',
          ),
      })
      .optional()
      .describe(
        'New pictures that differ more than allowed wait for `renderline approve`; until then, the old pictures stay in place.',
      ),
    supersede: z
      .enum(['remove', 'keep'])
      .optional()
      .describe(
        'What to do with the file at an old path after this picture, or the picture that replaces it, was delivered to a new path on the same connector. Default: remove.',
      ),
    withdrawn: z
      .enum(withdrawalPolicies)
      .optional()
      .describe(
        'What to do with the files of an asset whose source was deleted: `keep`, `archive` (move them to `archive/`) or `delete`. Files that somebody has replaced are kept. Default: keep.',
      ),
    manifest: Manifest.optional(),
    select: SelectModelsOrRenders.optional(),
  })
  .superRefine(
    asRefinement((config, refuse) => {
      for (const [option, kind, message] of kindsOfOptions) {
        if (config[option] !== undefined && !config.what.includes(kind)) refuse(message, option);
      }
    }),
  )
  .refine(({ what }) => !what.includes('models') || what.length === 1, {
    message: 'models need a separate export: what: [models]',
    path: ['what'],
  })
  .refine(
    ({ what, naming }) =>
      !what.includes('models') ||
      !fieldsOfTemplate(naming).some((field) => ['project', 'template'].includes(field)),
    {
      message:
        'model files are the same for all projects and templates; remove {{ project }} and {{ template }}',
      path: ['naming'],
    },
  )
  .superRefine(asRefinement(checkImages))
  .superRefine(
    asRefinement(({ manifest, images = [] }, refuse) =>
      checkZipImages(manifest?.zip ?? [], imageNamesOf(images), refuse),
    ),
  );

function createSheetSteps(
  { production }: z.output<typeof Config>,
  scope: CompileScope,
): StepDraft[] {
  const hasProject = scope.hasAncestor('project_created') || scope.hasAncestor('render');
  return [
    ...(hasProject ? [] : [createDraft('project', projectCreated)]),
    createDraft('sheets', productionExport, { production }),
    createDraft('captured', productionComplete),
  ];
}

/** Reports an export to a review connector, because an approval deletes decided pictures there. */
function reviewConflicts(
  { connector }: z.output<typeof Config>,
  scope: Pick<CompileScope, 'configsBefore'>,
): OptionConflict[] {
  const approvals = scope.configsBefore('approval');
  if (!approvals.some((config) => asRecord(config)['review'] === connector)) return [];
  const message =
    'is also the `review` connector of an approval, which deletes pictures after the decision';
  const fix = 'Use a separate connector for the approval `review`.';
  return [{ severity: 'error', path: ['connector'], message, fix }];
}

export const exportNode = defineNode({
  type: 'export',
  summary:
    'Deliver pictures, production files and models: each file is staged, checked, then renamed.',
  docs: `Downloads every output of the asset's render to a temporary name, checks that the file is complete, is a picture of the
requested format, has at most \`maxPixels\` and is not blank, and then renames the file. An output that is not a PNG, JPEG, TIFF, MP4
or PRORES is not downloaded and fails its asset. Two outputs of one asset with the same name get a number; if two assets have
the same name, one of them fails. \`{{ variant }}\`, \`{{ bookmark }}\` and \`{{ shot }}\` are known only if exactly one was requested,
because an output does not state which variant, bookmark or shot it shows. A watermarked preview gets \`.preview\` in its name.

A failed or incomplete download is attempted up to six times in about two minutes; then its asset fails and the others continue.

With \`accept: { change: "<10%" }\` a picture that differs by 10% or more from the picture that it would replace is held
back: the run pauses, \`renderline report RUN\` shows both pictures, and \`renderline approve RUN\` delivers the new one. Until
then, and after \`renderline cancel RUN\`, the old picture stays. Pictures that are new or cannot be compared are delivered.

With \`withdrawn: archive\` or \`delete\` the files of a deleted product [are removed, too](../runs.md#withdrawn-products).
With \`manifest\` a run writes [a list of all files](../how-to/manifest.md) next to the files, for a PIM or DAM, and zips, such as one per channel.

With \`what: [production_files]\` each asset gets a production file of its chosen variants, or of all: a PDF named by its number and version. Captures take minutes. No render is needed; a missing project is created.

With \`images\` each picture is also delivered [in other formats and sizes](../how-to/web-and-print.md), all made from the same render.
With a \`channel\` an image is made [as a marketplace requires it](../how-to/amazon-and-web.md), or the asset fails with the violated rule; other assets are delivered.
With \`metadata\` pictures carry [title, alt text, copyright, SKU and more](../how-to/metadata-in-files.md) as XMP, Exif and IPTC-IIM.

With \`what: [models]\` each model is delivered in its \`formats\`, once for all colorways and views, and again only when it changes: see [AR models in addition to pictures](../how-to/ar-models.md).

With \`select\` the pipeline starts with finished renders, or with models (for production files or the models themselves).`,
  example: `${readyModelsExample('deliver-pictures', 'pictures')}
  - { id: shots, type: render, parentIds: [ready] }
  - id: deliver
    type: export
    parentIds: [shots]
    config: { connector: pictures, naming: "{{ key }}.{{ ext }}" }
`,
  config: Config,
  mode: 'call',
  root: modelOrRenderRoot,
  needs: ['finished render'],
  gives: [],
  profile: { batch: 50, startToClose: '2h', heartbeat: '20s', timeout: '6h' },
  needsFor: ({ what }) => [
    ...(what.includes('renders') ? (['finished render'] as const) : []),
    ...(what.includes('production_files') ? (['ready model'] as const) : []),
    ...(what.includes('models') ? (['model'] as const) : []),
  ],
  delivers: true,
  stage: 'delivery',
  recipe: ['naming', 'what', 'production'],
  optionalRecipe: ['metadata'],
  extraRecipe: (config) => imagesRecipeOf(config) ?? formatsRecipeOf(config),
  complete: applyChannels,
  findConflicts: (config, scope) => [
    ...findImageConflicts(config, scope),
    ...reviewConflicts(config, scope),
  ],
  manifest: ({ manifest, images = [] }, columns) =>
    manifest ? { ...planManifest(manifest, columns), images: imageNamesOf(images) } : null,
  modelFiles: formatsOf,
  sheet: ({ what, production }) =>
    what.includes('production_files') ? JSON.stringify(production ?? null) : null,
  namingFields: {
    fields: [],
    of: ({ what }, field) => {
      if (what.includes('models')) return `delivers models, which are the same for each ${field}`;
      return field !== 'variant' && what.includes('production_files')
        ? `delivers production files, which show no ${field}`
        : null;
    },
  },
  route: (config) =>
    config.what.includes('models')
      ? `reads the link of each model file once: ${formatsOf(config).join(', ')}`
      : config.what.includes('production_files')
        ? 'reads a new link of each production file; downloads renders from direct URLs'
        : `downloads from direct URLs, which costs no requests${formatChannels(config.images)}${formatMetadata(config.metadata)}`,
  steps: (config, scope): StepDraft[] => [
    ...(config.what.includes('models') ? createModelSteps(config.select, scope) : []),
    ...(config.what.includes('production_files') ? createSheetSteps(config, scope) : []),
    scope.own({
      ...config,
      withdrawn: undefined,
      manifest: undefined,
      verify: { ...omitUndefined({ maxPixels: findMaxPixels(scope) }), ...config.verify },
    }),
  ],
  cost: {
    files: estimateFileCount,
    // `production_complete` counts the links of production files. URLs of renders come with the list.
    requests({ assets, config: { what }, found }) {
      if (Array.isArray(what) && !what.includes('renders')) return {};
      // Only new renders cost requests, because files that an earlier run delivered are reused.
      const isNew = (asset: FoundAsset) => !finishedStagesOf(asset).includes('render');
      const newRenders = Math.min(assets, found.filter(isNew).length);
      return newRenders === 0 ? {} : { listRenders: Math.ceil(newRenders / 100) };
    },
    once: (stepWork) => {
      const { downloads } = countModelFiles(stepWork);
      return downloads > 0 ? { downloadModel: downloads } : {};
    },
    modelFiles: (stepWork) => countModelFiles(stepWork).files,
  },
  run: (config, assets, context) =>
    deliver({ ...config, formats: formatsOf(config) }, assets, context),
});
