// Decides when assets that are ready for a waiting step get a new wait activity, and when they join an existing one.
// Each wait that starts or is interrupted costs history events, and its input costs bytes per asset. Pure.

/** Arriving assets wait for others for this share of the time that assets usually spend in the step. */
const batchDelayShare = 0.08;
const minPatienceMs = 1_500;
const maxPatienceMs = 5 * 60_000;
/** Maximum number of concurrent waits of a step. More waits mean fewer assets in each later call. */
const maxWaits = 4;
/** Assets that arrive within this time of each other belong to one wave and wait together. */
const waveMs = 10_000;

export interface ActiveWait {
  id: number;
  assets: number;
  /** When the last of its assets became ready for the step. */
  newestReadyAtMs: number;
}

export interface Arrivals {
  assets: number;
  /** When the first of its assets became ready for the step. */
  oldestReadyAtMs: number;
}

export type WaitDecision =
  /** Start a wait for the arrivals and for the assets of these waits, which are interrupted. */
  | { isStart: true; merge: number[] }
  /** Decide again at this time. */
  | { isStart: false; nextCheckAtMs: number };

/**
 * @param usualDurationMs time that assets usually spend in the step. Null if none has finished the step yet
 * @param firstEnteredAtMs when the first of the assets in the step became ready for it
 */
export function decideWait(
  arrivals: Arrivals,
  waits: readonly ActiveWait[],
  {
    usualDurationMs,
    firstEnteredAtMs,
    nowMs,
  }: { usualDurationMs: number | null; firstEnteredAtMs: number; nowMs: number },
): WaitDecision {
  const [smallest] = [...waits].sort((a, b) => a.assets - b.assets);
  if (!smallest) return { isStart: true, merge: [] };
  const dueAtMs =
    arrivals.oldestReadyAtMs + computeBatchDelayMs(usualDurationMs ?? nowMs - firstEnteredAtMs);
  if (nowMs < dueAtMs) return { isStart: false, nextCheckAtMs: dueAtMs };
  // A merge needs half as many arrivals as the wait has assets, so that an asset is in few inputs if assets trickle in.
  const isSameWave = nowMs - smallest.newestReadyAtMs <= waveMs + minPatienceMs;
  const isWorthwhile = isSameWave && 2 * arrivals.assets >= smallest.assets;
  const isFull = waits.length >= maxWaits;
  return { isStart: true, merge: isWorthwhile || isFull ? [smallest.id] : [] };
}

/** Computes how long arriving assets wait, ms. @param durationMs time that assets usually spend in the step */
export function computeBatchDelayMs(durationMs: number): number {
  return Math.min(Math.max(batchDelayShare * durationMs, minPatienceMs), maxPatienceMs);
}

/** Computes the moving average of the time that assets spend in a step. Null if no asset has finished the step. */
export function computeAverageMs(
  previousMs: number | null,
  durationsMs: readonly number[],
): number | null {
  if (durationsMs.length === 0) return previousMs;
  const mean = durationsMs.reduce((sum, ms) => sum + ms, 0) / durationsMs.length;
  return previousMs === null ? mean : 0.5 * previousMs + 0.5 * mean;
}
