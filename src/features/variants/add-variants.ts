// Adds the chosen variants to projects that existed before the variants. The platform documents only the name of the
// operation, so the pipeline file provides its route and, optionally, its body.

import { findRefusal } from '../../api/errors/refusal.ts';
import { fillBody } from '../../api/requests/named-body.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { type EarlierCalls, finishEarlierCalls } from '../../engine/submit/finish-earlier-calls.ts';
import { submitOnce } from '../../engine/submit/submit-once.ts';
import { fail } from '../../failures/fail.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, Json, StepAsset } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { projectFailures } from '../projects/failures.ts';
import { variantAddition } from './creations.ts';
import { variantFailures } from './failures.ts';
import { formatOperationLocation } from './operation-location.ts';
import { fingerprintsOf } from './variant-fingerprints.ts';

const { operation } = variantAddition;
const defaultBody: Json = { variantIds: '{{ variantIds }}' };

export async function addVariants(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const isOpen = ({ platformIds }: StepAsset) =>
    platformIds.projectId && platformIds.added !== fingerprintOfChoice(platformIds);
  const openAssets = assets.filter(isOpen);
  const earlierCalls = await finishEarlierCalls(openAssets, [variantAddition], context);
  const addToProject = async (asset: StepAsset): Promise<AssetResult> => {
    const { key } = asset;
    // The variants were added before, or no project exists yet. A later project has all variants of its model.
    if (!openAssets.includes(asset)) return { key, outcome: 'done' };
    const createdIds = earlierCalls.platformIds[key];
    if (createdIds) return { key, outcome: 'done', platformIds: createdIds };
    return addOrFail(asset, earlierCalls, context);
  };
  return mapBounded(assets, addToProject, { signal: context.signal });
}

async function addOrFail(
  asset: StepAsset,
  { ambiguousSince }: EarlierCalls,
  context: NodeContext,
): Promise<AssetResult> {
  const { key, platformIds } = asset;
  const { projectId = '', variants = [] } = platformIds;
  const template = context.run.operations?.[operation]?.body ?? defaultBody;
  const body = fillBody(template, { variantIds: variants, projectId });
  try {
    const { platformIds: createdIds } = await submitOnce(
      {
        creation: variantAddition,
        params: { projectId },
        body,
        assets: [asset],
        known: { [key]: { added: fingerprintOfChoice(platformIds) } },
        ambiguousSince: ambiguousSince([asset]),
        purpose: 'variants',
      },
      context,
    );
    return { key, outcome: 'done', platformIds: createdIds[key] ?? {} };
  } catch (error) {
    // The refusal may be caused by a wrong body or route in the pipeline file.
    const refusal = findRefusal(error, ['content', 'missing', 'route']);
    if (refusal === null) throw error;
    const { status, code, detail } = refusal.error;
    const message = `${formatOperationLocation(operation, context) ?? operation} responded with ${status} ${code}: ${detail}`;
    const { PROJECT_NOT_FOUND } = projectFailures;
    return code === PROJECT_NOT_FOUND.code
      ? fail(PROJECT_NOT_FOUND, key, message, { forgetIds: ['projectId', 'added'], missing: true })
      : fail(variantFailures.VARIANTS_NOT_ADDED, key, message);
  }
}

function fingerprintOfChoice({ projectId = '', variants = [] }: PlatformIds): string {
  return fingerprintsOf([[projectId, ...variants].join('/')]);
}
