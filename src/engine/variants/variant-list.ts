// The variants of a model, whose fields the platform's document does not show (2.13).
import type { NodeContext } from '../../nodes/node-context.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { RunCauseError } from '../engine-errors.ts';
import { modelGone } from '../models/model-gone.ts';
import { nullWhenGone } from '../null-when-gone.ts';

export interface Variant {
  id: string;
  name: string;
}

/** The variants of an asset's model in the platform's order, or why the asset cannot go on. */
export async function variantsOf(
  asset: Pick<StepAsset, 'key' | 'refs'>,
  context: NodeContext,
): Promise<Variant[] | AssetResult> {
  const { key, refs } = asset;
  const { modelId } = refs;
  if (modelId === undefined) {
    const message = 'the asset has no model whose variants could be read';
    return { key, outcome: 'failed', code: 'NO_MODEL', message };
  }
  const { client, requests, signal } = context;
  const options = { priority: 'create' as const, scope: requests, signal };
  const found = await nullWhenGone(() =>
    client.listModelVariants({ params: { modelId } }, options),
  );
  if (found === null) return modelGone(asset, ['modelId', 'colorway', 'variants']);
  return found.variants.map((record) => readVariant(record, context));
}

/** @throws RunCauseError when the fields are named otherwise. */
function readVariant(record: Readonly<Record<string, unknown>>, { fields }: NodeContext): Variant {
  const { id, name } = fields.variant;
  return { id: textField(record, 'id', id), name: textField(record, 'name', name) };
}

function textField(
  record: Readonly<Record<string, unknown>>,
  meaning: string,
  name: string,
): string {
  const value = record[name];
  if (typeof value === 'string' && value !== '') return value;
  const there = Object.keys(record).slice(0, 20).join(', ') || 'none';
  throw new RunCauseError({
    code: 'VARIANT_FIELDS',
    message: `the variants of the platform have no text in "${name}", which is taken for their ${meaning}; their fields are ${there}`,
    fix: `say which field it is in the workers' renderline.yaml: fields: { variant: { ${meaning}: NAME } }; restart them and resume the run`,
    kind: 'never',
  });
}
