// The pages of runs: the list, and one run with its steps, failures and pictures.
import { html } from 'hono/html';
import type { ApprovalShape } from '../app/approvals/approval.ts';
import { markOfPicture, nameOfPicture } from '../app/approvals/review.ts';
import type { FailuresShape } from '../app/failures/list-failures.ts';
import type { RunsList } from '../app/runs/list-runs.ts';
import { formatWait, isDecisionAwaited } from '../app/runs/run-waits.ts';
import type { ShownRun } from '../app/runs/show-run.ts';
import { formatUnreadable } from '../app/unreadable-payload.ts';
import { maxReasonLength } from '../plan/contract/audit-contract.ts';
import { formatUtcMinutes, isApprovalCause } from '../plan/contract/canary.ts';
import { formatCount } from '../plan/helpers/format-count.ts';
import { formatPercent } from '../plan/helpers/format-percent.ts';
import { formatSeconds } from '../plan/helpers/format-seconds.ts';
import { fingerprintOf } from '../plan/rows.ts';
import { formatExport } from '../plan/run/export-tally.ts';
import { describePause, type GeneralPause, resumeAllCommand } from '../plan/run/general-pause.ts';
import { formatPaid } from '../plan/run/paid-work.ts';
import { picturesChangedCode } from '../plan/run/run-cause.ts';
import { formatStartPoints } from '../plan/run/start-points.ts';
import { formatTotals } from '../plan/shard/format-totals.ts';
import { formatFileAddress, runAddress } from './addresses.ts';
import { failureHtml } from './failures-page.ts';
import {
  factsHtml,
  type Html,
  type Page,
  paginate,
  refusalHtml,
  seenFieldHtml,
  stateHtml,
} from './layout.ts';
import { mayAct, type Visitor } from './visitor.ts';

type RunShape = ShownRun['shape'];

const picturesPerPage = 60;

const hasRunEnded = ({ outcome }: RunShape): boolean =>
  outcome !== 'running' && outcome !== 'paused';

export function createRunsPage({ runs, pauses }: RunsList): Page {
  const rows = runs.map(
    ({ run, pipeline, state, startedAt, seconds, unreadable, stranded }) => html`<tr>
      <td><a href="${runAddress(run)}">${run}</a></td>
      <td>${pipeline}</td>
      <td>${stateHtml(state)}</td>
      <td><time datetime="${startedAt}">${startedAt.slice(0, 16).replace('T', ' ')}</time></td>
      <td>${seconds === null ? '' : formatSeconds(seconds)}</td>
      <td>${unreadable === null ? '' : html`<span title="${unreadable.message}">${formatUnreadable(unreadable)}</span>`}
        ${stranded === null ? '' : html`<span title="${stranded.fix}">stranded: ${stranded.why}</span>`}</td>
    </tr>`,
  );
  const table = html`<table>
    <thead>
      <tr><th>Run</th><th>Pipeline</th><th>State</th><th>Started, UTC</th><th>Duration</th><th></th></tr>
    </thead>
    <tbody>${rows}</tbody>
  </table>`;
  const body = runs.length === 0 ? html`<p class="empty">No runs yet.</p>` : table;
  return {
    title: 'Runs',
    section: 'runs',
    body: html`<h1>Runs</h1>${failuresLink}${pauses.map(pauseHtml)}${body}`,
  };
}

const failuresLink = html`<p><a href="failures">Recent failures</a></p>`;

function pauseHtml(pause: GeneralPause): Html {
  return html`<section class="refusal" role="alert">
    <p><strong>${describePause(pause)}</strong></p>
    <pre>${resumeAllCommand(pause)}</pre>
  </section>`;
}

export interface LoadedRun {
  shape: RunShape;
  failures: FailuresShape | null;
  /** Pictures that changed too much and wait for approval, or why they cannot be read. */
  changed: ApprovalShape['pictures'] | { error: unknown };
  /** Number of the page of pictures, starting at 1. */
  page: number;
}

export function createRunPage(loadedRun: LoadedRun, run: string, visitor: Visitor): Page {
  const body = html`<h1>${run}</h1>${runHtml(loadedRun, run, visitor)}`;
  return { title: run, section: 'runs', body };
}

/** Renders the part of the page that the script refreshes while the run is open. */
export function runHtml(
  { shape, failures, changed, page }: LoadedRun,
  run: string,
  visitor: Visitor,
): Html {
  const cancelForm = mayAct(visitor, 'start') ? cancelHtml(run) : '';
  const { outcome, assets, requests, paid, seconds, destination, temporalUi, cause } = shape;
  const { unknown, remark } = shape;
  const prompts = mayAct(visitor, 'decide')
    ? html`${decisionsHtml(shape, run)} ${approvalHtml(shape, run, cancelForm)} ${changedPicturesHtml(shape, changed, run, cancelForm)}`
    : '';
  // A person who decides through a link needs only the pictures, so no other part of the run is shown.
  if (visitor.link)
    return html`<div id="view" data-live>${prompts} ${picturesHtml(shape, run, page)}</div>`;
  const isCounted = unknown === null || shape.discovered;
  const endedCount = assets.complete + assets.failed + assets.skipped + assets.cancelled;
  return html`<div id="view" ${hasRunEnded(shape) ? '' : html`data-live`}>
    ${prompts}
    ${factsHtml([
      ['State', stateHtml(outcome)],
      [
        'Assets',
        isCounted
          ? html`${formatTotals(assets)}${unknown === null ? '' : ', according to its records'} <progress max="${String(Math.max(1, assets.total))}" value="${String(endedCount)}" aria-label="assets that have ended"></progress>`
          : 'unknown',
      ],
      ...shape.waits.map((wait) => ['Waiting', formatWait(wait, Date.now())] as const),
      ...formatStartPoints(shape.startPoints).map((line) => ['Repeated', line] as const),
      ['Paid', formatPaid(paid)],
      [
        'Cost',
        `${unknown === null ? formatCount(requests.total, 'API request') : 'requests unknown'}, ${formatSeconds(seconds)}`,
      ],
      ...shape.exports.map((counts) => [counts.node, formatExport(counts)] as const),
      destination !== null &&
        shape.exports.length === 0 && [
          'Files',
          html`${String(shape.files.length)} in <code>${destination}</code>`,
        ],
      hasRunEnded(shape) && [
        'Report',
        html`<a href="${runAddress(run)}/report">Open the report</a>`,
      ],
      temporalUi !== null && [
        'Temporal',
        html`<a href="${temporalUi}">Open the run in the Temporal UI</a>`,
      ],
    ])}
    ${cause === null || isApprovalCause(cause) ? '' : html`<section class="refusal" role="alert"><p><strong>${cause.message}</strong></p><pre>${cause.fix}</pre></section>`}
    ${unknown === null ? '' : html`<section class="refusal" role="alert"><p><strong>The figures of this run are unknown.</strong></p><pre>${unknown}</pre></section>`}
    ${remark === null || unknown !== null ? '' : html`<p>${remark}</p>`}
    ${stepsHtml(shape)} ${mayAct(visitor, 'start') ? html`${controlsHtml(shape, run)} ${rerunLink(shape, run)}` : ''} ${failuresHtml(failures)}
    ${picturesHtml(shape, run, page)}
  </div>`;
}

function approvalHtml(
  { canary, assets, files }: RunShape,
  run: string,
  cancelForm: Html | '',
): Html | '' {
  if (canary?.state !== 'waiting') return '';
  const { total, complete, failed, skipped } = assets;
  const remainingCount = Math.max(0, total - complete - failed - skipped);
  return html`<section class="ask" aria-label="Approval">
    <p>
      <strong>The run is waiting for your approval</strong>${canary.until === null ? '' : ` until ${formatUtcMinutes(canary.until)}`}.
      ${files.length === 0 ? '' : `Check the ${files.length === 1 ? 'picture' : formatCount(files.length, 'picture')} below.`} After your approval, ${formatCount(remainingCount, 'more asset')} will be processed.
    </p>
    ${actionHtml(run, 'approve', 'Approve', 'main')} ${cancelForm}
  </section>`;
}

function decisionsHtml({ waits }: RunShape, run: string): Html | '' {
  const assets = waits.filter(isDecisionAwaited).reduce((sum, wait) => sum + wait.assets, 0);
  if (assets === 0) return '';
  return html`<section class="ask" aria-label="Decisions">
    <p><strong>${formatCount(assets, 'asset')} ${assets === 1 ? 'is' : 'are'} waiting for your decision.</strong> <a href="${runAddress(run)}/review">Review the pictures</a></p>
  </section>`;
}

/** Renders changed pictures before and after, side by side. An update of the page keeps the choices (`data-key`). */
function changedPicturesHtml(
  { cause }: RunShape,
  changedPictures: LoadedRun['changed'],
  run: string,
  cancel: Html | '',
): Html | '' {
  if (cause?.code !== picturesChangedCode) return '';
  if ('error' in changedPictures) return html`${refusalHtml(changedPictures.error)} ${cancel}`;
  if (changedPictures.length === 0) return allDecidedHtml(run, cancel);
  const figureHtml = (data: string, alt: string) =>
    html`<figure><img src="data:image/jpeg;base64,${data}" alt="${alt}" /><figcaption>${alt}</figcaption></figure>`;
  const pairs = changedPictures.slice(0, picturesPerPage);
  const excess = changedPictures.length - pairs.length;
  return html`<section class="ask" aria-label="Approval">
    <p><strong>Changed pictures are waiting for your approval.</strong> ${cause.message}</p>
    <form class="changed" method="post" action="${runAddress(run)}/approve">
      ${seenFieldHtml(changedPictures.map(markOfPicture))}
      <ul class="pairs">
        ${pairs.map((picture) => {
          const { path, change, before, after } = picture;
          return html`<li data-key="changed ${markOfPicture(picture)}">
            <div class="pair">${figureHtml(before, 'Before')} ${figureHtml(after, 'After')}</div>
            <b>${path}</b> <small>${formatPercent(change)} changed</small>
            <label><input type="checkbox" name="reject" value="${nameOfPicture(picture)}" /> Reject</label>
          </li>`;
        })}
      </ul>
      ${excess > 0 ? html`<p>and ${String(excess)} more</p>` : ''}
      <div class="decide">
        <label data-key="reason">Reason, if you reject any<input type="text" name="reason" maxlength="${String(maxReasonLength)}" /></label>
        <button class="main">Deliver ${formatCount(changedPictures.length, 'picture')}, except rejected ones</button>
      </div>
    </form>
    ${cancel}
  </section>`;
}

/** Shown if all changed pictures are decided: the run is about to continue, or its resume failed. */
function allDecidedHtml(run: string, cancel: Html | ''): Html {
  return html`<section class="ask" aria-label="Approval">
    <p><strong>All changed pictures are decided.</strong> The run is ready to continue.</p>
    <form method="post" action="${runAddress(run)}/approve">
      ${seenFieldHtml([])} <button class="main">Continue</button>
    </form>
    ${cancel}
  </section>`;
}

function controlsHtml(shape: RunShape, run: string): Html | '' {
  if (hasRunEnded(shape) || shape.canary?.state === 'waiting' || isApprovalCause(shape.cause))
    return '';
  const isPaused = shape.outcome === 'paused';
  return html`<div class="row">
    ${isPaused ? actionHtml(run, 'resume', 'Resume', 'main') : actionHtml(run, 'pause', 'Pause', 'quiet')}
    ${cancelHtml(run)}
  </div>`;
}

/** Renders a link to the preview of a rerun: of all undelivered assets, or of the failed ones while the run is open. */
function rerunLink(shape: RunShape, run: string): Html | '' {
  const { total, complete, skipped, failed } = shape.assets;
  const [count, unit] = hasRunEnded(shape)
    ? [total - complete - skipped, 'undelivered asset']
    : [failed, 'failed asset'];
  if (count <= 0) return '';
  return html`<p class="row">
    <a href="${runAddress(run)}/rerun">Rerun ${formatCount(count, unit)} …</a>
  </p>`;
}

function actionHtml(run: string, action: string, text: string, buttonClass: string): Html {
  return html`<form method="post" action="${runAddress(run)}/${action}">
    <button class="${buttonClass}">${text}</button>
  </form>`;
}

/** Renders the cancel button behind a second click, because cancelling cannot be undone. */
function cancelHtml(run: string): Html {
  return html`<details>
    <summary>Cancel the run …</summary>
    ${actionHtml(run, 'cancel', 'Yes, cancel the run', 'bad')}
  </details>`;
}

function stepsHtml({ steps }: RunShape): Html | '' {
  if (steps.length === 0) return '';
  const rows = steps.map(
    ({ id, count: { waiting, running, done, failed } }) =>
      html`<tr>
        <th scope="row">${id}</th>
        ${[waiting, running, done, failed].map((number) => html`<td class="number">${String(number)}</td>`)}
      </tr>`,
  );
  return html`<table class="steps">
    <thead>
      <tr><th>Step</th><th>Waiting</th><th>Running</th><th>Done</th><th>Failed</th></tr>
    </thead>
    <tbody>${rows}</tbody>
  </table>`;
}

function failuresHtml(failures: FailuresShape | null): Html | '' {
  if (failures === null || failures.groups.length === 0) return '';
  return html`<h2>Failures</h2>
    ${failures.groups.map((group) => failureHtml(group))}`;
}

async function picturesHtml(
  { files, exports }: RunShape,
  run: string,
  page: number,
): Promise<Awaited<Html> | ''> {
  if (files.length === 0) return '';
  const addressOf = (target: number) => `${runAddress(run)}?page=${target}`;
  const { pageItems, links } = await paginate(files, { page, perPage: picturesPerPage, addressOf });
  return html`<h2>Pictures</h2>
    <ul class="pictures">
      ${pageItems.map(({ key, path, width, height, delivery }) => {
        const fingerprint = exports.length > 0 ? fingerprintOf(delivery) : undefined;
        const fileAddress = formatFileAddress(run, path, fingerprint);
        const thumbnailAddress = `${fileAddress}${fingerprint === undefined ? '?' : '&'}small=1`;
        const content =
          width > 0
            ? html`<img loading="lazy" decoding="async" src="${thumbnailAddress}" alt="${key}" />`
            : (path.split('.').at(-1) ?? '').toUpperCase();
        return html`<li data-key="${fileAddress}">
          <a href="${fileAddress}">${content}</a>
          <b>${key}</b>
          <small>${path} ${width > 0 ? `${width} × ${height}` : ''}</small>
        </li>`;
      })}
    </ul>
    ${links}`;
}
