// Steps before the colorways are made: what is done for a model is done for all of its colorways. Pure.

import { groupBy } from '../../plan/group-by.ts';
import type { AssetResult, Refs, StepAsset } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { modelKeyOf } from '../../store/asset-names.ts';
import { uploadedAs } from '../../store/uploaded-as.ts';

export interface OnceAModel {
  /** One asset a model, under the key of the model. */
  models: StepAsset[];
  /** What became of the models, as results of all of their colorways. */
  spread: (results: readonly AssetResult[]) => AssetResult[];
}

export function onceAModel(assets: readonly StepAsset[]): OnceAModel {
  const groups = groupBy(assets, modelKeyOf);
  const models = new Map([...groups].map(([key, cells]) => [key, modelOf(key, cells)]));
  return {
    models: [...models.values()],
    spread: (results) =>
      results.flatMap((result) => {
        const known = models.get(result.key)?.refs;
        return (groups.get(result.key) ?? []).map((cell) => resultOf(result, cell, known));
      }),
  };
}

/** The colorway that knows most of the model stands for all. */
function modelOf(key: string, cells: readonly StepAsset[]): StepAsset {
  const refs = cells.map((cell) => refsOfModel(cell.refs));
  const best = refs.find(({ modelId }) => modelId) ?? refs.find(({ begun }) => begun) ?? {};
  const [first] = cells;
  if (first === undefined) throw new RangeError('a model has an asset for each of its colorways');
  const { colorway: _cell, ...source } = first.source;
  return { ...first, key, source, refs: best };
}

/** What belongs to the model, and not to one of its colorways. */
function refsOfModel(refs: Refs): Refs {
  const { category = null, drawn, begun, missing, madeAtMs } = refs;
  return {
    ...uploadedAs(refs, category),
    ...withoutUndefined({ drawn, begun, missing, madeAtMs }),
  };
}

/** A colorway that joins later gets what the others have already. */
function resultOf(result: AssetResult, { key, refs }: StepAsset, known: Refs = {}): AssetResult {
  if (result.outcome === 'pruned') return { ...result, key };
  const lacks = refs.modelId === undefined || refs.modelId !== known.modelId;
  const { begun: _begun, missing: _missing, ...model } = known;
  const more = { ...(lacks ? model : {}), ...result.refs };
  return Object.keys(more).length > 0 ? { ...result, key, refs: more } : { ...result, key };
}
