// The page of failures of all runs since a given time, with a preview of their rerun and a button that starts it.
import { html, raw } from 'hono/html';
import type { FailuresShape } from '../app/failures/list-failures.ts';
import type { RecentFailures } from '../app/failures/list-recent-failures.ts';
import type { RecentRerunShape } from '../app/rerun/rerun-recent.ts';
import { formatCount, formatCountRange } from '../plan/helpers/format-count.ts';
import { formatFirst } from '../plan/helpers/format-first.ts';
import { formatRenders, sumRenders } from '../plan/helpers/format-renders.ts';
import { paragraphsHtml } from '../report/report-parts.ts';
import { runAddress } from './addresses.ts';
import type { Html, Page } from './layout.ts';

const maxKeysShown = 8;

/** The time ranges that the page offers. `7d` replaces any other value. */
export const sinceChoices = ['24h', '7d', '30d'] as const;

export interface LoadedFailures {
  since: string;
  failures: RecentFailures;
  /** Work of a rerun of all failed assets. */
  rerun: RecentRerunShape;
}

export function createFailuresPage({ since, failures, rerun }: LoadedFailures): Page {
  const { groups } = failures;
  const choices = sinceChoices.map((choice) =>
    choice === since
      ? html`<b>${choice}</b> `
      : html`<a href="failures?since=${choice}">${choice}</a> `,
  );
  const body = html`<h1>Failures</h1>
    <p class="row">In the last: ${choices}</p>
    <p>${formatTotal(failures)}</p>
    ${notReadHtml(failures)} ${rerunHtml(since, rerun)}
    ${groups.map((group) => failureHtml(group, group.pipeline))}`;
  return { title: 'Failures', section: 'runs', body };
}

function formatTotal({ total, runs }: RecentFailures): string {
  if (total === 0) return 'No asset that failed in this time is still undelivered.';
  const ofRuns = formatCount(runs.filter(({ failed }) => failed > 0).length, 'run');
  return `${formatCount(total, 'asset')} failed in ${ofRuns} and ${total === 1 ? 'is' : 'are'} still undelivered.`;
}

/** Lists runs that the page omits, because they cannot be read or because there are too many. */
function notReadHtml({ unreadable, notRead }: RecentFailures): Html | '' {
  if (unreadable.length === 0 && notRead === 0) return '';
  const older = `${formatCount(notRead, 'older run')} ${notRead === 1 ? 'was' : 'were'} not read. Choose a shorter time, or read the failures of one pipeline: renderline failures --since TIME --pipeline NAME`;
  return html`<section class="refusal" role="alert">
    <p><strong>This page is not complete.</strong></p>
    <ul>
      ${unreadable.map(({ run, unreadable: { code, message, fix } }) => html`<li>${runLink(run)} cannot be read: ${code}: ${message} ${fix}</li>`)}
      ${notRead === 0 ? '' : html`<li>${older}</li>`}
    </ul>
  </section>`;
}

/** Renders a cause with its fix, some of its assets, and the command that reruns them. */
export function failureHtml(group: FailuresShape['groups'][number], pipeline?: string): Html {
  const { code, node, count: number, message, fix, keys, rerunCommand } = group;
  const location = `${node === '' ? '' : ` at ${node}`}${pipeline === undefined ? '' : ` in ${pipeline}`}`;
  return html`<section class="failure">
    <p><strong>${code}</strong>${location}: ${formatCount(number, 'asset')}</p>
    ${raw(paragraphsHtml([message, fix]))}
    <p class="soft">${formatFirst(keys, maxKeysShown)}</p>
    ${rerunCommand === null ? '' : html`<pre>${rerunCommand}</pre>`}
  </section>`;
}

function rerunHtml(since: string, rerun: RecentRerunShape): Html | '' {
  const { ready, refused, assets, requests, maxRequests } = rerun;
  if (ready.length + refused.length === 0) return '';
  const button = html`<form method="post" action="failures">
    <input type="hidden" name="since" value="${since}" />
    <input type="hidden" name="assets" value="${String(assets)}" />
    <button class="main">Rerun ${formatCount(assets, 'asset')}</button>
  </form>`;
  return html`<h2>Rerun</h2>
    <table class="steps">
      <thead><tr><th>Run</th><th>Assets</th><th>Renders</th></tr></thead>
      <tbody>
        ${ready.map(
          ({ of, work, cost }) => html`<tr>
            <td>${runLink(of)}</td>
            <td class="number">${String(work.assets)}</td>
            <td class="number">${String(cost.renders)}</td>
          </tr>`,
        )}
        ${refused.map(
          ({ of, message, fix }) => html`<tr>
            <td>${runLink(of)}</td>
            <td colspan="2" class="lines"><span class="bad">Not rerun:</span> ${message}
              ${fix}</td>
          </tr>`,
        )}
      </tbody>
    </table>
    ${
      ready.length === 0
        ? ''
        : html`<p>In total, ${formatRenders(sumRenders(ready.map(({ cost }) => cost)), 'render')} and about ${formatCountRange(requests, maxRequests, 'request')}.</p>${button}`
    }`;
}

const runLink = (run: string): Html => html`<a href="${runAddress(run)}">${run}</a>`;
