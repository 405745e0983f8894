// The assets of a run that wait for a decision, and what a person decides about them.
import { parseChoice } from '../../engine/discovery/parse-choice.ts';
import { commandFailures } from '../../failures/commands.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import type { ConnectorSpec } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { ReviewedAsset } from '../../store/runs/pictures/approvals.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { RenderlineError } from '../renderline-error.ts';

export interface WaitingAsset extends ReviewedAsset {
  shard: number;
  /** The approval node. */
  node: string;
  /** Where its pictures are. */
  review: ConnectorSpec;
}

export type Verdict = 'approve' | 'reject' | 'wait';

export interface DecisionOptions {
  /** Keys or globs: only these assets are decided. */
  only?: readonly string[] | undefined;
  /** Condition: only matching assets are decided. */
  where?: string | undefined;
  /** Condition: of these, matching assets are rejected, and the others approved. */
  reject?: string | undefined;
}

export interface AssetVerdict {
  asset: WaitingAsset;
  verdict: Verdict;
}

/** @param hasEnded true for the key of an asset that no decision can reach any more */
export async function readWaitingAssets(
  { approvals }: Pick<RunStore, 'approvals'>,
  hasEnded: (key: string) => boolean,
): Promise<WaitingAsset[]> {
  const waiting = new Map<string, WaitingAsset>();
  for (const [node, pages] of groupBy(await approvals.shown(), (page) => page.node)) {
    const decided = await approvals.decisions(node);
    for (const { shard, review, assets } of pages) {
      for (const asset of assets) {
        if (decided.has(asset.key) || hasEnded(asset.key)) continue;
        waiting.set(JSON.stringify([node, asset.key]), { ...asset, shard, node, review });
      }
    }
  }
  return [...waiting.values()];
}

/**
 * Applies the conditions to the waiting assets.
 * @throws OnlyError, WhereError for invalid options; RenderlineError if no asset matches
 */
export async function judgeAssets(
  waiting: readonly WaitingAsset[],
  { only, where, reject }: DecisionOptions,
  run: string,
  { manifest }: Pick<RunStore, 'manifest'>,
): Promise<AssetVerdict[]> {
  const decides = parseChoice({
    ...(only === undefined ? {} : { only: [...only] }),
    ...(where === undefined ? {} : { where }),
  });
  const rejects = reject === undefined ? null : parseChoice({ where: reject });
  const shards = [...new Set(waiting.map(({ shard }) => shard))];
  const pages = new Map(
    await mapBounded(shards, async (shard) => {
      const assets = await manifest.page(shard);
      return [shard, new Map(assets.map((asset) => [asset.key, asset]))] as const;
    }),
  );
  const verdicts = waiting.map((asset): AssetVerdict => {
    const known = pages.get(asset.shard)?.get(asset.key);
    if (known === undefined || !decides.takes(known, known.reason))
      return { asset, verdict: 'wait' };
    const verdict = rejects?.takes(known, known.reason) ? 'reject' : 'approve';
    return { asset, verdict };
  });
  if (verdicts.some(({ verdict }) => verdict !== 'wait')) return verdicts;
  throw new RenderlineError(
    commandFailures.NO_MATCH,
    `None of the ${waiting.length} assets of ${run} that wait matches.`,
    { fix: `See them: renderline approve ${run} --dry-run`, details: { run } },
  );
}

export interface VerdictCounts {
  approved: number;
  rejected: number;
  /** Assets that keep waiting. */
  waiting: number;
}

export function countVerdicts(verdicts: readonly AssetVerdict[]): VerdictCounts {
  const count = (wanted: Verdict) => verdicts.filter(({ verdict }) => verdict === wanted).length;
  return { approved: count('approve'), rejected: count('reject'), waiting: count('wait') };
}
