// What happens to delivered files of withdrawn products: the rules of a plan, and counts of what was done. Pure.
import { formatCount } from './helpers/format-count.ts';
import { fingerprintOf } from './rows.ts';

export const withdrawalPolicies = ['keep', 'archive', 'delete'] as const;
export type WithdrawalPolicy = (typeof withdrawalPolicies)[number];

/** Folder below the destination that archived files are moved to. */
export const archiveFolder = 'archive';

export interface WithdrawalRule {
  /** Name of the connector of the export's files. */
  connector: string;
  policy: WithdrawalPolicy;
}

export interface WithdrawalRules {
  /** By the fingerprint of each export's delivery. */
  exports: Readonly<Record<string, WithdrawalRule>>;
  /** Maximum number of assets that a run withdraws. Default: a tenth of those on record, at least `minWithdrawable`. */
  max?: number;
}

export interface WithdrawnCounts {
  assets: number;
  archived: number;
  deleted: number;
}

/** A run may withdraw this number of assets unless the file sets a lower maximum. */
export const minWithdrawable = 5;

/** Returns how many assets one run may withdraw. @param onRecord delivered assets, without withdrawn ones */
export function computeMaxWithdrawn({ max }: WithdrawalRules, onRecord: number): number {
  return max ?? Math.max(minWithdrawable, Math.floor(onRecord / 10));
}

/**
 * Returns the rule for a file, or null if none applies. If no export has the fingerprint any longer, the policy of the
 * exports to the same connector applies, provided that all of them have the same policy.
 * @param mark fingerprint of the file's delivery
 * @param connector name of the connector to which the file was delivered
 */
export function findWithdrawalRule(
  { exports }: WithdrawalRules,
  mark: string,
  connector: string | undefined,
): WithdrawalRule | null {
  const ownRule = exports[fingerprintOf(mark)];
  if (ownRule) return ownRule;
  const [first, ...others] = Object.values(exports).filter((rule) => rule.connector === connector);
  return first && others.every(({ policy }) => policy === first.policy) ? first : null;
}

/** Returns the `withdrawn` field of a result. The field is absent if nothing was withdrawn. */
export function toWithdrawnFields(counts: WithdrawnCounts | undefined): {
  withdrawn?: WithdrawnCounts;
} {
  const { assets = 0, archived = 0, deleted = 0 } = counts ?? {};
  return assets + archived + deleted === 0 ? {} : { withdrawn: { assets, archived, deleted } };
}

/** Formats `3 files of 1 asset: 2 to archive/, 1 deleted` */
export function formatWithdrawn({ assets, archived, deleted }: WithdrawnCounts): string {
  const files = `${formatCount(archived + deleted, 'file')} of ${formatCount(assets, 'asset')}`;
  const parts = [
    ...(archived > 0 ? [`${archived} to ${archiveFolder}/`] : []),
    ...(deleted > 0 ? [`${deleted} deleted`] : []),
  ];
  return parts.length === 0 ? files : `${files}: ${parts.join(', ')}`;
}
