// Formats the progress of a run: a table for terminals, one line for other output. Pure.

import { formatRemainingTime } from '../../app/runs/remaining-time.ts';
import { formatWait, type RunWait } from '../../app/runs/run-waits.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatSeconds } from '../../plan/helpers/format-seconds.ts';
import type { RunCause } from '../../plan/run/run-cause.ts';
import type { StepCount, Totals } from '../../plan/shard/totals.ts';
import type { Paint } from '../color.ts';

export interface ProgressView {
  run: string;
  state: string;
  cause: RunCause | null;
  totals: Totals;
  steps: { id: string; count: StepCount }[];
  requests: number;
  /** See `formatListing`. */
  listing: string | null;
  elapsedMs: number;
  /** Estimated remaining time; null if unknown. */
  remainingMs: number | null;
  /** Assets that wait for something outside the run. */
  waits: readonly RunWait[];
  nowMs: number;
  /** A note for the user, such as that no worker answers. */
  remark: string | null;
}

const barCells = 24;
/** Shorter waits are normal and not shown. */
const waitThresholdMs = 60_000;
const waitsShown = 2;

export function formatProgressTable(view: ProgressView, paint: Paint): string {
  const { totals } = view;
  const width = Math.max(4, ...view.steps.map(({ id }) => id.length));
  const rows = view.steps.map(
    ({ id, count: now }) =>
      `  ${id.padEnd(width)} ${formatStepCount(now.waiting)} ${formatStepCount(now.running)} ${formatStepCount(now.done)} ${now.failed > 0 ? paint('red', formatStepCount(now.failed)) : formatStepCount(now.failed)}`,
  );
  const header = `  ${'step'.padEnd(width)}  waiting     now    done  failed`;
  return [
    `${paint('bold', view.run)}  ${view.state}  ${formatSeconds(Math.floor(view.elapsedMs / 1000))}`,
    `  ${formatBar(totals)} ${formatProgress(view)}`,
    ...(rows.length === 0 ? [] : [paint('dim', header), ...rows]),
    ...(view.remark === null ? [] : [paint('yellow', `  ${view.remark}`)]),
  ].join('\n');
}

/** Formats the progress as one line, for logs and pipes. */
export function formatProgressLine(view: ProgressView): string {
  const remark = view.remark === null ? '' : ` (${view.remark})`;
  return `${view.state}: ${formatProgress(view)}, ${formatSeconds(Math.floor(view.elapsedMs / 1000))}${remark}`;
}

function formatProgress(view: ProgressView): string {
  const { totals, state, requests, listing, remainingMs } = view;
  if (state === 'starting') return 'not started by a worker yet';
  if (state === 'discovering') return 'discovering assets';
  // A worker has started the run, but none has answered since this command began.
  if (state === 'running' && view.steps.length + totals.total === 0) return 'no figures yet';
  return [
    `${totals.complete.toLocaleString('en-US')} of ${totals.total.toLocaleString('en-US')} complete`,
    ...(totals.failed > 0 ? [`${totals.failed} failed`] : []),
    ...(totals.skipped > 0 ? [`${totals.skipped} skipped`] : []),
    ...(requests > 0 ? [formatCount(requests, 'request')] : []),
    ...(listing === null ? [] : [listing]),
    ...formatLongWaits(view),
    ...(remainingMs === null ? [] : [formatRemainingTime(remainingMs)]),
  ].join(', ');
}

function formatLongWaits({ waits, nowMs }: ProgressView): string[] {
  return waits
    .filter(({ since }) => nowMs - Date.parse(since) >= waitThresholdMs)
    .slice(0, waitsShown)
    .map((wait) => formatWait(wait, nowMs));
}

function formatBar({ total, complete, failed, skipped }: Totals): string {
  const ended = complete + failed + skipped;
  const full = total === 0 ? 0 : Math.floor((ended / total) * barCells);
  return '█'.repeat(full) + '░'.repeat(barCells - full);
}

function formatStepCount(value: number): string {
  return String(value).padStart(7);
}
