// Fails an asset whose model was deleted on the platform.
import { fail } from '../../failures/fail.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { modelFailures } from './failures.ts';

/** @param forget platform ids that a later run must not reuse */
export function failDeletedModel(
  { key, platformIds }: Pick<StepAsset, 'key' | 'platformIds'>,
  forget: (keyof PlatformIds)[],
): AssetResult {
  const message = `model ${platformIds.modelId ?? ''} is not in the workspace any more; the next run uploads the file again`;
  return fail(modelFailures.MODEL_NOT_FOUND, key, message, { forgetIds: forget, missing: true });
}
