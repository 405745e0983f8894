import { defineFailures } from '../../failures/define.ts';

export const variantFailures = defineFailures('asset', {
  TOO_MANY_VARIANTS: {
    title: 'The model has more variants than the limit, or `variant` chooses more.',
    fix: 'Choose fewer by `names` or `where`; the message states the limit.',
  },
  COLORWAY_FAILED: {
    title: 'The colorway job failed, including all retries.',
    fix: "Run again to retry the job; the message contains the platform's reason.",
  },
  COLORWAY_TIMEOUT: {
    title: 'The colorway job did not end within `timeout`.',
    fix: 'Run again: a job that has finished by then is used and not paid for twice.',
  },
  COLORWAY_BATCH_NOT_FOUND: {
    title: 'The colorway batch is not in the workspace.',
    fix: 'Run again to create another batch. If the pipeline file sets the path of `getColorwayBatch`, correct it first: the id of the batch is kept, and the next run reads it again.',
  },
  NO_COLORWAY: {
    title: 'The asset has no colorway batch to wait for.',
    fix: 'Run again; if the error persists, report the error.',
  },
  COLORWAY_AMBIGUOUS: {
    title:
      'The model has several new variants, and Renderline cannot assign these variants to their colorways.',
    fix: "Set the name of the field that contains the materials of a variant under `fields: { variant: { materials: … } }` in the workers' renderline.yaml, or create one colorway per run.",
  },
  COLORWAY_UNKNOWN_MODEL: {
    title: 'A row of the colorway table refers to a model that does not exist.',
    fix: 'Correct the name, which must be the key of a model, or remove the row; the message states the line.',
  },
  COLORWAY_NO_VARIANT: {
    title: 'The colorway is complete, but the model has no new variant with its materials.',
    fix: 'Check the model on the platform. Nothing was rendered, because the render would have included all variants.',
  },
  VARIANT_NOT_FOUND: {
    title: 'The model has no variant that `choose` selects.',
    fix: 'Correct `names` or `where`; the message lists the variants of the model.',
  },
  VARIANT_AMBIGUOUS: {
    title: 'Two variants of the model have the chosen name.',
    fix: 'Choose by id: `where: variant.id == "…"`.',
  },
  VARIANT_NOT_ONE: {
    title: 'Several variants are chosen, but exactly one is required.',
    fix: 'Choose one variant by `names` or `where`, or remove `{{ variant }}` from `naming` and `one: true` from the node.',
  },
  VARIANTS_NOT_ADDED: {
    title: 'The platform did not add the chosen variants to the existing project.',
    fix: 'Correct the route or the body of `addVariantsToProject` under `operations:`; the message contains the response. Nothing was rendered.',
  },
});

/** Failures that would affect every asset, so they stop the run. */
export const colorwayCauses = defineFailures('run', {
  MATERIAL_NOT_FOUND: {
    title: 'No material in the library has the name or id given in a swap rule.',
    fix: 'Correct the name or id in the swap rule, or add the material to the library. Then resume the run, or start it again if it has finished.',
    stops: 'not-found',
  },
  MATERIAL_AMBIGUOUS: {
    title: 'Several materials in the library have the name given in a swap rule.',
    fix: 'Use `materialId` in the swap rule, or rename the other materials. Then resume the run, or start it again if it has finished.',
    stops: 'never',
  },
  MATERIAL_NOT_READY: {
    title: 'A material in a swap rule is not ready yet.',
    fix: 'Wait until the material is ready, then resume the run.',
    stops: 'later',
  },
  MATERIAL_FAILED: {
    title: 'The platform could not process a material in a swap rule.',
    fix: 'Upload the textures of the material again, or use another material. Then resume the run, or start it again if it has finished.',
    stops: 'never',
  },
  COLORWAY_TABLE: {
    title: 'The colorway table does not exist or cannot be read.',
    fix: 'Correct the table as the message says, then start the run again.',
    stops: 'never',
  },
  VARIANT_FIELDS: {
    title: 'The field names of variants in the settings are wrong.',
    fix: "Set the field names in the workers' `renderline.yaml`: `fields: { variant: { id: NAME, name: NAME } }`; restart the workers and resume the run.",
    stops: 'never',
  },
});
