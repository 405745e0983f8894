// Renders the report on all runs of a period as one HTML page.
import { formatCount, formatNumber } from '../../plan/helpers/format-count.ts';
import { formatSeconds } from '../../plan/helpers/format-seconds.ts';
import { withoutFalse } from '../../plan/helpers/without-false.ts';
import { formatPaid } from '../../plan/run/paid-work.ts';
import { failureNounOf } from '../../plan/run/workflow-failure-codes.ts';
import { escapeHtml } from '../escape-html.ts';
import { pageHtml } from '../page-html.ts';
import { figuresHtml, outcomeHtml, paragraphsHtml, webLinkHtml } from '../report-parts.ts';
import { reportStyle } from '../report-style.ts';
import { dataTableHtml, notKnown, timeHtml } from '../report-tables.ts';
import {
  type DailyCause,
  type DailyReport,
  type DailyRun,
  formatRepaired,
  formatUnknown,
} from './daily-report.ts';

/** Maximum number of runs shown per cause, newest first. */
const maxRunsShown = 10;

export function dailyReportHtml(report: DailyReport): string {
  const { since, until, runs, outcomes, totals, causes, notRead, unreadable, paid } = report;
  const unknownRequests = runs.filter(({ requests }) => requests === null).length;
  const unknownPaid = runs.filter((run) => run.paid === null).length;
  const figure = (name: string, value: number, unknownRuns = 0) =>
    [name, `${formatNumber(value)}${formatUnknown(unknownRuns)}`] as const;
  const figures = figuresHtml([
    figure('Runs', runs.length + notRead),
    ...Object.entries(outcomes).map(([name, count]) => figure(name.replaceAll('_', ' '), count)),
    figure('Assets complete', totals.complete),
    totals.failed > 0 && figure('Assets failed', totals.failed),
    totals.repaired > 0 && figure('Repaired since', totals.repaired),
    totals.cancelled > 0 && figure('Assets cancelled', totals.cancelled),
    figure('Files', totals.files),
    figure('API requests', totals.requests, unknownRequests),
    figure('Renders paid', paid.renders, unknownPaid),
    figure('Models paid', paid.models, unknownPaid),
    paid.captures > 0 && figure('Captures paid', paid.captures, unknownPaid),
  ]);
  const hidden = [...new Set(unreadable.map((run) => run.unreadable.message))].join(' ');
  const gapsHtml = withoutFalse([
    notRead > 0 &&
      `<p>${formatCount(notRead, 'older run')} ${notRead === 1 ? 'was' : 'were'} not read.</p>`,
    hidden !== '' &&
      `<p>${formatCount(unreadable.length, 'run')} cannot be read here. ${escapeHtml(hidden)}</p>`,
  ]).join('\n');
  const failures =
    causes.length === 0
      ? ''
      : `<section aria-labelledby="failures"><h2 id="failures">Failures</h2>
${causes.map(causeHtml).join('\n')}
</section>`;
  const body = `<header><h1>Report on all runs</h1>
<p>From ${timeHtml(since)} to ${timeHtml(until)} UTC</p>
${figures}
</header>
<main>
${failures}
<section aria-labelledby="runs"><h2 id="runs">Runs</h2>
${runs.length === 0 ? '<p>No runs in this period.</p>' : runsHtml(runs)}${gapsHtml}
</section>
</main>`;
  return pageHtml({ title: `Runs since ${since.slice(0, 10)}`, style: reportStyle, body });
}

type Cell = Parameters<typeof dataTableHtml>[2][number][number];

function runsHtml(runs: readonly DailyRun[]): string {
  const columns = withoutFalse<readonly [head: string, cellOf: (run: DailyRun) => Cell]>([
    ['Run', (run) => ({ html: nameHtml(run) })],
    [
      'Outcome',
      (run) => ({ html: `${outcomeHtml(run.outcome)}${isRunRepaired(run) ? repairedHtml : ''}` }),
    ],
    ['Started (UTC)', ({ startedAt }) => ({ html: timeHtml(startedAt) })],
    ['Duration', ({ seconds }) => formatSeconds(seconds)],
    ['Complete', ({ complete }) => complete],
    ['Failed', ({ failed }) => failed],
    runs.some(({ repaired }) => repaired > 0) && ['Repaired', ({ repaired }) => repaired],
    runs.some(({ cancelled }) => cancelled > 0) && ['Cancelled', ({ cancelled }) => cancelled],
    ['Files', ({ files }) => files],
    ['Requests', ({ requests }) => requests ?? notKnown],
    ['Paid', ({ paid }) => formatPaid(paid)],
    runs.some(({ remark }) => remark !== null) && ['Remark', ({ remark }) => remark ?? ''],
  ]);
  return dataTableHtml(
    'Runs, newest first',
    columns.map(([head]) => head),
    runs.map((run) => columns.map(([, cellOf]) => cellOf(run))),
  );
}

const repairedHtml = ' <span class="outcome complete">repaired since</span>';

/** True if later runs have completed all failed assets of the run. */
function isRunRepaired({ failed, repaired }: DailyRun): boolean {
  return repaired > 0 && repaired >= failed;
}

function nameHtml({ run, report, temporalUi }: DailyRun): string {
  const name = escapeHtml(run);
  const link = report === null ? name : `<a href="${escapeHtml(report)}">${name}</a>`;
  return `${link} ${webLinkHtml(temporalUi, 'Temporal')}`.trimEnd();
}

function causeHtml(cause: DailyCause): string {
  const { code, node, pipeline, title, message, fix, runs } = cause;
  const noun = failureNounOf(code);
  const excess = runs.length - maxRunsShown;
  const location = node === '' ? '' : ` at ${escapeHtml(node)}`;
  const commands = runs.slice(0, maxRunsShown).map(({ run, rerunCommand, ...counts }) => {
    const summary = `<p>${escapeHtml(run)}: ${formatCount(counts.count, noun)}${formatRepaired(counts)}</p>`;
    return rerunCommand === null ? summary : `${summary}<code>${escapeHtml(rerunCommand)}</code>`;
  });
  const state = cause.repaired === cause.count ? 'cause repaired' : 'cause';
  return `<article class="${state}"><h3>${escapeHtml(pipeline)}: ${escapeHtml(code)}${location}: ${formatCount(cause.count, noun)}${formatRepaired(cause)}</h3>
${paragraphsHtml([title, message, fix])}
${commands.join('\n')}${excess > 0 ? `<p>and ${formatCount(excess, 'older run')}</p>` : ''}</article>`;
}
