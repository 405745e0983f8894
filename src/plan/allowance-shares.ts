// Divides places among workers: max-min fair over what each could use. Pure.

export interface Claimant {
  worker: string;
  /** Places that it could use. */
  wants: number;
  /** It has some now. */
  has: boolean;
  /** Since when it has some, or none, ms. */
  sinceMs: number;
}

export interface Division {
  /** Places by worker. */
  shares: Map<string, number>;
  /** Somebody wants more than is there. */
  isTight: boolean;
}

/** Part of the allowance that nobody is given, so that a worker that joins finds something. */
const reserveShare = 0.02;
const idleShare = 0.1;

/**
 * Shares of `places`. Nobody gets more than it wants while another wants more than it gets. What nobody wants is
 * divided evenly among those that work; half of it is kept for whoever asks next.
 */
export function divide(places: number, claimants: readonly Claimant[]): Division {
  const shares = new Map<string, number>();
  let left = Math.max(0, places - Math.floor(places * reserveShare));
  const byWish = [...claimants].sort((a, b) => a.wants - b.wants || turnOf(a, b));
  // Where places do not reach for all, those without one come first.
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
    // Of several half of it stays for whoever asks first, which is soon: what one was given comes back late.
    const isAlone = claimants.length === 1;
    const isIdle = claimants.every(({ wants }) => wants === 0);
    const all = isAlone && !isIdle ? given : 2 * given;
    for (const [worker, share] of shares) {
      shares.set(worker, share + Math.floor((left * (weights.get(worker) ?? 0)) / all));
    }
  }
  return { shares, isTight };
}

/** Those that do nothing have a tenth of one that works, all together: what they have is there for nobody else. */
function spareWeights(claimants: readonly Claimant[]): Map<string, number> {
  const idle = claimants.filter(({ wants }) => wants === 0).length;
  const ofIdle = claimants.length === 1 ? 1 : idleShare / idle;
  return new Map(claimants.map(({ worker, wants }) => [worker, wants === 0 ? ofIdle : 1]));
}

/** Who has waited longest for a place; of those with places, who got them last keeps them. */
function turnOf(a: Claimant, b: Claimant): number {
  if (a.has !== b.has) return a.has ? 1 : -1;
  const older = a.has ? b.sinceMs - a.sinceMs : a.sinceMs - b.sinceMs;
  return older || (a.worker < b.worker ? -1 : 1);
}
