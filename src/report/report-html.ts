// Renders the report of a run as one HTML file.

import { formatZipStatus } from '../plan/delivery-manifests.ts';
import { formatCount, formatNumber } from '../plan/helpers/format-count.ts';
import { formatSeconds } from '../plan/helpers/format-seconds.ts';
import { limitLines } from '../plan/helpers/limit-lines.ts';
import { withoutFalse } from '../plan/helpers/without-false.ts';
import { formatExport } from '../plan/run/export-tally.ts';
import { formatPaid } from '../plan/run/paid-work.ts';
import { formatStartPoints } from '../plan/run/start-points.ts';
import { failureNounOf } from '../plan/run/workflow-failure-codes.ts';
import { formatWithdrawn } from '../plan/withdrawal.ts';
import { escapeHtml } from './escape-html.ts';
import { pageHtml } from './page-html.ts';
import type { Report, ReportedCause } from './report.ts';
import { galleryHtml, type ReportCard } from './report-gallery.ts';
import {
  figuresHtml,
  outcomeHtml,
  paragraphsHtml,
  proseHtml,
  webLinkHtml,
} from './report-parts.ts';
import { reportScript } from './report-script.ts';
import { reportStyle } from './report-style.ts';
import {
  decisionsHtml,
  notKnown,
  peopleHtml,
  requestsHtml,
  stepsHtml,
  timeHtml,
} from './report-tables.ts';

const maxKeysShown = 200;
const maxWarningsShown = 200;

/** @param remainingCount number of outputs without a card @param files number of delivered files */
export function reportHtml(
  report: Report,
  cards: readonly ReportCard[],
  remainingCount: number,
  files: number,
): string {
  const sections = [
    [report.outcome === 'paused' ? 'Paused' : 'Failures', failuresHtml(report)],
    ['Pictures', galleryHtml(cards, remainingCount)],
    ['Steps', report.times === null ? '' : stepsHtml(report.times)],
    ['Requests', report.requests.byOperation.length === 0 ? '' : requestsHtml(report)],
    ['Decisions', report.decisions.length === 0 ? '' : decisionsHtml(report.decisions)],
    ['People', report.people.length === 0 ? '' : peopleHtml(report.people)],
    ['Warnings', warningsHtml(report)],
  ] as const;
  const body = `<a class="skip" href="#pictures">Skip to the pictures</a>
${headHtml(report, files)}
<main>
${sections.flatMap(([title, html]) => (html === '' ? [] : [sectionHtml(title, html)])).join('\n')}
</main>
<dialog aria-label="Picture">
<div class="pair"><figure id="before" hidden><img alt="The picture before"><figcaption>Before</figcaption></figure><figure><img id="large" alt=""><figcaption id="after">After</figcaption></figure></div>
<div class="bottom"><p id="words" aria-live="polite"></p><button id="previous" type="button">← Previous</button><button id="next" type="button">Next →</button><a id="original" href="#pictures">File</a><button id="close" type="button">Close</button></div>
</dialog>`;
  return pageHtml({
    title: `${report.pipeline}: ${report.run}`,
    style: reportStyle,
    script: reportScript,
    // The files next to the page are allowed, so that a page on a disk or in a bucket may show them.
    pictures: "'self' file:",
    body,
  });
}

function sectionHtml(title: string, html: string): string {
  const id = title.toLowerCase();
  return `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${html}
</section>`;
}

function headHtml(report: Report, files: number): string {
  const { pipeline, run, outcome, startedAt, endedAt, destination, temporalUi, remark } = report;
  const page = webLinkHtml(temporalUi, 'page in the Temporal UI');
  const took = formatSeconds(report.seconds);
  const period =
    endedAt === null
      ? `Started ${timeHtml(startedAt)} UTC, running for ${took}`
      : `From ${timeHtml(startedAt)} to ${timeHtml(endedAt)} UTC, ${took}`;
  const lines = withoutFalse([
    `${escapeHtml(run)}${page === '' ? '' : ` · ${page}`}`,
    period,
    report.rerun !== null && `Rerun of part of ${escapeHtml(report.rerun.of)}`,
    ...formatStartPoints(report.startPoints).map(escapeHtml),
    ...report.exports.map((counts) => escapeHtml(`${counts.node}: ${formatExport(counts)}`)),
    ...report.zips.map((zip) => escapeHtml(formatZipStatus(zip))),
    destination !== null &&
      report.exports.length === 0 &&
      `Destination: ${escapeHtml(destination)}`,
    remark !== null && `<strong>${escapeHtml(remark)}</strong>`,
  ]);
  return `<header>
<h1>${escapeHtml(pipeline)}${outcomeHtml(outcome)}</h1>
${lines.map((line) => `<p>${line}</p>`).join('\n')}
${figuresOf(report, files)}
</header>`;
}

function figuresOf({ assets, requests, paid, withdrawn }: Report, files: number): string {
  const { total, planned } = requests;
  const sent = total === null ? notKnown : formatNumber(total);
  return figuresHtml([
    ['Assets', formatNumber(assets.total)],
    ['Complete', formatNumber(assets.complete)],
    assets.failed > 0 && ['Failed', formatNumber(assets.failed)],
    assets.skipped > 0 && ['Skipped', formatNumber(assets.skipped)],
    assets.cancelled > 0 && ['Cancelled', formatNumber(assets.cancelled)],
    ['Files', formatNumber(files)],
    withdrawn !== null && ['Withdrawn', formatWithdrawn(withdrawn)],
    ['Paid', formatPaid(paid)],
    ['API requests', planned === null ? sent : `${sent} (about ${formatNumber(planned)} planned)`],
  ]);
}

function failuresHtml({ cause, failures }: Report): string {
  return withoutFalse([
    cause !== null &&
      `<article class="cause"><h3>${escapeHtml(cause.code)}</h3><p>${proseHtml(cause.message)}</p><p>${proseHtml(cause.fix)}</p></article>`,
    ...failures.map(causeHtml),
  ]).join('\n');
}

function causeHtml(cause: ReportedCause): string {
  const { code, node, keys, title, message, fix, rerunCommand } = cause;
  const location = node === '' ? '' : ` at ${escapeHtml(node)}`;
  const formatRest = (rest: number) => `and ${rest} more`;
  const noun = failureNounOf(code);
  const names = limitLines(keys.map(escapeHtml), maxKeysShown, formatRest).join(', ');
  return `<article class="cause"><h3>${escapeHtml(code)}${location}: ${formatCount(cause.count, noun)}</h3>
${paragraphsHtml([title, message, fix])}
<details><summary>${noun === 'shard' ? 'Shards' : 'Assets'}</summary><p class="keys">${names}</p></details>
${rerunCommand === null ? '' : `<p>Rerun them:</p><code>${escapeHtml(rerunCommand)}</code>`}</article>`;
}

function warningsHtml({ warnings }: Report): string {
  if (warnings.length === 0) return '';
  const items = warnings.map(
    ({ key, message }) => `<p><strong>${escapeHtml(key)}</strong> ${proseHtml(message)}</p>`,
  );
  return limitLines(items, maxWarningsShown, (count) => `<p>and ${count} more</p>`).join('\n');
}
