// The variants of a model, whose fields the platform's document does not show (2.13).
import { NotFoundError } from '../api/errors.ts';
import type { NodeContext } from '../nodes/node-context.ts';
import type { AssetResult, StepAsset } from '../plan/types.ts';
import { RunCauseError } from './engine-errors.ts';

export interface Variant {
  id: string;
  name: string;
}

/** The variants of an asset's model in the platform's order, or why the asset cannot go on. */
export async function variantsOf(
  { key, refs }: StepAsset,
  context: NodeContext,
): Promise<Variant[] | AssetResult> {
  const { modelId } = refs;
  if (modelId === undefined) {
    const message = 'the asset has no model whose variants could be read';
    return { key, outcome: 'failed', code: 'NO_MODEL', message };
  }
  const { client, requests, signal } = context;
  const options = { priority: 'create' as const, scope: requests, signal };
  try {
    const { variants } = await client.listModelVariants({ params: { modelId } }, options);
    return variants.map((record) => readVariant(record, context));
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const message = `model ${modelId} is not in the workspace any more; the next run uploads the file again`;
    const forget = ['modelId', 'colorway', 'variants'] as const;
    return {
      key,
      outcome: 'failed',
      code: 'MODEL_NOT_FOUND',
      message,
      forget: [...forget],
    };
  }
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
