// Steps whose work several assets share: a model's work is done once for all of its colorways, a colorway's
// once for all of its views. Pure.

import { groupBy } from '../../../plan/group-by.ts';
import type { Refs } from '../../../plan/refs.ts';
import type { AssetResult, StepAsset } from '../../../plan/types.ts';
import { withoutUndefined } from '../../../plan/without-undefined.ts';
import { modelKeyOf, viewedKeyOf } from '../../../store/records/asset-names.ts';
import { modelRefs } from '../../models/refs.ts';

export interface OnceEach {
  /** One asset for each group, under the key that all of it share. */
  shared: StepAsset[];
  /** Results of all assets, from those of the ones that were done. */
  spread: (results: readonly AssetResult[]) => AssetResult[];
}

/** One asset for each model. */
export function onceAModel(assets: readonly StepAsset[]): OnceEach {
  return onceEach(assets, {
    keyOf: modelKeyOf,
    refsOf: refsOfModel,
    sourceOf: ({ colorway: _colorway, view: _view, ...source }) => source,
  });
}

/** One asset for all views of each. */
export function onceForAllViews(assets: readonly StepAsset[]): OnceEach {
  return onceEach(assets, {
    keyOf: viewedKeyOf,
    refsOf: refsOfViewed,
    sourceOf: ({ view: _view, ...source }) => source,
  });
}

interface Level {
  keyOf: (asset: StepAsset) => string;
  /** Refs that belong to the whole group, and not to one of it. */
  refsOf: (refs: Refs) => Refs;
  sourceOf: (source: StepAsset['source']) => StepAsset['source'];
}

function onceEach(assets: readonly StepAsset[], level: Level): OnceEach {
  const groups = groupBy(assets, level.keyOf);
  const shared = new Map([...groups].map(([key, some]) => [key, standIn(key, some, level)]));
  return {
    shared: [...shared.values()],
    spread: (results) => {
      // A result under the key of one of the group is of that one alone.
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

/** The asset that knows most of what they share stands for all. */
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

/** The model in its colorway. */
function refsOfViewed(refs: Refs): Refs {
  const { colorway, variants, variantName, templateId } = refs;
  const ofColorway = withoutUndefined({ colorway, variants, variantName, templateId });
  return { ...refsOfModel(refs), ...ofColorway };
}

/** An asset that joins later gets what the others have already. */
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
