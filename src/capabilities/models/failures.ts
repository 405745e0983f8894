// Failures of models.
import { defineFailures } from '../../failures/define.ts';

export const modelFailures = defineFailures('asset', {
  MODEL_NOT_CREATED: {
    title: 'The platform made no model record for the file.',
    fix: 'The message has its reason where it gave one; run again.',
  },
  MODEL_FAILED: {
    title: 'The platform could not process the model.',
    fix: 'Open it in a viewer; the platform gives a reason only for imports.',
  },
  MODEL_REJECTED: {
    title: 'The model was rejected on the platform.',
    fix: 'Ask who reviews models there.',
  },
  MODEL_REQUIRED: {
    title: 'The platform waits for another model file.',
    fix: 'Upload the model on the platform, or replace the file.',
  },
  MODEL_NOT_FOUND: {
    title: 'The model is not in the workspace.',
    fix: 'Run again: a file is uploaded anew. Take it out of `select` or `modelScope` where these name its id.',
  },
  MODEL_NOT_READY: {
    title: 'A model that `modelScope` names by its id is neither READY nor APPROVED.',
    fix: 'Wait until the platform has processed it, then run again; the message has its status.',
  },
  MODEL_TIMEOUT: {
    title: 'The model was not ready within `timeout`.',
    fix: 'Run again, it is looked at anew; raise `timeout` of `model_ready` for large models.',
  },
  NO_MODEL: {
    title: 'The asset has no model.',
    fix: 'Look at `when:` of the nodes before: one passed the asset over.',
  },
  NO_FILE_TYPE: {
    title: 'The platform takes no file of this extension.',
    fix: 'Leave it out with `exclude`, or convert it.',
  },
});

/** Failures that would affect every asset, so they stop the run. */
export const tagFailures = defineFailures('run', {
  TAG_NOT_FOUND: {
    title: 'The workspace has no tag of this id.',
    fix: 'Correct `tagIds` of `modelScope`.',
    stops: 'not-found',
  },
  TAG_WITHOUT_MODELS: {
    title: 'No READY or APPROVED model carries the tag of `modelScope`.',
    fix: 'Give the tag to a model on the platform, or correct `tagIds`.',
    stops: 'not-found',
  },
  TAG_PROPERTY_REFUSED: {
    title: "The property of `modelScope` may be somebody else's; nothing was changed.",
    fix: 'Name a MULTI_SELECT property of models that nobody else uses and whose name begins with Renderline, such as "Renderline nightly"; its values are cleared in every run.',
    stops: 'not-found',
  },
});
