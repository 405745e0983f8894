// What a person decides about each waiting asset or picture, by keys and conditions.
import { compileSelection } from '../../engine/discovery/compile-selection.ts';
import { commandFailures } from '../../failures/commands.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { RenderlineError } from '../renderline-error.ts';
import type { WaitingAsset } from '../runs/waiting-assets.ts';

export type ApprovalVerdict = 'approve' | 'reject' | 'wait';

export interface DecisionOptions {
  /** Keys or globs. Only matching assets are decided. */
  only?: readonly string[] | undefined;
  /** Condition. Only matching assets are decided. */
  where?: string | undefined;
  /** Condition. Matching assets are rejected, and the other decided assets are approved. */
  reject?: string | undefined;
}

export interface VerdictOn<Waiting> {
  asset: Waiting;
  verdict: ApprovalVerdict;
}

export type AssetVerdict = VerdictOn<WaitingAsset>;

/** True if the options select some of the waiting assets. */
export function hasSelection({ only, where, reject }: DecisionOptions): boolean {
  return only !== undefined || where !== undefined || reject !== undefined;
}

/**
 * Applies the conditions to waiting assets. The conditions on a waiting picture apply to its asset. Without conditions,
 * everything is approved.
 * @throws OnlyError, WhereError for invalid options; RenderlineError if nothing matches
 */
export async function decideVerdicts<Waiting extends { key: string; shard: number }>(
  waitingAssets: readonly Waiting[],
  options: DecisionOptions,
  run: string,
  { runAssets }: Pick<RunStore, 'runAssets'>,
): Promise<VerdictOn<Waiting>[]> {
  if (!hasSelection(options)) return waitingAssets.map((asset) => ({ asset, verdict: 'approve' }));
  const { only, where, reject } = options;
  const decides = compileSelection(omitUndefined({ only: only && [...only], where }));
  const rejects = reject === undefined ? null : compileSelection({ where: reject });
  const shards = [...new Set(waitingAssets.map(({ shard }) => shard))];
  const pages = new Map(
    await mapBounded(shards, async (shard) => {
      const assets = await runAssets.page(shard);
      return [shard, new Map(assets.map((asset) => [asset.key, asset]))] as const;
    }),
  );
  const verdicts = waitingAssets.map((asset): VerdictOn<Waiting> => {
    const runAsset = pages.get(asset.shard)?.get(asset.key);
    if (runAsset === undefined || !decides.isSelected(runAsset, runAsset.reason))
      return { asset, verdict: 'wait' };
    return {
      asset,
      verdict: rejects?.isSelected(runAsset, runAsset.reason) ? 'reject' : 'approve',
    };
  });
  if (verdicts.some(({ verdict }) => verdict !== 'wait')) return verdicts;
  throw new RenderlineError(
    commandFailures.NO_MATCH,
    `No asset or picture that is waiting for approval in ${run} matches (${waitingAssets.length} waiting).`,
    { fix: `See what is waiting: renderline approve ${run} --dry-run`, details: { run } },
  );
}

export interface VerdictCounts {
  approved: number;
  rejected: number;
  /** Number of assets or pictures that remain waiting. */
  waiting: number;
}

export function countVerdicts(verdicts: readonly VerdictOn<unknown>[]): VerdictCounts {
  const count = (wantedVerdict: ApprovalVerdict) =>
    verdicts.filter(({ verdict }) => verdict === wantedVerdict).length;
  return { approved: count('approve'), rejected: count('reject'), waiting: count('wait') };
}
