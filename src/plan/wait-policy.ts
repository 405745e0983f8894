// When assets that have come to a waiting step get a wait of their own, and when one that is under way takes them
// along. Each wait that is begun or interrupted costs history events, and its input the bytes of its assets. Pure.

/** Arrivals wait for others for this share of the usual time of assets in the step. */
const patienceShare = 0.08;
const patienceAtLeastMs = 1_500;
const patienceAtMostMs = 5 * 60_000;
/** Waits of one step at once. Each looks by itself, and hands on calls that are less full. */
const waitsAtMost = 4;
/** Assets that came within this time of each other are one wave, and wait together. */
const waveMs = 10_000;

export interface WaitUnderWay {
  id: number;
  assets: number;
  /** When the last of its assets came to the step. */
  newestMs: number;
}

export interface Arrivals {
  assets: number;
  /** When the first of them came. */
  oldestMs: number;
}

export type WaitDecision =
  /** Begin a wait for the arrivals and the assets of these waits, which are interrupted. */
  | { begin: true; merge: number[] }
  /** Ask again by then. */
  | { begin: false; askAgainAtMs: number };

/**
 * @param tookMs what assets took in the step so far; null while none has come through
 * @param oldestMs when the first asset came that is still in the step
 */
export function decideWait(
  arrivals: Arrivals,
  waits: readonly WaitUnderWay[],
  { tookMs, oldestMs, nowMs }: { tookMs: number | null; oldestMs: number; nowMs: number },
): WaitDecision {
  const [smallest] = [...waits].sort((a, b) => a.assets - b.assets);
  if (!smallest) return { begin: true, merge: [] };
  const dueMs = arrivals.oldestMs + patienceMs(tookMs ?? nowMs - oldestMs);
  if (nowMs < dueMs) return { begin: false, askAgainAtMs: dueMs };
  // Twice as many at least with each merge, so that an asset is in few inputs however many come one by one.
  const sameWave = nowMs - smallest.newestMs <= waveMs + patienceAtLeastMs;
  const worthwhile = sameWave && 2 * arrivals.assets >= smallest.assets;
  const full = waits.length >= waitsAtMost;
  return { begin: true, merge: worthwhile || full ? [smallest.id] : [] };
}

/** How long what has come may wait for more. @param tookMs of what comes through usually */
export function patienceMs(tookMs: number): number {
  return Math.min(Math.max(patienceShare * tookMs, patienceAtLeastMs), patienceAtMostMs);
}

/** Average time of assets in a step, with the newest ones weighing most. */
export function averageMs(before: number | null, tookMs: readonly number[]): number | null {
  if (tookMs.length === 0) return before;
  const mean = tookMs.reduce((sum, one) => sum + one, 0) / tookMs.length;
  return before === null ? mean : 0.5 * before + 0.5 * mean;
}
