// Reports sources that were already delivered under another key (moved or copied files), for `renderline plan`.
import { finishedStagesOf } from '../../engine/cost/found-work.ts';
import { firstStageToRunOf } from '../../plan/stages.ts';
import type { Stage } from '../../plan/types.ts';
import type { DiscoveredAssets } from '../../store/discovery/discover.ts';
import type { MovedReport } from '../../store/discovery/moves/apply-moves.ts';
import type { RunAsset } from '../../store/runs/run-assets.ts';

/** Maximum number of moves, and maximum number of copies, that JSON output lists. */
const maxReported = 1_000;

export interface MovesSummary extends Pick<MovedReport, 'read' | 'isTaken' | 'isCut'> {
  assets: number;
  /** Number of moved assets that cost nothing. */
  free: number;
  copies: MovedReport['copies'];
  /** The first moved assets. `startStage` is null for assets that start from the source file or are not processed. */
  first: { key: string; from: string; startStage: Stage | null }[];
}

/** True for a moved asset whose files only need to be delivered again. */
export function isFreeOfCharge(
  asset: Pick<RunAsset, 'moved' | 'reason' | 'reusableStages'>,
): boolean {
  return asset.moved !== undefined && firstStageToRunOf(finishedStagesOf(asset)) === 'delivery';
}

export function summarizeMoves({ moved: report, assets }: DiscoveredAssets): MovesSummary | null {
  if (report === null) return null;
  const { moved, copies, ...rest } = report;
  const movedByKey = new Map(assets.flatMap((asset) => (asset.moved ? [[asset.key, asset]] : [])));
  const first = moved.slice(0, maxReported).map(({ key, from }) => {
    const asset = movedByKey.get(key);
    return { key, from, startStage: asset ? firstStageToRunOf(finishedStagesOf(asset)) : null };
  });
  const freeCount = [...movedByKey.values()].filter(isFreeOfCharge).length;
  return {
    ...rest,
    assets: moved.length,
    free: freeCount,
    copies: copies.slice(0, maxReported),
    first,
  };
}
