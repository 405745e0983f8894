import { defineFailures } from '../../failures/define.ts';
import { fail } from '../../failures/fail.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';

export const modelFailures = defineFailures('asset', {
  MODEL_NOT_CREATED: {
    title: 'The platform did not create a model for the file.',
    fix: 'Start the run again. If the platform gave a reason, the message states it; correct the cause first.',
  },
  MODEL_FAILED: {
    title: 'The platform could not process the model.',
    fix: 'Check the file in a viewer. The platform gives a reason only for models that it imported from a URL.',
  },
  MODEL_REJECTED: {
    title: 'The model was rejected on the platform.',
    fix: 'Ask the people who review models on the platform for the reason.',
  },
  MODEL_REQUIRED: {
    title: 'The platform is waiting for another model file.',
    fix: 'Upload the model on the platform, or replace the file.',
  },
  MODEL_NOT_FOUND: {
    title: 'The model is not in the workspace.',
    fix: 'Run again: files are uploaded again. If `select` or `modelScope` contains the id of the missing model, remove the id.',
  },
  MODEL_NOT_READY: {
    title: 'A model in `modelScope` is neither READY nor APPROVED.',
    fix: 'Wait until the platform has processed the model, then run again; the message states the status of the model.',
  },
  MODEL_TIMEOUT: {
    title: 'The model was not ready within `timeout`.',
    fix: 'Run again to continue waiting; raise `timeout` of `model_ready` for large models.',
  },
  NO_MODEL: {
    title: 'The asset has no model.',
    fix: 'Check `when:` of the preceding nodes: one of them skipped the asset.',
  },
  NO_FILE_TYPE: {
    title: 'The file has no usable extension, so its type is unknown.',
    fix: 'Rename or convert the file, or use `exclude` to leave the file out.',
  },
});

/** Failures that would affect every asset, so they stop the run. */
export const tagFailures = defineFailures('run', {
  TAG_NOT_FOUND: {
    title: 'No tag in the workspace has this id.',
    fix: 'Correct `tagIds` of `modelScope`.',
    stops: 'not-found',
  },
  TAG_WITHOUT_MODELS: {
    title: 'No READY or APPROVED model has the tag of `modelScope`.',
    fix: 'Add the tag to a model on the platform, or correct `tagIds`.',
    stops: 'not-found',
  },
  TAG_PROPERTY_REFUSED: {
    title: 'The property of `modelScope` may contain other data; nothing was changed.',
    fix: 'Use a MULTI_SELECT property of models that nothing else uses and whose name starts with Renderline, such as "Renderline nightly". Each run clears the values of this property.',
    stops: 'not-found',
  },
});

/** @param forget platform ids that a later run must not reuse */
export function failDeletedModel(
  { key, platformIds }: Pick<StepAsset, 'key' | 'platformIds'>,
  forget: (keyof PlatformIds)[],
): AssetResult {
  const message = `model ${platformIds.modelId ?? ''} is no longer in the workspace; the next run uploads the file again`;
  return fail(modelFailures.MODEL_NOT_FOUND, key, message, { forgetIds: forget, missing: true });
}
