// What becomes of delivered files whose product is gone: the rules of a plan, and how much of it was done. Pure.
import { count } from './count.ts';

export const withdrawalPolicies = ['keep', 'archive', 'delete'] as const;
export type WithdrawalPolicy = (typeof withdrawalPolicies)[number];

/** Folder below the destination that archived files move to. */
export const archiveFolder = 'archive';

export interface WithdrawalRule {
  /** Name of the connector of its files. */
  connector: string;
  policy: WithdrawalPolicy;
}

export interface WithdrawalRules {
  /** Of each export, by the mark of its delivery. */
  exports: Readonly<Record<string, WithdrawalRule>>;
  /** Most assets that a run withdraws; absent: a tenth of those on record, and at least `fewAssets`. */
  most?: number;
}

/** Assets and files that a run withdraws, or has withdrawn. */
export interface WithdrawnCounts {
  assets: number;
  archived: number;
  deleted: number;
}

/** As many may always be withdrawn. */
export const fewAssets = 5;

/** Most assets that one run may withdraw. @param onRecord delivered assets, without those that are withdrawn */
export function mostWithdrawn({ most }: WithdrawalRules, onRecord: number): number {
  return most ?? Math.max(fewAssets, Math.floor(onRecord / 10));
}

/**
 * The rule for a file.
 * @param mark of its delivery
 * @param connector that the delivery had; a delivery that the pipeline has no more goes by the exports to the same place
 */
export function ruleFor(
  { exports }: WithdrawalRules,
  mark: string | undefined,
  connector: string | undefined,
): WithdrawalRule | null {
  const own = mark === undefined ? undefined : exports[mark];
  if (own) return own;
  const [first, ...others] = Object.values(exports).filter((rule) => rule.connector === connector);
  return first && others.every(({ policy }) => policy === first.policy) ? first : null;
}

/** As a result says it: nothing where there is nothing to say. */
export function withdrawnOf(counts: WithdrawnCounts | undefined): { withdrawn?: WithdrawnCounts } {
  const { assets = 0, archived = 0, deleted = 0 } = counts ?? {};
  return assets + archived + deleted === 0 ? {} : { withdrawn: { assets, archived, deleted } };
}

/** `3 files of 1 asset: 2 to archive/, 1 deleted` */
export function withdrawnWords({ assets, archived, deleted }: WithdrawnCounts): string {
  const files = `${count(archived + deleted, 'file')} of ${count(assets, 'asset')}`;
  const ways = [
    ...(archived > 0 ? [`${archived} to ${archiveFolder}/`] : []),
    ...(deleted > 0 ? [`${deleted} deleted`] : []),
  ];
  return ways.length === 0 ? files : `${files}: ${ways.join(', ')}`;
}
