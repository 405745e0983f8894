// The page's HTML. Every value is escaped, and nothing is loaded from other servers.
import { html } from 'hono/html';
import type { Sandbox } from '../context/sandbox.ts';
import { gridHtml } from './grid-html.ts';
import { hashContent } from './hash-content.ts';
import type { Card, PageQuery, View, ViewContent } from './view.ts';
import { views } from './views.ts';

export interface PageRequest extends PageQuery {
  readonly view: View;
}

export interface PageContent extends ViewContent {
  /** The visible views with their number of items. */
  readonly tabs: readonly { readonly id: string; readonly title: string; readonly count: number }[];
  /** A hash of everything on the page. */
  readonly mark: string;
}

function pageAddressOf({ view, search }: PageRequest, page: number): string {
  const query = new URLSearchParams({ view: view.id });
  if (search !== '') query.set('search', search);
  if (page > 1) query.set('page', String(page));
  return `/?${query.toString()}`;
}

export function readPage(sandbox: Sandbox, request: PageRequest, nowMs: number): PageContent {
  const content = {
    ...request.view.show(sandbox, request, nowMs),
    tabs: views
      .filter(({ isShown }) => isShown?.(sandbox) ?? true)
      .map(({ id, title, count }) => ({ id, title, count: count(sandbox) })),
  };
  return { ...content, mark: hashContent(content) };
}

const tones: Readonly<Record<string, string>> = {
  READY: 'good',
  APPROVED: 'good',
  COMPLETED: 'good',
  FAILED: 'bad',
  MODEL_REJECTED: 'bad',
};

function cardHtml(card: Card) {
  const { id, title, lines, status, image, link, isVideo } = card;
  const tone = status === undefined ? '' : (tones[status.toUpperCase()] ?? 'busy');
  const picture = image
    ? html`<img loading="lazy" decoding="async" alt="" src="${image}" />`
    : html`<span>no picture</span>`;
  const film = html`<video
    controls
    loop
    muted
    playsinline
    preload="none"
    poster="${image ?? ''}"
    src="${link ?? ''}"
    aria-label="${title}"
  ></video>`;
  const frame = isVideo
    ? html`<div class="frame">${film}</div>`
    : link
      ? html`<a class="frame" href="${link}" aria-label="${title}">${picture}</a>`
      : html`<div class="frame">${picture}</div>`;
  return html`<li data-key="${id}" data-mark="${hashContent(card)}">
    ${frame}
    <div class="text">
      <b>${title}</b>
      ${status ? html`<span class="status ${tone}">${status}</span>` : ''}
      ${lines.map((line) => html`<div>${line}</div>`)}
      <code>${id}</code>
    </div>
  </li>`;
}

/** Renders the part of the page that changes. */
export function viewHtml(request: PageRequest, content: PageContent) {
  const { cards, grid, foundCount, page, pages, note, mark } = content;
  const tabs = content.tabs.map(
    ({ id, title, count }) =>
      html`<a href="/?view=${id}" ${id === request.view.id ? html`aria-current="page"` : ''}
        >${title} <small>${String(count)}</small></a
      >`,
  );
  const empty = request.search === '' ? 'Nothing here yet.' : 'No name contains this text.';
  const items = grid ? gridHtml(grid) : html`<ul>${cards.map(cardHtml)}</ul>`;
  const step = (targetPage: number, text: string) =>
    targetPage < 1 || targetPage > pages
      ? ''
      : html`<a href="${pageAddressOf(request, targetPage)}">${text}</a>`;
  return html`<div id="view" data-mark="${mark}">
    <header>
      <nav aria-label="Kinds">${tabs}</nav>
    </header>
    <main>
      ${note === '' ? '' : html`<p>${note}</p>`}
      ${request.search === '' ? '' : html`<p>${formatFoundTitle(foundCount, request.search)}</p>`}
      ${foundCount === 0 ? html`<p class="empty">${empty}</p>` : items}
      ${
        pages > 1
          ? html`<div class="pages">
            ${step(page - 1, 'Newer')} <span>${String(page)} of ${String(pages)}</span> ${step(page + 1, 'Older')}
          </div>`
          : ''
      }
    </main>
  </div>`;
}

function formatFoundTitle(count: number, search: string): string {
  return `${count} ${count === 1 ? 'name contains' : 'names contain'} “${search}”`;
}

/** Renders the whole page. */
export function pageHtml(request: PageRequest, content: PageContent) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${request.view.title} · Renderline sandbox</title>
        <link rel="stylesheet" href="/_page/style.css" />
        <link rel="icon" href="data:," />
        <script type="module" src="/_page/script.js"></script>
      </head>
      <body>
        <div class="bar">
          <h1>Renderline sandbox<span id="live" role="status"></span></h1>
          <form action="/" role="search">
            <input type="hidden" name="view" value="${request.view.id}" />
            <input type="search" name="search" value="${request.search}" placeholder="Name" aria-label="Name" />
            <button>Search</button>
          </form>
        </div>
        ${viewHtml(request, content)}
      </body>
    </html>`;
}
