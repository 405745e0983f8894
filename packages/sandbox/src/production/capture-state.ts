// Computes the state of a capture over time, and the current views of a variant.
import type { CaptureMode } from 'renderline/api/operations/production';
import type { Sandbox } from '../context/sandbox.ts';
import type { CaptureRecord } from '../state/production-records.ts';

export type CaptureState = 'capturing' | 'captured' | 'failed';

/** A capture whose pictures are not drawn in time continues until they are. */
export function captureState(capture: CaptureRecord, nowMs: number): CaptureState {
  if (nowMs < capture.endAt || capture.drawnAt === undefined) return 'capturing';
  return capture.captured === undefined ? 'failed' : 'captured';
}

/** Returns when a capture ended, in epoch milliseconds. Meaningful only once the capture has ended. */
export function captureEndedAt(capture: CaptureRecord): number {
  return Math.max(capture.endAt, capture.drawnAt ?? 0);
}

export function capturesOf({ store }: Sandbox, modelId: string): readonly CaptureRecord[] {
  return store.captures.all.filter((capture) => capture.modelId === modelId);
}

/** Finds the variant's current views: its latest capture that has succeeded. Returns undefined if there is none. */
export function findLatestViews(
  captures: readonly CaptureRecord[],
  variantId: string,
  nowMs: number,
): CaptureRecord | undefined {
  let latestCapture: CaptureRecord | undefined;
  for (const capture of captures) {
    if (capture.variantId !== variantId || captureState(capture, nowMs) !== 'captured') continue;
    if (!latestCapture || captureEndedAt(capture) >= captureEndedAt(latestCapture))
      latestCapture = capture;
  }
  return latestCapture;
}

/** True if a capture need not be repeated, because the variant is unchanged, and the mode is the same. */
export function isCaptureCurrent(
  capture: CaptureRecord | undefined,
  appearanceKey: string,
  mode: CaptureMode,
): boolean {
  return capture?.appearanceKey === appearanceKey && capture.mode === mode;
}
