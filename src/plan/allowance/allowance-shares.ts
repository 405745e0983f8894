// Divides permits among workers by max-min fairness over the number that each could use. Pure.
import type { Member } from './allowance-contract.ts';

export type Claimant = Pick<Member, 'worker' | 'wantedPermits' | 'allotment' | 'sinceMs'>;

export interface Division {
  shares: Map<string, number>;
  /** True if the workers want more permits than there are. */
  isContended: boolean;
}

/** Share of the limit that is held back for new workers, and for commands, which do not take a lease. */
const reserveShare = 0.02;
/** Weight of all idle workers together in the division of spare permits. An active worker has weight 1. */
const idleShare = 0.1;

/**
 * Divides permits. No worker gets more than it wants while another gets less than it wants. Spare permits are divided
 * among the workers, with few for idle ones. Half of them are kept back unless the only worker is active.
 */
export function dividePermits(permits: number, claimants: readonly Claimant[]): Division {
  const shares = new Map<string, number>();
  let remainingPermits = Math.max(0, permits - computeReserve(permits));
  // If there are fewer permits than workers, workers without a permit come first. Otherwise, low demand comes first.
  const isScarce = remainingPermits < claimants.length;
  const order = [...claimants].sort(
    (a, b) => (isScarce ? 0 : a.wantedPermits - b.wantedPermits) || compareByWait(a, b),
  );
  for (const [index, { worker, wantedPermits }] of order.entries()) {
    const fairShare = isScarce
      ? Math.min(1, remainingPermits)
      : Math.floor(remainingPermits / (order.length - index));
    const share = Math.min(wantedPermits, fairShare);
    shares.set(worker, share);
    remainingPermits -= share;
  }
  const isContended = claimants.some(
    ({ worker, wantedPermits }) => (shares.get(worker) ?? 0) < wantedPermits,
  );
  if (!isContended) {
    const idleCount = claimants.filter(isIdle).length;
    const isAlone = claimants.length === 1;
    // Idle workers get few permits, because no other worker can use the permits that they hold.
    const weightOf = (claimant: Claimant) =>
      isIdle(claimant) && !isAlone ? idleShare / idleCount : 1;
    const weightSum = claimants.reduce((sum, claimant) => sum + weightOf(claimant), 0);
    // Leased permits take a window to return, so half of them are held back for workers that need some before then.
    const divisor = isAlone && idleCount === 0 ? weightSum : 2 * weightSum;
    for (const claimant of claimants) {
      const spare = Math.floor((remainingPermits * weightOf(claimant)) / divisor);
      shares.set(claimant.worker, (shares.get(claimant.worker) ?? 0) + spare);
    }
  }
  return { shares, isContended };
}

/** Computes the number of permits that are held back. */
export function computeReserve(permits: number): number {
  return Math.floor(permits * reserveShare);
}

function isIdle({ wantedPermits }: Claimant): boolean {
  return wantedPermits === 0;
}

/** Sorts workers without permits first, by waiting time, then workers with permits, the newest holder first. */
function compareByWait(a: Claimant, b: Claimant): number {
  const [hasA, hasB] = [(a.allotment ?? 0) > 0, (b.allotment ?? 0) > 0];
  if (hasA !== hasB) return hasA ? 1 : -1;
  const older = hasA ? b.sinceMs - a.sinceMs : a.sinceMs - b.sinceMs;
  return older || (a.worker < b.worker ? -1 : 1);
}
