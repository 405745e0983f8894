// Removes from a preview the assets that the run would refuse because of their files.

import { openConnector } from '../../connectors/index.ts';
import { type InspectedFiles, inspectFiles } from '../../features/inspect-files.ts';
import { type ReachedSteps, resolveReachedSteps } from '../../features/reached-steps.ts';
import type { ConditionVerdict } from '../../language/condition-verdict.ts';
import type { Plan } from '../../plan/types.ts';
import { isCell } from '../../store/records/cell-keys.ts';
import type { App } from '../app.ts';
import type { Preview } from './preview-assets.ts';

export interface InspectedPreview
  extends Preview,
    Pick<InspectedFiles<unknown>, 'warnings' | 'inspectionByKey' | 'uninspectedCount'> {
  reachedSteps: ReachedSteps;
}

/**
 * Inspects the headers of files. Assets that the run would refuse are moved to `refused`.
 * @param reachedSteps steps of the assets
 */
export async function inspectPreview(
  app: App,
  plan: Plan,
  preview: Preview,
  reachedSteps: ReachedSteps = resolveReachedSteps(plan, preview.assets),
): Promise<InspectedPreview> {
  const deps = { open: openConnector, signal: app.signal };
  const { accepted, refused, ...files } = await inspectFiles(
    plan,
    preview.assets,
    deps,
    reachedSteps,
  );
  const acceptedAssets = new Set(accepted);
  const isAccepted = preview.assets.map((asset) => acceptedAssets.has(asset));
  const counts = { ...preview.counts };
  for (const asset of preview.assets) {
    if (acceptedAssets.has(asset)) continue;
    const isNew = asset.reason === 'new' || asset.reason === 'retry';
    counts[isNew ? 'new' : 'changed'] -= 1;
  }
  const ofAccepted = (verdicts: readonly ConditionVerdict[]) =>
    verdicts.filter((_, index) => isAccepted[index]);
  return {
    ...preview,
    ...files,
    counts,
    assets: accepted,
    refused: [...preview.refused, ...refused],
    refusedCells: [
      ...preview.refusedCells,
      ...preview.assets.filter((asset) => isCell(asset) && !acceptedAssets.has(asset)),
    ],
    reachedSteps: new Map(
      [...reachedSteps].map(([step, verdicts]) => [step, ofAccepted(verdicts)]),
    ),
  };
}
