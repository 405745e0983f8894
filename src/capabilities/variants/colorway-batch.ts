// Creates colorway batches: records existing variants, creates one batch for many models, retries failed jobs.
import { spellingsOf } from '../../api/look-alike.ts';
import { refusalOf } from '../../api/refusal.ts';
import { fail } from '../../failures/fail.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import type { BodyOf } from '../../machinery/submit/creation.ts';
import { type EarlierCalls, earlierCalls } from '../../machinery/submit/earlier-calls.ts';
import { splitCall } from '../../machinery/submit/split-call.ts';
import { submitOnce } from '../../machinery/submit/submit-once.ts';
import { groupBy } from '../../plan/group-by.ts';
import type { Refs } from '../../plan/refs.ts';
import type { AssetResult, StepAsset, SwapRule } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/bounded.ts';
import { recipeOf } from '../../store/records/asset-recipe.ts';
import { createColorwayBatch, retryColorwayJob } from './creations.ts';
import { variantFailures } from './failures.ts';
import { adopted, eachModel } from './grid/choose-colorways.ts';
import { materialsOf } from './materials-of.ts';
import { namedPlace } from './named-place.ts';
import { refsOf, variantsOf } from './variant-list.ts';
import { marksOf, variantsAtMost } from './variant-marks.ts';

type SwapRules = BodyOf<'createColorwayBatch'>['swapRules'];

/**
 * Records the existing variants of each model. This is a separate step, because existing and new variants cannot be distinguished
 * once the batch was sent. A variant that already has the colorway's materials is reused, and no batch is sent.
 */
export async function noteVariants(
  { swapRules = [] }: { swapRules?: readonly SwapRule[] | undefined },
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const cells = assets.filter(({ source }) => source.colorway !== undefined);
  const models = assets.filter(({ source }) => source.colorway === undefined);
  const ofModels = await mapBounded(
    models,
    async (asset): Promise<AssetResult> => {
      const { key, refs } = asset;
      // Fingerprints of an earlier run are valid only with its batch: variants may have been added since.
      if (refs.colorway?.batchId !== undefined || refs.variants !== undefined)
        return { key, outcome: 'done' };
      const variants = await variantsOf(asset, context);
      if (!Array.isArray(variants)) return variants;
      if (variants.length > variantsAtMost) return tooMany(key, variants);
      const there = (await adopted([asset], variants, context, swapRules)).get(key);
      const before = marksOf(variants.flatMap((one) => (one === there ? [] : [one.id])));
      const colorway = { before, ...(there ? { batchId: '' } : {}) };
      return { key, outcome: 'done', refs: { colorway } };
    },
    { signal: context.signal },
  );
  return [...ofModels, ...(await noteForCells(cells, context))];
}

/** Reads the variants of each model once for all its colorways. A variant that already has a colorway's materials is reused. */
async function noteForCells(cells: StepAsset[], context: NodeContext): Promise<AssetResult[]> {
  const begun = cells.filter(({ refs }) => refs.colorway?.batchId !== undefined);
  const fresh = cells.filter(({ refs }) => refs.colorway?.batchId === undefined);
  const noted = await eachModel(fresh, context, async (ofModel, variants) => {
    if (variants.length > variantsAtMost) return ofModel.map(({ key }) => tooMany(key, variants));
    const before = marksOf(variants.map(({ id }) => id));
    const there = await adopted(ofModel, variants, context);
    return ofModel.map(({ key, source }) => {
      const colorway = { before, cell: recipeOf('', source) };
      const found = there.get(key);
      return { key, outcome: 'done', refs: { colorway, ...(found && refsOf([found])) } };
    });
  });
  return [...begun.map(({ key }): AssetResult => ({ key, outcome: 'done' })), ...noted];
}

function tooMany(key: string, variants: readonly unknown[]): AssetResult {
  const message = `its model has ${variants.length} variants; with more than ${variantsAtMost} the new ones cannot be identified`;
  return fail(variantFailures.TOO_MANY_VARIANTS, key, message);
}

/** Creates one batch for all models of the call with the same rules; failed jobs are retried individually. */
export async function makeColorways(
  config: { swapRules?: readonly SwapRule[] | undefined },
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const again = assets.filter(({ refs }) => refs.colorway?.failedJobId !== undefined);
  const first = assets.filter(({ refs }) => refs.colorway?.failedJobId === undefined);
  const earlier = await earlierCalls(first, [createColorwayBatch], context);
  const results: AssetResult[] = [];
  const open: StepAsset[] = [];
  for (const asset of first) {
    const { key, refs } = asset;
    const made = earlier.refs[key];
    if (refs.colorway?.batchId !== undefined || refs.variants !== undefined)
      results.push({ key, outcome: 'done' });
    else if (made) results.push({ key, outcome: 'done', refs: made });
    else open.push(asset);
  }
  const wanted = ({ source }: StepAsset) => source.colorway?.rules ?? config.swapRules ?? [];
  for (const group of groupBy(open, (asset) => JSON.stringify(wanted(asset))).values()) {
    const [first] = group;
    const swapRules = await rulesOf(first ? wanted(first) : [], context);
    const made = await splitCall(
      group,
      (part) => createBatch(part, swapRules, earlier, context),
      context,
    );
    results.push(...made.map((result) => withPlace('createColorwayBatch', result, context)));
  }
  for (const asset of again) {
    const isNamed = namedPlace('retryColorwayJob', context) !== null;
    const made = await splitCall(
      [asset],
      () => retryJob(asset, context),
      context,
      isNamed ? [] : ['colorway'],
    );
    results.push(...made.map((result) => withPlace('retryColorwayJob', result, context)));
  }
  return results;
}

/**
 * Resolves material names to ids. The platform compares slot names by their Unicode encoding, which may differ between the models
 * of a batch, so each rule is sent once per encoding of its text.
 */
async function rulesOf(rules: readonly SwapRule[], context: NodeContext): Promise<SwapRules> {
  const ids = await materialsOf(rules, context);
  return rules.flatMap(({ matchText, matchMode }, index) =>
    spellingsOf(matchText).map((spelling) => ({
      matchText: spelling,
      matchMode,
      materialId: ids[index] ?? '',
    })),
  );
}

async function createBatch(
  assets: readonly StepAsset[],
  swapRules: SwapRules,
  { doubtSince }: EarlierCalls,
  context: NodeContext,
): Promise<AssetResult[]> {
  const modelIds = assets.map(({ refs }) => refs.modelId ?? '');
  const { refs } = await submitOnce(
    {
      creation: createColorwayBatch,
      body: { swapRules, modelScope: { type: 'manual', modelIds } },
      assets,
      known: colorwaysOf(assets),
      doubtSince: doubtSince(assets),
      epoch: 0,
      purpose: 'colorways',
    },
    context,
  );
  return assets.map(({ key }) => done(key, refs[key]));
}

async function retryJob(asset: StepAsset, context: NodeContext): Promise<AssetResult[]> {
  const { key, refs } = asset;
  const { batchId = '', failedJobId = '', tries = 0 } = refs.colorway ?? {};
  try {
    const answer = await submitOnce(
      {
        creation: retryColorwayJob,
        params: { batchId, jobId: failedJobId },
        body: null,
        assets: [asset],
        known: colorwaysOf([asset]),
        epoch: tries + 1,
        purpose: 'retry',
      },
      context,
    );
    return [done(key, answer.refs[key])];
  } catch (error) {
    // The error codes of colorways are not documented.
    if (!refusalOf(error, ['content'])) throw error;
    // The job was already retried by somebody else, so this asset waits for that attempt.
    const { failedJobId: _failed, ...colorway } = refs.colorway ?? { before: '' };
    return [done(key, { colorway: { ...colorway, tries: tries + 1 } })];
  }
}

/** Adds the operation's route to the message, because a wrong route in the pipeline file may cause the refusal. */
function withPlace(operation: string, result: AssetResult, context: NodeContext): AssetResult {
  const place = namedPlace(operation, context);
  if (place === null || result.outcome !== 'failed') return result;
  return { ...result, message: `${place} answered ${result.code}: ${result.message}` };
}

function colorwaysOf(assets: readonly StepAsset[]): Record<string, Refs> {
  return Object.fromEntries(
    assets.map(({ key, refs }) => [key, refs.colorway ? { colorway: refs.colorway } : {}]),
  );
}

function done(key: string, refs: Refs | undefined): AssetResult {
  return { key, outcome: 'done', ...(refs ? { refs } : {}) };
}
