// Adds the chosen variants to projects that existed before them. The platform's documentation gives only the name of the
// operation, so the pipeline file provides its route and, optionally, its body.
import { fillBody } from '../../api/named-body.ts';
import { refusalOf } from '../../api/refusal.ts';
import { fail } from '../../failures/fail.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import { type EarlierCalls, earlierCalls } from '../../machinery/submit/earlier-calls.ts';
import { submitOnce } from '../../machinery/submit/submit-once.ts';
import type { Refs } from '../../plan/refs.ts';
import type { AssetResult, Json, StepAsset } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/bounded.ts';
import { projectFailures } from '../projects/failures.ts';
import { addVariantsToProject } from './creations.ts';
import { variantFailures } from './failures.ts';
import { namedPlace } from './named-place.ts';
import { marksOf } from './variant-marks.ts';

const { operation } = addVariantsToProject;
const assumedBody: Json = { variantIds: '{{ variantIds }}' };

export async function addVariants(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const open = assets.filter(({ refs }) => refs.projectId && refs.added !== markOf(refs));
  const earlier = await earlierCalls(open, [addVariantsToProject], context);
  const work = async (asset: StepAsset): Promise<AssetResult> => {
    const { key } = asset;
    // A project that is created later has all variants of its model.
    if (!open.includes(asset)) return { key, outcome: 'done' };
    const added = earlier.refs[key];
    if (added) return { key, outcome: 'done', refs: added };
    return addOrFail(asset, earlier, context);
  };
  return mapBounded(assets, work, { signal: context.signal });
}

async function addOrFail(
  asset: StepAsset,
  { doubtSince }: EarlierCalls,
  context: NodeContext,
): Promise<AssetResult> {
  const { key, refs } = asset;
  const { projectId = '', variants = [] } = refs;
  const named = context.run.operations?.[operation];
  const body: Json = fillBody(named?.body ?? assumedBody, { variantIds: variants, projectId });
  try {
    const { refs: made } = await submitOnce(
      {
        creation: addVariantsToProject,
        params: { projectId },
        body,
        assets: [asset],
        known: { [key]: { added: markOf(refs) } },
        doubtSince: doubtSince([asset]),
        epoch: 0,
        purpose: 'variants',
      },
      context,
    );
    return { key, outcome: 'done', refs: made[key] ?? {} };
  } catch (error) {
    // The body or the route in the pipeline file is wrong.
    const refusal = refusalOf(error, ['content', 'missing', 'route']);
    if (refusal === null) throw error;
    const { status, code, detail } = refusal.error;
    const message = `${namedPlace(operation, context) ?? operation} answered ${status} ${code}: ${detail}`;
    const { PROJECT_NOT_FOUND } = projectFailures;
    if (code !== PROJECT_NOT_FOUND.code) {
      return fail(variantFailures.VARIANTS_NOT_ADDED, key, message);
    }
    return fail(PROJECT_NOT_FOUND, key, message, { forget: ['projectId', 'added'], missing: true });
  }
}

/** Fingerprint of the project and its chosen variants. */
function markOf({ projectId = '', variants = [] }: Refs): string {
  return marksOf([[projectId, ...variants].join('/')]);
}
