// Calls that create colorway batches, retry failed colorway jobs, and add variants to projects.
import { toPlainText } from '../../api/responses/plain-text.ts';
import { OutcomePendingError } from '../../engine/engine-errors.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { nullIfNotFound } from '../../engine/null-if-not-found.ts';
import {
  callOptions,
  canBeUnderWay,
  type IdsByAsset,
  toCallOutcome,
} from '../../engine/submit/call-outcome.ts';
import {
  assignIds,
  type BodyOf,
  defineCreation,
  type SentCall,
} from '../../engine/submit/creation.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { Intent } from '../../store/calls/intents.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { ColorwayRef } from './platform-ids.ts';
import { hasFingerprint } from './variant-fingerprints.ts';
import { readVariants } from './variant-list.ts';

const maxWarningLength = 300;

export const colorwayBatchCreation = defineCreation({
  operation: 'createColorwayBatch',
  readIds(sentCall, { batchId, warnings = [] }) {
    const modelIds = modelsOf(sentCall.body);
    return assignIds(sentCall.assets, (index) => {
      const modelWarnings = warnings.filter(({ modelId }) => modelId === modelIds[index]);
      const warning = modelWarnings.flatMap(({ message }) => message ?? []).join(' ');
      const remark = warning === '' ? {} : { warning: toPlainText(warning, maxWarningLength) };
      const { before = '' } = colorwayOf(sentCall, index) ?? {};
      return { colorway: { before, batchId, ...remark } };
    });
  },
  unique: { idOf: ({ colorway }) => colorway?.batchId, ownerOf: ({ key }) => key },
  isAboutAsset: ({ body }, index, { modelId }) => modelsOf(body)[index] === modelId,
  /** No operation lists colorway batches, but a new variant of the model proves that the batch was created. */
  async findOutcome(sentCall, context) {
    if (sentCall.ambiguousSince === undefined) return { state: 'unknown' };
    const modelIds = modelsOf(sentCall.body);
    const colorways = await mapBounded(sentCall.assets, (key, index) =>
      findNewColorway(sentCall, key, modelIds[index], context),
    );
    const created = Object.fromEntries(colorways.filter((entry) => entry !== null));
    if (Object.keys(created).length > 0) return { state: 'done', created };
    // The outcome stays pending, because a second batch would create every colorway twice.
    if (canBeUnderWay(sentCall, context)) throw new OutcomePendingError(sentCall);
    return { state: 'unknown' };
  },
});

function modelsOf({ modelScope }: BodyOf<'createColorwayBatch'>): readonly string[] {
  return modelScope.type === 'manual' ? modelScope.modelIds : [];
}

/** Returns the colorway if the model has a new variant, which shows that the batch was created. Null otherwise. */
async function findNewColorway(
  { known = {} }: Intent,
  key: string,
  modelId: string | undefined,
  context: NodeContext,
): Promise<[string, PlatformIds] | null> {
  const fingerprints = known[key]?.colorway?.before;
  if (fingerprints === undefined || modelId === undefined) return null;
  const variants = await readVariants({ key, platformIds: { modelId } }, context);
  const isNew =
    Array.isArray(variants) && variants.some(({ id }) => !hasFingerprint(fingerprints, id));
  return isNew ? [key, { colorway: { before: fingerprints, batchId: '' } }] : null;
}

export const colorwayRetry = defineCreation({
  operation: 'retryColorwayJob',
  readIds: readRetryIds,
  async findOutcome(sentCall, context) {
    const { batchId = '', jobId } = sentCall.params ?? {};
    const options = callOptions(context);
    const read = () => context.client.getColorwayBatch({ params: { batchId } }, options);
    const job = (await nullIfNotFound(read))?.jobs.find(({ id }) => id === jobId);
    if (job === undefined || job.status === 'failed') return { state: 'not-done' };
    return toCallOutcome(readRetryIds(sentCall));
  },
});

function readRetryIds(sentCall: SentCall): IdsByAsset {
  return assignIds(sentCall.assets, (index) => {
    const { failedJobId: _failed, ...colorway } = colorwayOf(sentCall, index) ?? { before: '' };
    return { colorway: { ...colorway, tries: (colorway.tries ?? 0) + 1 } };
  });
}

export const variantAddition = defineCreation({
  operation: 'addVariantsToProject',
  // The response is not documented, so its success is enough.
  readIds: ({ known }) => ({ ...known }),
  isAboutAsset: ({ params }, _index, { projectId }) => params?.['projectId'] === projectId,
});

function colorwayOf({ assets, known }: SentCall, index: number): ColorwayRef | undefined {
  return known?.[assets[index] ?? '']?.colorway;
}
