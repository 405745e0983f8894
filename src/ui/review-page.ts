// The page where a person approves and rejects the pictures of a run.
import { html } from 'hono/html';
import type { EarlierDecision } from '../app/approvals/decide.ts';
import { markOfAsset } from '../app/approvals/review.ts';
import { nameOfWaiting, type WaitingAsset } from '../app/runs/waiting-assets.ts';
import { maxReasonLength } from '../plan/contract/audit-contract.ts';
import { formatCount } from '../plan/helpers/format-count.ts';
import { shortHashOf } from '../plan/helpers/short-hash.ts';
import type { ConnectorSpec } from '../plan/types.ts';
import { runAddress } from './addresses.ts';
import { isShownByBrowsers } from './delivered-files.ts';
import { type Html, type Page, paginate, seenFieldHtml } from './layout.ts';
import type { VisitorLink } from './visitor.ts';

/** Number of assets on one page. It is small, because the pictures are large. */
export const assetsPerPage = 20;
/** Number of assets on the page of a link. It is far larger, because a link sends decisions only once. */
const assetsOfLink = 200;
export const verdictPrefix = 'verdict:';

interface LoadedReview {
  waiting: readonly WaitingAsset[];
  /** Number of the page, starting at 1. */
  page: number;
  /** Condition that the assets meet. Empty selects all assets. */
  where: string;
  /** Decisions that somebody else made before the ones just sent. They stay in force. */
  earlier?: readonly EarlierDecision[];
  /** The visitor's link, which can send decisions once. Null if the visitor has none. */
  link?: VisitorLink | null;
}

/** Returns the name of a connector in addresses of pictures. */
export function connectorIdOf(spec: ConnectorSpec): string {
  return shortHashOf(JSON.stringify(spec));
}

export function reviewAddress(run: string): string {
  return `${runAddress(run)}/review`;
}

export function reviewPage(review: LoadedReview, run: string): Page {
  const { waiting, where, earlier = [] } = review;
  const body = html`<h1>${run}</h1>
    ${earlierHtml(earlier)} ${waiting.length === 0 ? emptyHtml(where, run) : formHtml(review, run)}`;
  return { title: `${run}: approve pictures`, section: 'runs', body };
}

/** Shown after the decisions of a link, and after an approval of pictures that others had partly decided first. */
export function createSentPage(
  earlierDecisions: readonly EarlierDecision[],
  run: string,
  link: VisitorLink | null,
): Page {
  const nextStep = link
    ? 'You can close this page.'
    : html`<a href="${runAddress(run)}">Show the run</a>`;
  const body = html`<h1>Thank you</h1>
    ${earlierHtml(earlierDecisions)}
    <p>${earlierDecisions.length === 0 ? 'Your decisions' : 'Your other decisions'} on ${run} are recorded. ${nextStep}</p>`;
  return { title: `${run}: decided`, section: 'runs', body };
}

/** Lists decisions that somebody else made first. They stay in force, so the person must know about them. */
function earlierHtml(earlierDecisions: readonly EarlierDecision[]): Html | '' {
  if (earlierDecisions.length === 0) return '';
  return html`<section class="refusal" role="alert">
    <p><strong>Somebody else has already decided about these assets. Their decisions stand:</strong></p>
    <ul>
      ${earlierDecisions
        .slice(0, assetsPerPage)
        .map(
          ({ key, outcome, by, reason }) =>
            html`<li><b>${key}</b> ${outcome} by ${by}${reason === undefined ? '' : `: ${reason}`}</li>`,
        )}
    </ul>
    ${earlierDecisions.length > assetsPerPage ? html`<p>and ${String(earlierDecisions.length - assetsPerPage)} more</p>` : ''}
  </section>`;
}

function emptyHtml(condition: string, run: string): Html {
  if (condition !== '')
    return html`<p class="empty">No waiting asset meets the condition <code>${condition}</code>. <a href="${reviewAddress(run)}">Show all</a></p>`;
  return html`<p class="empty">No asset is waiting for a decision. <a href="${runAddress(run)}">Show the run</a></p>`;
}

async function formHtml(
  { waiting, page, where, link = null }: LoadedReview,
  run: string,
): Promise<Awaited<Html>> {
  const addressOf = (target: number) => {
    const query = { page: String(target), ...(where === '' ? {} : { where }) };
    return `${reviewAddress(run)}?${new URLSearchParams(query).toString()}`;
  };
  const perPage = link === null ? assetsPerPage : assetsOfLink;
  const { pageItems, links } = await paginate(waiting, { page, perPage, addressOf });
  const chooser = html`<form class="row" method="get" action="${reviewAddress(run)}">
    <label>Show only assets where<input type="text" name="where" value="${where}" placeholder='view == "front"' /></label>
    <button>Show</button>
  </form>`;
  return html`<p>
      <strong>${formatCount(waiting.length, 'asset')} ${waiting.length === 1 ? 'is' : 'are'} waiting for your decision.</strong>
      Keys: <kbd>a</kbd> approve, <kbd>r</kbd> reject, <kbd>l</kbd> later, <kbd>j</kbd> and <kbd>k</kbd> next and
      previous. Nothing is sent until you press a button.
      ${link === null ? html`<a href="${runAddress(run)}">Show the run</a>` : 'You can send your decisions only once.'}
    </p>
    ${link === null ? chooser : ''}
    <form id="review" method="post" action="${reviewAddress(run)}">
      <input type="hidden" name="where" value="${where}" />
      ${seenFieldHtml(waiting.map(markOfAsset))}
      <ol class="review">
        ${pageItems.map((asset) => assetHtml(asset, run))}
      </ol>
      <div class="decide">
        <label>Reason, if you reject any<input type="text" name="reason" maxlength="${String(maxReasonLength)}" /></label>
        <button class="main">Send decisions</button>
        <button name="rest" value="approve">Send decisions, and approve all others</button>
      </div>
    </form>
    ${links}`;
}

function assetHtml(asset: WaitingAsset, run: string): Html {
  const { key, node, pictures, review } = asset;
  const name = `${verdictPrefix}${nameOfWaiting(asset)}`;
  const choice = (value: string, text: string) =>
    html`<label><input type="radio" name="${name}" value="${value}" /> ${text}</label>`;
  return html`<li data-asset tabindex="-1" aria-label="${key}">
    ${pictures.map(
      ({ path, width, before }) => html`<div class="pair">
        ${before ? pictureHtml(formatAddress(run, before.connector, before.path), 'Before') : ''}
        ${pictureHtml(formatAddress(run, review, path), before ? 'After' : path, width > 0)}
      </div>`,
    )}
    <b>${key}</b> <small>${node}</small>
    <fieldset>${choice('approve', 'Approve')} ${choice('reject', 'Reject')} ${choice('wait', 'Later')}</fieldset>
  </li>`;
}

function pictureHtml(address: string, caption: string, isPicture = true): Html {
  // A preview is loaded for formats that browsers cannot show, such as TIFF.
  const source = isShownByBrowsers(address) ? address : `${address}?preview`;
  const content = isPicture
    ? html`<img loading="lazy" decoding="async" src="${source}" alt="${caption}" />`
    : 'File';
  return html`<figure><a href="${address}">${content}</a><figcaption>${caption}</figcaption></figure>`;
}

function formatAddress(run: string, connector: ConnectorSpec, path: string): string {
  const file = path.split('/').map(encodeURIComponent).join('/');
  return `${reviewAddress(run)}/file/${connectorIdOf(connector)}/${file}`;
}
