// Renders the tables of a report: steps, requests, decisions and people.
import type { RunAction, RunTimes } from '../plan/run/run-timeline.ts';
import { escapeHtml } from './escape-html.ts';
import type { Report } from './report.ts';

/** A cell with text, a number, or raw HTML. */
type Cell = string | number | { html: string };

export function dataTableHtml(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly Cell[])[],
): string {
  const numeric = heads.map((_, index) => rows.some((row) => typeof row[index] === 'number'));
  const head = heads.map((text, index) => `<th scope="col"${classOf(numeric[index])}>${text}</th>`);
  const lines = rows.map((row) => {
    const [first = '', ...cells] = row;
    const dataCells = cells.map(
      (cell, index) => `<td${classOf(numeric[index + 1])}>${textOf(cell)}</td>`,
    );
    return `<tr><th scope="row">${textOf(first)}</th>${dataCells.join('')}</tr>`;
  });
  return `<div class="wide" tabindex="0" role="region" aria-label="${escapeHtml(caption)}"><table>
<caption>${escapeHtml(caption)}</caption>
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody>
</table></div>`;
}

function classOf(isNumber: boolean | undefined): string {
  return isNumber ? ' class="number"' : '';
}

function textOf(cell: Cell): string {
  if (typeof cell === 'object') return cell.html;
  return typeof cell === 'number' ? cell.toLocaleString('en-US') : escapeHtml(cell);
}

/** Formats a time (ISO 8601) in UTC, to the second. Omits the date if `beside` is on the same day. */
export function timeHtml(iso: string, beside = ''): string {
  const begin = iso.slice(0, 10) === beside.slice(0, 10) ? 11 : 0;
  const text = iso.slice(begin, 19).replace('T', ' ');
  return `<time datetime="${escapeHtml(iso)}">${escapeHtml(text)}</time>`;
}

export function stepsHtml({ steps, shards }: RunTimes): string {
  const longest = Math.max(1, ...steps.map(({ busySeconds }) => busySeconds));
  const rows = steps.map(({ step, within, done, failed, skipped, calls, requests, ...times }) => [
    within === null ? step : `${step} (in calls of ${within})`,
    done,
    failed,
    skipped,
    calls,
    Object.values(requests).reduce((sum, count) => sum + count, 0),
    { html: timeHtml(times.from) },
    { html: timeHtml(times.until, times.from) },
    times.busySeconds,
    { html: barHtml(times.busySeconds / longest) },
  ]);
  const part =
    shards.read < shards.of
      ? `<p>Only the first ${shards.read} of ${shards.of} shards are included.</p>`
      : '';
  const heads = ['Step', 'Done', 'Failed', 'Skipped', 'Calls', 'Requests', 'From (UTC)', 'Until'];
  return `${dataTableHtml('Time by step', [...heads, 'Busy seconds', 'Share'], rows)}${part}`;
}

/** Renders a bar as SVG, because the content security policy forbids inline styles. */
function barHtml(share: number): string {
  const width = Math.max(1, Math.round(share * 100));
  return `<svg width="100" height="8" aria-hidden="true"><rect width="${width}" height="8" rx="4" fill="currentColor" opacity=".6"/></svg>`;
}

/** Shown instead of an unknown figure, to distinguish it from zero. */
export const notKnown = 'unknown';

export function requestsHtml({ requests }: Pick<Report, 'requests'>): string {
  const rows = requests.byOperation.map(({ operation, planned, sent }) => [
    operation,
    planned ?? '',
    sent ?? notKnown,
  ]);
  const sums = ['All', requests.planned ?? '', requests.total ?? notKnown];
  return dataTableHtml(
    'API requests by operation',
    ['Operation', 'Planned', 'Sent'],
    [...rows, sums],
  );
}

export function decisionsHtml(decisions: Report['decisions']): string {
  const rows = decisions.map(({ node, outcome, by, reason, from, until, assets }) => [
    { html: timeHtml(from) },
    { html: timeHtml(until) },
    node,
    outcome,
    assets,
    by,
    reason ?? '',
  ]);
  const heads = ['From (UTC)', 'Until', 'Node', 'Decision', 'Assets', 'By', 'Reason'];
  return dataTableHtml('Who approved and rejected pictures', heads, rows);
}

export function peopleHtml(people: readonly RunAction[]): string {
  const heads = ['When (UTC)', 'What', 'By'];
  if (people.some(({ reason }) => reason)) heads.push('Reason');
  const rows = people.map(({ at, what, by, reason }) =>
    [{ html: timeHtml(at) }, what, by, reason ?? ''].slice(0, heads.length),
  );
  return dataTableHtml('Who did what', heads, rows);
}
