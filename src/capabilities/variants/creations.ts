// Calls that create colorway batches, retry failed colorway jobs, and add variants to projects.
import { plainText } from '../../api/plain-text.ts';
import { OutcomeOpenError } from '../../machinery/engine-errors.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import { nullWhenGone } from '../../machinery/null-when-gone.ts';
import {
  type BodyOf,
  collect,
  defineCreation,
  type SentCall,
} from '../../machinery/submit/creation.ts';
import { type Answers, found, lookOptions, mayBeUnderWay } from '../../machinery/submit/finding.ts';
import type { Refs } from '../../plan/refs.ts';
import type { Intent } from '../../store/calls/intents.ts';
import { mapBounded } from '../../store/objects/bounded.ts';
import type { ColorwayRef } from './refs.ts';
import { variantsOf } from './variant-list.ts';
import { isMarked } from './variant-marks.ts';

const warningAtMost = 300;

export const createColorwayBatch = defineCreation({
  operation: 'createColorwayBatch',
  refs(sent, { batchId, warnings = [] }) {
    const modelIds = modelsOf(sent.body);
    return collect(sent.assets, (index) => {
      const mine = warnings.filter(({ modelId }) => modelId === modelIds[index]);
      const warning = mine.flatMap(({ message }) => message ?? []).join(' ');
      const told = warning === '' ? {} : { warning: plainText(warning, warningAtMost) };
      return { colorway: { before: colorwayOf(sent, index)?.before ?? '', batchId, ...told } };
    });
  },
  unique: { idOf: ({ colorway }) => colorway?.batchId, ownerOf: ({ key }) => key },
  isAbout: ({ body }, index, { modelId }) => modelsOf(body)[index] === modelId,
  /** No operation lists colorway batches, but a new variant of the model shows that the batch was created. */
  async look(sent, context) {
    if (sent.doubtSince === undefined) return { is: 'unknown' };
    const modelIds = modelsOf(sent.body);
    const colorways = await mapBounded(sent.assets, (key, index) =>
      newColorway(sent, key, modelIds[index], context),
    );
    const made = Object.fromEntries(colorways.flatMap((entry) => (entry === null ? [] : [entry])));
    if (Object.keys(made).length > 0) return { is: 'done', made };
    // A second batch would create every colorway twice.
    if (mayBeUnderWay(sent, context)) throw new OutcomeOpenError(sent);
    return { is: 'unknown' };
  },
});

function modelsOf({ modelScope }: BodyOf<'createColorwayBatch'>): readonly string[] {
  return modelScope.type === 'manual' ? modelScope.modelIds : [];
}

/** A new variant of the model shows that the batch was created, although its id is unknown. */
async function newColorway(
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

export const retryColorwayJob = defineCreation({
  operation: 'retryColorwayJob',
  refs: startedAgain,
  async look(sent, context) {
    const { batchId = '', jobId } = sent.params ?? {};
    const options = lookOptions(context);
    const read = () => context.client.getColorwayBatch({ params: { batchId } }, options);
    const job = (await nullWhenGone(read))?.jobs.find(({ id }) => id === jobId);
    if (job === undefined || job.status === 'failed') return { is: 'undone' };
    return found(startedAgain(sent));
  },
});

function startedAgain(sent: SentCall): Answers {
  return collect(sent.assets, (index) => {
    const { failedJobId: _failed, ...colorway } = colorwayOf(sent, index) ?? { before: '' };
    return { colorway: { ...colorway, tries: (colorway.tries ?? 0) + 1 } };
  });
}

export const addVariantsToProject = defineCreation({
  operation: 'addVariantsToProject',
  // The response is not documented, so success is enough.
  refs: ({ known }) => ({ ...known }),
  isAbout: ({ params }, _index, { projectId }) => params?.['projectId'] === projectId,
});

function colorwayOf({ assets, known }: SentCall, index: number): ColorwayRef | undefined {
  return known?.[assets[index] ?? '']?.colorway;
}
