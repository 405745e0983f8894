// Divides permits among workers: max-min fair by what each could use. Pure.

export interface Claimant {
  worker: string;
  /** Permits that it could use. */
  wants: number;
  /** It has permits now. */
  has: boolean;
  /** Since when it has permits, or none, ms. */
  sinceMs: number;
}

export interface Division {
  /** Permits by worker. */
  shares: Map<string, number>;
  /** The workers want more permits than there are. */
  isTight: boolean;
}

/** Share of the limit that is kept back, so that a new worker gets permits at once. */
const reserveShare = 0.02;
const idleShare = 0.1;

/**
 * Divides `places` permits. No worker gets more than it wants while another gets less than it wants. The rest is
 * divided evenly among active workers; half of the rest is kept for the next request.
 */
export function divide(places: number, claimants: readonly Claimant[]): Division {
  const shares = new Map<string, number>();
  let left = Math.max(0, places - Math.floor(places * reserveShare));
  const byWish = [...claimants].sort((a, b) => a.wants - b.wants || turnOf(a, b));
  // If there are fewer permits than workers, those without one come first.
  const scarce = left < byWish.length;
  const order = scarce ? [...claimants].sort(turnOf) : byWish;
  for (const [index, { worker, wants }] of order.entries()) {
    const fair = scarce ? Math.min(1, left) : Math.floor(left / (order.length - index));
    const share = Math.min(wants, fair);
    shares.set(worker, share);
    left -= share;
  }
  const isTight = claimants.some(({ worker, wants }) => (shares.get(worker) ?? 0) < wants);
  if (!isTight) {
    const weights = spareWeights(claimants);
    const given = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
    // With several workers half of the rest is kept, since permits that are given away return late.
    const isAlone = claimants.length === 1;
    const isIdle = claimants.every(({ wants }) => wants === 0);
    const all = isAlone && !isIdle ? given : 2 * given;
    for (const [worker, share] of shares) {
      shares.set(worker, share + Math.floor((left * (weights.get(worker) ?? 0)) / all));
    }
  }
  return { shares, isTight };
}

/** All idle workers together get a tenth of an active worker's share, since nobody else can use permits that they hold. */
function spareWeights(claimants: readonly Claimant[]): Map<string, number> {
  const idle = claimants.filter(({ wants }) => wants === 0).length;
  const ofIdle = claimants.length === 1 ? 1 : idleShare / idle;
  return new Map(claimants.map(({ worker, wants }) => [worker, wants === 0 ? ofIdle : 1]));
}

/** Workers without permits come in the order of waiting; among workers with permits, the most recent one keeps them. */
function turnOf(a: Claimant, b: Claimant): number {
  if (a.has !== b.has) return a.has ? 1 : -1;
  const older = a.has ? b.sinceMs - a.sinceMs : a.sinceMs - b.sinceMs;
  return older || (a.worker < b.worker ? -1 : 1);
}
