// Formats the progress of a run: a table for terminals, one line for other output. Pure.

import { count } from '../../plan/count.ts';
import type { RunCause } from '../../plan/run-cause.ts';
import type { StepCount, Totals } from '../../plan/totals.ts';
import type { Paint } from '../color.ts';
import { spell } from './run-summary.ts';
import { type RunWait, waitWords } from './run-waits.ts';
import { leftWords } from './time-left.ts';

export interface ProgressView {
  run: string;
  state: string;
  cause: RunCause | null;
  totals: Totals;
  steps: { id: string; count: StepCount }[];
  requests: number;
  /** See `listingWords`. */
  listing: string | null;
  elapsedMs: number;
  /** Estimated remaining time; null if unknown. */
  leftMs: number | null;
  /** Assets that wait for something outside the run. */
  waits: readonly RunWait[];
  nowMs: number;
  /** A note for the user, such as that no worker answers. */
  remark: string | null;
}

const barCells = 24;
/** Shorter waits are normal and not shown. */
const waitsFromMs = 60_000;
const waitsShown = 2;

export function progressTable(view: ProgressView, paint: Paint): string {
  const { totals } = view;
  const width = Math.max(4, ...view.steps.map(({ id }) => id.length));
  const rows = view.steps.map(
    ({ id, count: now }) =>
      `  ${id.padEnd(width)} ${cell(now.waiting)} ${cell(now.running)} ${cell(now.done)} ${now.failed > 0 ? paint('red', cell(now.failed)) : cell(now.failed)}`,
  );
  const header = `  ${'step'.padEnd(width)}  waiting     now    done  failed`;
  return [
    `${paint('bold', view.run)}  ${view.state}  ${spell(Math.floor(view.elapsedMs / 1000))}`,
    `  ${bar(totals)} ${sentence(view)}`,
    ...(rows.length === 0 ? [] : [paint('dim', header), ...rows]),
    ...(view.remark === null ? [] : [paint('yellow', `  ${view.remark}`)]),
  ].join('\n');
}

/** Formats the progress as one line, for logs and pipes. */
export function progressLine(view: ProgressView): string {
  const remark = view.remark === null ? '' : ` (${view.remark})`;
  return `${view.state}: ${sentence(view)}, ${spell(Math.floor(view.elapsedMs / 1000))}${remark}`;
}

function sentence(view: ProgressView): string {
  const { totals, state, requests, listing, leftMs } = view;
  if (state === 'starting') return 'not started by a worker yet';
  if (state === 'discovering') return 'discovering assets';
  // A worker has started the run, but none has answered since this command began.
  if (state === 'running' && view.steps.length + totals.total === 0) return 'no figures yet';
  return [
    `${totals.complete.toLocaleString('en-US')} of ${totals.total.toLocaleString('en-US')} complete`,
    ...(totals.failed > 0 ? [`${totals.failed} failed`] : []),
    ...(totals.skipped > 0 ? [`${totals.skipped} skipped`] : []),
    ...(requests > 0 ? [count(requests, 'request')] : []),
    ...(listing === null ? [] : [listing]),
    ...longWaits(view),
    ...(leftMs === null ? [] : [leftWords(leftMs)]),
  ].join(', ');
}

function longWaits({ waits, nowMs }: ProgressView): string[] {
  return waits
    .filter(({ since }) => nowMs - Date.parse(since) >= waitsFromMs)
    .slice(0, waitsShown)
    .map((wait) => waitWords(wait, nowMs));
}

function bar({ total, complete, failed, skipped }: Totals): string {
  const ended = complete + failed + skipped;
  const full = total === 0 ? 0 : Math.floor((ended / total) * barCells);
  return '█'.repeat(full) + '░'.repeat(barCells - full);
}

function cell(value: number): string {
  return String(value).padStart(7);
}
