// What an asset is told whose model was deleted on the platform.
import type { AssetResult, Refs, StepAsset } from '../../plan/types.ts';

/** `forget`: what a later run must not build on. */
export function modelGone(
  { key, refs }: Pick<StepAsset, 'key' | 'refs'>,
  forget: (keyof Refs)[],
): AssetResult {
  return {
    key,
    outcome: 'failed',
    code: 'MODEL_NOT_FOUND',
    message: `model ${refs.modelId ?? ''} is not in the workspace any more; the next run uploads the file again`,
    forget,
    missing: true,
  };
}
