// Progress of a run that is being followed: the figures for a front end, and their format as one line.
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatSeconds } from '../../plan/helpers/format-seconds.ts';
import type { RunCause } from '../../plan/run/run-cause.ts';
import { formatTotals } from '../../plan/shard/format-totals.ts';
import type { StepCount, Totals } from '../../plan/shard/totals.ts';
import { formatRemainingTime } from './remaining-time.ts';
import { formatWait, type RunWait } from './run-waits.ts';

export interface ProgressReport {
  run: string;
  state: string;
  cause: RunCause | null;
  totals: Totals;
  steps: { id: string; count: StepCount }[];
  requests: number;
  /** Text about an unfinished listing, from `formatListing`. Null if there is no unfinished listing. */
  listing: string | null;
  elapsedMs: number;
  remainingMs: number | null;
  /** Assets that are waiting for something outside the run. */
  waits: readonly RunWait[];
  nowMs: number;
  /** A note for the user, for example that no worker answers. */
  remark: string | null;
}

export interface ProgressListener {
  readonly pollIntervalMs: number;
  show(progress: ProgressReport): void;
  /** Called once, when the run is no longer followed. */
  close(): void;
}

const lineIntervalMs = 5_000;
/** Shorter waits without a known end are normal and are not shown. */
const waitThresholdMs = 60_000;
const maxWaitsShown = 2;

/** Writes a line when the state or the remark changes, and otherwise at most one every five seconds. */
export function createLineProgress(
  write: (line: string) => void,
  now: () => number,
): ProgressListener {
  let last = { text: '', kind: '', atMs: -Infinity };
  return {
    pollIntervalMs: 2_000,
    show(progress) {
      const kind = `${progress.state} ${progress.remark ?? ''}`;
      const text = formatProgressLine(progress);
      const isDue = now() - last.atMs >= lineIntervalMs && text !== last.text;
      if (kind === last.kind && !isDue) return;
      last = { text, kind, atMs: now() };
      write(text);
    },
    close: () => {},
  };
}

export function formatProgressLine(progress: ProgressReport): string {
  const { state, elapsedMs, remark } = progress;
  const elapsed = formatSeconds(Math.floor(elapsedMs / 1000));
  return `${state}: ${formatProgress(progress)}, ${elapsed}${remark === null ? '' : ` (${remark})`}`;
}

/** Formats progress, for example `3 of 8 complete, 12 requests, about 4 min left`. */
export function formatProgress(progress: ProgressReport): string {
  const { totals, state, steps, requests, listing, remainingMs } = progress;
  if (state === 'starting') return 'not started by a worker yet';
  if (state === 'discovering') return 'discovering assets';
  // A worker has started the run, but none has answered since following began.
  if (state === 'running' && steps.length + totals.total === 0) return 'no figures yet';
  return [
    formatTotals(totals),
    ...(requests > 0 ? [formatCount(requests, 'request')] : []),
    ...(listing === null ? [] : [listing]),
    ...formatLongWaits(progress),
    ...(remainingMs === null ? [] : [formatRemainingTime(remainingMs)]),
  ].join(', ');
}

function formatLongWaits({ waits, nowMs }: ProgressReport): string[] {
  return waits
    .filter(({ since, until }) => until || nowMs - Date.parse(since) >= waitThresholdMs)
    .slice(0, maxWaitsShown)
    .map((wait) => formatWait(wait, nowMs));
}
