// Renders the report on all runs of a period as one HTML page.
import { formatCount } from '../plan/helpers/format-count.ts';
import { formatSeconds } from '../plan/helpers/format-seconds.ts';
import { formatPaid } from '../plan/run/paid-work.ts';
import {
  type DailyCause,
  type DailyReport,
  type DailyRun,
  formatRepaired,
  formatUnknown,
} from './daily-report.ts';
import { escapeHtml } from './escape-html.ts';
import { pageHtml } from './page-html.ts';
import { figuresHtml, outcomeHtml, paragraphsHtml, webLinkHtml } from './report-parts.ts';
import { reportStyle } from './report-style.ts';
import { dataTableHtml, notKnown, timeHtml } from './report-tables.ts';

/** Maximum number of runs shown per cause, newest first. */
const maxRunsShown = 10;

export function dailyReportHtml(report: DailyReport): string {
  const { since, until, runs, outcomes, totals, causes, notRead, unreadable, paid } = report;
  const unknownRequests = runs.filter(({ requests }) => requests === null).length;
  const unknownPaid = runs.filter((run) => run.paid === null).length;
  const figures: [string, number, unknownRuns?: number][] = [
    ['Runs', runs.length + notRead],
    ...Object.entries(outcomes).map(([name, runs]): [string, number] => [
      name.replaceAll('_', ' '),
      runs,
    ]),
    ['Assets complete', totals.complete],
    ...(totals.failed > 0 ? [['Assets failed', totals.failed] as [string, number]] : []),
    ...(totals.repaired > 0 ? [['Repaired since', totals.repaired] as [string, number]] : []),
    ...(totals.cancelled > 0 ? [['Assets cancelled', totals.cancelled] as [string, number]] : []),
    ['Files', totals.files],
    ['API requests', totals.requests, unknownRequests],
    ['Renders paid', paid.renders, unknownPaid],
    ['Models paid', paid.models, unknownPaid],
    ...(paid.captures > 0
      ? [['Captures paid', paid.captures, unknownPaid] as [string, number, number]]
      : []),
  ];
  const hidden = [...new Set(unreadable.map((one) => one.unreadable.message))].join(' ');
  const rest = [
    ...(notRead === 0 ? [] : [`<p>${formatCount(notRead, 'older run')} not read.</p>`]),
    ...(hidden === ''
      ? []
      : [
          `<p>${formatCount(unreadable.length, 'run')} cannot be read here. ${escapeHtml(hidden)}</p>`,
        ]),
  ].join('\n');
  const failures =
    causes.length === 0
      ? ''
      : `<section aria-labelledby="failures"><h2 id="failures">Failures</h2>
${causes.map(causeHtml).join('\n')}
</section>`;
  const body = `<header><h1>Report on all runs</h1>
<p>From ${timeHtml(since)} to ${timeHtml(until)} UTC</p>
${figuresHtml(figures.map(([name, value, unknownRuns = 0]) => [name, `${value.toLocaleString('en-US')}${formatUnknown(unknownRuns)}`]))}
</header>
<main>
${failures}
<section aria-labelledby="runs"><h2 id="runs">Runs</h2>
${runs.length === 0 ? '<p>No run was open.</p>' : runsHtml(runs)}${rest}
</section>
</main>`;
  return pageHtml({ title: `Runs since ${since.slice(0, 10)}`, style: reportStyle, body });
}

function runsHtml(runs: readonly DailyRun[]): string {
  const hasRemark = runs.some(({ remark }) => remark !== null);
  const hasRepaired = runs.some(({ repaired }) => repaired > 0);
  const hasCancelled = runs.some(({ cancelled }) => cancelled > 0);
  const rows = runs.map((one) => [
    { html: nameHtml(one) },
    { html: `${outcomeHtml(one.outcome)}${isRepaired(one) ? repairedHtml : ''}` },
    { html: timeHtml(one.startedAt) },
    formatSeconds(one.seconds),
    one.complete,
    one.failed,
    ...(hasRepaired ? [one.repaired] : []),
    ...(hasCancelled ? [one.cancelled] : []),
    one.files,
    one.requests ?? notKnown,
    formatPaid(one.paid),
    ...(hasRemark ? [one.remark ?? ''] : []),
  ]);
  const heads = [
    'Run',
    'Outcome',
    'Started (UTC)',
    'Took',
    'Complete',
    'Failed',
    ...(hasRepaired ? ['Repaired'] : []),
    ...(hasCancelled ? ['Cancelled'] : []),
    'Files',
  ];
  const more = hasRemark ? ['Remark'] : [];
  return dataTableHtml('Runs, newest first', [...heads, 'Requests', 'Paid', ...more], rows);
}

const repairedHtml = ' <span class="outcome complete">repaired since</span>';

/** True if later runs have completed all failed assets of the run. */
function isRepaired({ failed, repaired }: DailyRun): boolean {
  return repaired > 0 && repaired >= failed;
}

function nameHtml({ run, report, temporalUi }: DailyRun): string {
  const name = escapeHtml(run);
  const link = report === null ? name : `<a href="${escapeHtml(report)}">${name}</a>`;
  return `${link} ${webLinkHtml(temporalUi, 'Temporal')}`.trimEnd();
}

function causeHtml({
  code,
  node,
  pipeline,
  title,
  message,
  fix,
  runs,
  ...one
}: DailyCause): string {
  const remaining = runs.length - maxRunsShown;
  const where = node === '' ? '' : ` at ${escapeHtml(node)}`;
  const commands = runs
    .slice(0, maxRunsShown)
    .map(({ run, count: failed, repaired, rerunCommand }) => {
      const words = `${escapeHtml(run)}: ${formatCount(failed, 'asset')}${formatRepaired({ count: failed, repaired })}`;
      return rerunCommand === null
        ? `<p>${words}</p>`
        : `<p>${words}</p><code>${escapeHtml(rerunCommand)}</code>`;
    });
  const state = one.repaired === one.count ? 'cause repaired' : 'cause';
  return `<article class="${state}"><h3>${escapeHtml(pipeline)}: ${escapeHtml(code)}${where}: ${formatCount(one.count, 'asset')}${formatRepaired(one)}</h3>
${paragraphsHtml([title, message, fix])}
${commands.join('\n')}${remaining > 0 ? `<p>and ${formatCount(remaining, 'older run')}</p>` : ''}</article>`;
}
