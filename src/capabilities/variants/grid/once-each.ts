// Shares the work of a step between assets: a model's work is done once for all its colorways, a colorway's work once for all its
// views. Pure.

import { groupBy } from '../../../plan/group-by.ts';
import type { Refs } from '../../../plan/refs.ts';
import type { AssetResult, StepAsset } from '../../../plan/types.ts';
import { withoutUndefined } from '../../../plan/without-undefined.ts';
import { modelKeyOf, viewedKeyOf } from '../../../store/records/asset-names.ts';
import { modelRefs } from '../../models/refs.ts';

export interface OnceEach {
  /** One representative asset per group, under the group's key. */
  shared: StepAsset[];
  /** Expands results of the representatives to results of all assets. */
  spread: (results: readonly AssetResult[]) => AssetResult[];
}

/** One representative per model. */
export function onceAModel(assets: readonly StepAsset[]): OnceEach {
  return onceEach(assets, {
    keyOf: modelKeyOf,
    refsOf: refsOfModel,
    sourceOf: ({ colorway: _colorway, view: _view, ...source }) => source,
  });
}

/** One representative for all views of a colorway. */
export function onceForAllViews(assets: readonly StepAsset[]): OnceEach {
  return onceEach(assets, {
    keyOf: viewedKeyOf,
    refsOf: refsOfViewed,
    sourceOf: ({ view: _view, ...source }) => source,
  });
}

interface Level {
  keyOf: (asset: StepAsset) => string;
  /** The platform ids that belong to the whole group. */
  refsOf: (refs: Refs) => Refs;
  sourceOf: (source: StepAsset['source']) => StepAsset['source'];
}

function onceEach(assets: readonly StepAsset[], level: Level): OnceEach {
  const groups = groupBy(assets, level.keyOf);
  const shared = new Map([...groups].map(([key, some]) => [key, standIn(key, some, level)]));
  return {
    shared: [...shared.values()],
    spread: (results) => {
      // A result under the key of a group member applies only to that member.
      const single = new Map(
        results.flatMap((result) => (shared.has(result.key) ? [] : [[result.key, result]])),
      );
      return results.flatMap((result) => {
        const known = shared.get(result.key)?.refs;
        return (groups.get(result.key) ?? []).map(
          (asset) => single.get(asset.key) ?? resultOf(result, asset, known),
        );
      });
    },
  };
}

/** The representative has the platform ids of the member that has progressed furthest. */
function standIn(key: string, assets: readonly StepAsset[], { refsOf, sourceOf }: Level) {
  const refs = assets.map((asset) => refsOf(asset.refs));
  const best =
    refs.find(({ variants }) => variants) ??
    refs.find(({ colorway }) => colorway?.batchId !== undefined) ??
    refs.find(({ modelId }) => modelId) ??
    refs.find(({ begun }) => begun) ??
    {};
  const [first] = assets;
  if (first === undefined) throw new RangeError('a group has an asset');
  return { ...first, key, source: sourceOf(first.source), refs: best, cells: assets };
}

function refsOfModel(refs: Refs): Refs {
  const { category = null, drawn, begun, missing, madeAtMs } = refs;
  return {
    ...modelRefs.ofFile(refs, category),
    ...withoutUndefined({ drawn, begun, missing, madeAtMs }),
  };
}

/** Platform ids of the model in its colorway. */
function refsOfViewed(refs: Refs): Refs {
  const { colorway, variants, variantName, templateId } = refs;
  const ofColorway = withoutUndefined({ colorway, variants, variantName, templateId });
  return { ...refsOfModel(refs), ...ofColorway };
}

/** A member that was added later also gets the ids that the others have already. */
function resultOf(result: AssetResult, { key, refs }: StepAsset, known: Refs = {}): AssetResult {
  if (result.outcome === 'pruned') return { ...result, key };
  const { begun: _begun, missing: _missing, ...given } = known;
  const more = { ...lackedBy(refs, given), ...result.refs };
  return Object.keys(more).length > 0 ? { ...result, key, refs: more } : { ...result, key };
}

function lackedBy(refs: Refs, given: Refs): Refs {
  const isSame = (name: string, value: unknown) =>
    JSON.stringify(Reflect.get(refs, name)) === JSON.stringify(value);
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => !isSame(name, value)));
}
