// Calls that create colorway batches, retry failed colorway jobs, and add variants to projects.
import { plainText } from '../../api/responses/plain-text.ts';
import { OutcomePendingError } from '../../engine/engine-errors.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { nullWhenMissing } from '../../engine/null-when-missing.ts';
import {
  callOptions,
  type IdsByAsset,
  mayBeUnderWay,
  outcomeFrom,
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
  readIds(sent, { batchId, warnings = [] }) {
    const modelIds = modelsOf(sent.body);
    return assignIds(sent.assets, (index) => {
      const mine = warnings.filter(({ modelId }) => modelId === modelIds[index]);
      const warning = mine.flatMap(({ message }) => message ?? []).join(' ');
      const remark = warning === '' ? {} : { warning: plainText(warning, maxWarningLength) };
      return { colorway: { before: colorwayOf(sent, index)?.before ?? '', batchId, ...remark } };
    });
  },
  unique: { idOf: ({ colorway }) => colorway?.batchId, ownerOf: ({ key }) => key },
  isAbout: ({ body }, index, { modelId }) => modelsOf(body)[index] === modelId,
  /** No operation lists colorway batches, but a new variant of the model shows that the batch was created. */
  async findOutcome(sent, context) {
    if (sent.ambiguousSince === undefined) return { state: 'unknown' };
    const modelIds = modelsOf(sent.body);
    const colorways = await mapBounded(sent.assets, (key, index) =>
      findNewColorway(sent, key, modelIds[index], context),
    );
    const made = Object.fromEntries(colorways.flatMap((entry) => (entry === null ? [] : [entry])));
    if (Object.keys(made).length > 0) return { state: 'done', created: made };
    // A second batch would create every colorway twice.
    if (mayBeUnderWay(sent, context)) throw new OutcomePendingError(sent);
    return { state: 'unknown' };
  },
});

function modelsOf({ modelScope }: BodyOf<'createColorwayBatch'>): readonly string[] {
  return modelScope.type === 'manual' ? modelScope.modelIds : [];
}

/** Returns the colorway if the model has a new variant, which shows that the batch was created; null otherwise. */
async function findNewColorway(
  { known = {} }: Intent,
  key: string,
  modelId: string | undefined,
  context: NodeContext,
): Promise<[string, PlatformIds] | null> {
  const before = known[key]?.colorway?.before;
  if (before === undefined || modelId === undefined) return null;
  const variants = await readVariants({ key, platformIds: { modelId } }, context);
  const isNew = Array.isArray(variants) && variants.some(({ id }) => !hasFingerprint(before, id));
  return isNew ? [key, { colorway: { before, batchId: '' } }] : null;
}

export const colorwayRetry = defineCreation({
  operation: 'retryColorwayJob',
  readIds: idsFromRetry,
  async findOutcome(sent, context) {
    const { batchId = '', jobId } = sent.params ?? {};
    const options = callOptions(context);
    const read = () => context.client.getColorwayBatch({ params: { batchId } }, options);
    const job = (await nullWhenMissing(read))?.jobs.find(({ id }) => id === jobId);
    if (job === undefined || job.status === 'failed') return { state: 'not-done' };
    return outcomeFrom(idsFromRetry(sent));
  },
});

function idsFromRetry(sent: SentCall): IdsByAsset {
  return assignIds(sent.assets, (index) => {
    const { failedJobId: _failed, ...colorway } = colorwayOf(sent, index) ?? { before: '' };
    return { colorway: { ...colorway, tries: (colorway.tries ?? 0) + 1 } };
  });
}

export const variantAddition = defineCreation({
  operation: 'addVariantsToProject',
  // The response is not documented, so success is enough.
  readIds: ({ known }) => ({ ...known }),
  isAbout: ({ params }, _index, { projectId }) => params?.['projectId'] === projectId,
});

function colorwayOf({ assets, known }: SentCall, index: number): ColorwayRef | undefined {
  return known?.[assets[index] ?? '']?.colorway;
}
