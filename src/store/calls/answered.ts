// What calls have made for an asset, read from their answers: a run that died, or was cancelled before a result of the step
// came, could not hand it on. Pure.
import type { AssetSource, Refs } from '../../plan/types.ts';
import { viewedKeyOf } from '../records/asset-names.ts';
import type { Intent } from './intents.ts';

/**
 * Refs that finished calls have yielded, later calls over earlier ones. Only of assets that have a project, a render, a
 * colorway or a production file by them: a model alone may never have been uploaded.
 * @param calls oldest first
 * @param sinceMs epoch ms; what was made until then is left out
 */
export function madeFor(
  asset: { key: string; source: Pick<AssetSource, 'colorway' | 'view'> },
  calls: readonly Pick<Intent, 'state' | 'answer'>[],
  sinceMs = Number.NEGATIVE_INFINITY,
): Refs {
  let refs: Refs = {};
  // What was made for all views of an asset was made under the key that they share.
  for (const name of new Set([viewedKeyOf(asset), asset.key])) {
    for (const { state, answer } of calls) {
      const made = answer?.[name];
      if (state === 'done' && (made?.madeAtMs ?? 0) > sinceMs) refs = { ...refs, ...made };
    }
  }
  const { projectId, jobId, colorway, sheet } = refs;
  const isMade = [projectId, jobId, colorway, sheet].some((made) => made !== undefined);
  return isMade ? refs : {};
}

/** What was made for an asset since anybody told of it last. */
export function untoldFor(
  asset: Parameters<typeof madeFor>[0] & { refs: Refs },
  calls: readonly Intent[],
): Refs {
  return madeFor(asset, calls, asset.refs.madeAtMs ?? 0);
}
