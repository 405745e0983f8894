// Failures of colorways and of chosen variants.
import { defineFailures } from '../../failures/define.ts';

export const variantFailures = defineFailures('asset', {
  TOO_MANY_VARIANTS: {
    title: 'The model has, or `variant` chooses, more variants than can be worked with.',
    fix: 'Choose fewer by `names` or `where`; the message has the limit.',
  },
  COLORWAY_NO_SLOT: {
    title: 'No slot of the model matches a swap rule.',
    fix: 'The message has the names of its slots where the platform gave them; correct `matchText`.',
  },
  SLOT_AMBIGUOUS: {
    title: 'Several slots of the model bear the exact name in a swap rule (said by `plan`).',
    fix: 'Tell them apart in the model, or mean all of them by `matchMode: contains`.',
  },
  COLORWAY_FAILED: {
    title: 'The colorway job failed, also when it was started again.',
    fix: "The message is the platform's; run again to start the job once more.",
  },
  COLORWAY_TIMEOUT: {
    title: 'The colorway job did not end within `timeout`.',
    fix: 'Run again: a job that has ended meanwhile is taken, not paid twice.',
  },
  COLORWAY_BATCH_NOT_FOUND: {
    title: 'The colorway batch is not in the workspace.',
    fix: 'Run again to make another. Where the file names the path of `getColorwayBatch` correct that first: the batch is kept and looked for again.',
  },
  NO_COLORWAY: {
    title: 'The asset has no colorway batch to wait for.',
    fix: 'Run again; report it where it stays so.',
  },
  COLORWAY_AMBIGUOUS: {
    title: 'The model has several new variants, and nothing shows which of them is which colorway.',
    fix: "Name the field that shows what a variant wears under `fields: { variant: { materials: … } }` in the workers' renderline.yaml, or make one colorway in each run.",
  },
  COLORWAY_UNKNOWN_MODEL: {
    title: 'A row of the table of colorways names a model that there is not.',
    fix: 'Correct the name, which is the key of the model, or remove the row; the message has the line.',
  },
  COLORWAY_NO_VARIANT: {
    title:
      'The colorway is complete, but the model has no new variant, or none with its materials.',
    fix: 'Look at the model on the platform; nothing was rendered, since it would have been everything.',
  },
  VARIANT_NOT_FOUND: {
    title: 'The model has no variant that `choose` means.',
    fix: 'The message has the names that there are; correct `names` or `where`.',
  },
  VARIANT_AMBIGUOUS: {
    title: 'Two variants of the model bear the name that is chosen.',
    fix: 'Choose by id: `where: variant.id == "…"`.',
  },
  VARIANT_NOT_ONE: {
    title: 'Several variants are chosen, and files are named by one.',
    fix: 'Choose one by `names` or `where`, or take `{{ variant }}` out of `naming`.',
  },
  VARIANTS_NOT_ADDED: {
    title:
      'The platform did not add the chosen variants to the project that was there before them.',
    fix: "Correct the route or the body of `addVariantsToProject` under `operations:`; the message has the platform's answer. Nothing was rendered.",
  },
});

/** Failures that would affect every asset, so they stop the run. */
export const colorwayCauses = defineFailures('run', {
  MATERIAL_NOT_FOUND: {
    title: 'The library has no material of the name, or of the id, in a swap rule.',
    fix: 'Correct the name or id in the swap rule, or add the material to the library. Then resume the run, or start it again where it has ended.',
    stops: 'not-found',
  },
  MATERIAL_AMBIGUOUS: {
    title: 'Several materials of the library bear the name in a swap rule.',
    fix: 'Name one by `materialId` in the swap rule, or rename the others. Then resume the run, or start it again where it has ended.',
    stops: 'never',
  },
  MATERIAL_NOT_READY: {
    title: 'A material in a swap rule is not ready yet.',
    fix: 'Wait until it is ready, then resume the run.',
    stops: 'later',
  },
  MATERIAL_FAILED: {
    title: 'The platform could not process a material in a swap rule.',
    fix: 'Upload its textures again, or name another material. Then resume the run, or start it again where it has ended.',
    stops: 'never',
  },
  COLORWAY_TABLE: {
    title: 'The table of colorways is not there, or cannot be read.',
    fix: 'Correct the lines that the message names, then start the run again.',
    stops: 'never',
  },
  VARIANT_FIELDS: {
    title: 'The platform names the fields of variants otherwise than the settings say.',
    fix: "Say which fields they are in the workers' `renderline.yaml`: `fields: { variant: { id: NAME, name: NAME } }`; restart them and resume the run.",
    stops: 'never',
  },
});
