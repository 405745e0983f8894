// Renders the report on all runs of a period as one HTML page.
import { count } from '../plan/count.ts';
import { paidWords } from '../plan/paid.ts';
import { escaped } from './html-text.ts';
import { mendedWords, type Night, type NightCause, type NightRun } from './night.ts';
import { pageHtml } from './page-html.ts';
import { figuresHtml, outcomeHtml, proseHtml, spelled } from './report-parts.ts';
import { reportStyle } from './report-style.ts';
import { moment, tableOf } from './report-tables.ts';

/** Maximum number of runs shown per cause, newest first. */
const commandsShown = 10;

export function nightHtml(night: Night): string {
  const { since, until, runs, outcomes, totals, causes, left, unreadable, paid } = night;
  const figures: [string, number][] = [
    ['Runs', runs.length + left],
    ...Object.entries(outcomes).map(([name, runs]): [string, number] => [
      name.replaceAll('_', ' '),
      runs,
    ]),
    ['Assets complete', totals.complete],
    ...(totals.failed > 0 ? [['Assets failed', totals.failed] as [string, number]] : []),
    ...(totals.mended > 0 ? [['Repaired since', totals.mended] as [string, number]] : []),
    ['Files', totals.files],
    ['API requests', totals.requests],
    ['Renders paid', paid.renders],
    ['Models paid', paid.models],
    ...(paid.captures > 0 ? [['Captures paid', paid.captures] as [string, number]] : []),
  ];
  const hidden = [...new Set(unreadable.map((one) => one.unreadable.message))].join(' ');
  const rest = [
    ...(left === 0 ? [] : [`<p>${count(left, 'older run')} not read.</p>`]),
    ...(hidden === ''
      ? []
      : [`<p>${count(unreadable.length, 'run')} cannot be read here. ${escaped(hidden)}</p>`]),
  ].join('\n');
  const failures =
    causes.length === 0
      ? ''
      : `<section aria-labelledby="failures"><h2 id="failures">Failures</h2>
${causes.map(causeHtml).join('\n')}
</section>`;
  const body = `<header><h1>Report on all runs</h1>
<p>From ${moment(since)} to ${moment(until)} UTC</p>
${figuresHtml(figures.map(([name, value]) => [name, value.toLocaleString('en-US')]))}
</header>
<main>
${failures}
<section aria-labelledby="runs"><h2 id="runs">Runs</h2>
${runs.length === 0 ? '<p>No run was open.</p>' : runsHtml(runs)}${rest}
</section>
</main>`;
  return pageHtml({ title: `Runs since ${since.slice(0, 10)}`, style: reportStyle, body });
}

function runsHtml(runs: readonly NightRun[]): string {
  const isRemarked = runs.some(({ remark }) => remark !== null);
  const hasMended = runs.some(({ mended }) => mended > 0);
  const rows = runs.map((one) => [
    { html: nameHtml(one) },
    { html: `${outcomeHtml(one.outcome)}${isMended(one) ? mendedHtml : ''}` },
    { html: moment(one.startedAt) },
    spelled(one.seconds),
    one.complete,
    one.failed,
    ...(hasMended ? [one.mended] : []),
    one.files,
    one.requests,
    paidWords(one.paid),
    ...(isRemarked ? [one.remark ?? ''] : []),
  ]);
  const heads = [
    'Run',
    'Outcome',
    'Started (UTC)',
    'Took',
    'Complete',
    'Failed',
    ...(hasMended ? ['Repaired'] : []),
    'Files',
  ];
  const more = isRemarked ? ['Remark'] : [];
  return tableOf('Runs, newest first', [...heads, 'Requests', 'Paid', ...more], rows);
}

const mendedHtml = ' <span class="outcome complete">repaired since</span>';

/** True if later runs have completed all failed assets of the run. */
function isMended({ failed, mended }: NightRun): boolean {
  return mended > 0 && mended >= failed;
}

function nameHtml({ run, report, temporalUi }: NightRun): string {
  const name = escaped(run);
  const link = report === null ? name : `<a href="${escaped(report)}">${name}</a>`;
  const isSafe = /^https?:\/\//i.test(temporalUi ?? '');
  return isSafe ? `${link} <a href="${escaped(temporalUi ?? '')}">Temporal</a>` : link;
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
}: NightCause): string {
  const left = runs.length - commandsShown;
  const where = node === '' ? '' : ` at ${escaped(node)}`;
  const paragraphs = [title, message, fix].flatMap((text) =>
    text === null || text === '' ? [] : [`<p>${proseHtml(text)}</p>`],
  );
  const commands = runs.slice(0, commandsShown).map(({ run, count: failed, mended, redo }) => {
    const words = `${escaped(run)}: ${count(failed, 'asset')}${mendedWords({ count: failed, mended })}`;
    return redo === null ? `<p>${words}</p>` : `<p>${words}</p><code>${escaped(redo)}</code>`;
  });
  const state = one.mended === one.count ? 'cause mended' : 'cause';
  return `<article class="${state}"><h3>${escaped(pipeline)}: ${escaped(code)}${where}: ${count(one.count, 'asset')}${mendedWords(one)}</h3>
${paragraphs.join('')}
${commands.join('\n')}${left > 0 ? `<p>and ${count(left, 'older run')}</p>` : ''}</article>`;
}
