// No operation lists colorway batches, but a model whose colorway is made has a variant that it had not before.

import { OutcomeOpenError } from '../../machinery/engine-errors.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import { bodyOf } from '../../machinery/submit/answers.ts';
import { type Look, mayBeUnderWay } from '../../machinery/submit/looks/finding.ts';
import type { Refs } from '../../plan/types.ts';
import type { Intent } from '../../store/calls/intents.ts';
import { mapBounded } from '../../store/objects/bounded.ts';
import { variantsOf } from './variant-list.ts';
import { isMarked } from './variant-marks.ts';

export const lookForColorways: Look = async (intent, context) => {
  if (intent.doubtSince === undefined) return { is: 'unknown' };
  const { modelIds } = bodyOf<{ modelScope: { modelIds: string[] } }>(intent).modelScope;
  const colorways = await mapBounded(intent.assets, (key, index) =>
    colorwayOf(intent, key, modelIds[index], context),
  );
  const made = Object.fromEntries(colorways.flatMap((entry) => (entry === null ? [] : [entry])));
  if (Object.keys(made).length > 0) return { is: 'done', made };
  // A second batch would draw everything twice.
  if (mayBeUnderWay(intent, context)) throw new OutcomeOpenError(intent);
  return { is: 'unknown' };
};

/** Where the model has a new variant: as that of a batch whose id nobody has told. */
async function colorwayOf(
  { known = {} }: Intent,
  key: string,
  modelId: string | undefined,
  context: NodeContext,
): Promise<[string, Refs] | null> {
  const before = known[key]?.colorway?.before;
  if (before === undefined || modelId === undefined) return null;
  const variants = await variantsOf({ key, refs: { modelId } }, context);
  const isNew = Array.isArray(variants) && variants.some(({ id }) => !isMarked(before, id));
  return isNew ? [key, { colorway: { before, batchId: '' } }] : null;
}
