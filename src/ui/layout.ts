// The frame of every page, and parts that several pages share. `html` escapes every value.
import { html, raw } from 'hono/html';
import { InvalidPipelineError } from '../app/compile-pipeline.ts';
import { explainError } from '../app/renderline-error.ts';
import { type List, readRange } from '../plan/helpers/lazy-list.ts';
import { withoutFalse } from '../plan/helpers/without-false.ts';
import type { Role, Visitor } from './visitor.ts';

export type Html = ReturnType<typeof html>;

const roleText: Readonly<Record<Role, string>> = {
  look: 'may view',
  decide: 'may decide',
  start: 'may start and decide',
};

export interface Page {
  title: string;
  /** Highlighted entry of the menu. */
  section: 'pipelines' | 'runs';
  body: Html;
}

/** A closing script tag inside a tagged template would make the bundler add a helper library. */
const scriptTag = raw('<script type="module" src="script.js"></script>');

/** Renders a page. There is no menu for a visitor with a link, who may see only one run. */
export function pageHtml(
  { title, section, body }: Page,
  { base, name, role, link }: Visitor,
): Html {
  const entry = (href: string, id: Page['section'], text: string) =>
    html`<a href="${href}" ${id === section ? html`aria-current="page"` : ''}>${text}</a>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <base href="${base}" />
        <title>${title} · Renderline</title>
        <link rel="stylesheet" href="style.css" />
        <link rel="icon" href="data:," />
        ${scriptTag}
      </head>
      <body>
        <header>
          <b>Renderline</b>
          ${link === null ? html`<nav aria-label="Pages">${entry('./', 'pipelines', 'Pipelines')} ${entry('runs', 'runs', 'Runs')}</nav>` : ''}
          <span id="live" role="status"></span>
          ${name === null ? '' : html`<span>${name} (${roleText[role]})</span>`}
        </header>
        <main>${body}</main>
      </body>
    </html>`;
}

/** Renders the error of a use case, with its fix and the problems of the file. */
export function refusalHtml(error: unknown): Html {
  const { message, fix } = explainError(error);
  const problems =
    error instanceof InvalidPipelineError
      ? error.problems.filter(({ severity }) => severity !== 'note')
      : [];
  return html`<section class="refusal" role="alert">
    <p><strong class="lines">${message}</strong></p>
    ${
      problems.length === 0
        ? ''
        : html`<ul>
          ${problems.map(
            ({ file, line, col, message: problem, hint = '' }) =>
              html`<li><code>${file}:${String(line)}:${String(col)}</code> ${problem} ${hint}</li>`,
          )}
        </ul>`
    }
    ${fix === '' ? '' : html`<pre>${fix}</pre>`}
  </section>`;
}

/** Renders a list of terms and their values. */
export function factsHtml(facts: readonly (readonly [string, string | Html] | false)[]): Html {
  return html`<dl>
    ${withoutFalse(facts).map(([term, text]) => html`<div><dt>${term}</dt><dd>${text}</dd></div>`)}
  </dl>`;
}

/** Reads the number of the page that a request asks for, counted from 1. */
export function readPageNumber(query: string | undefined): number {
  const page = Number(query);
  return Number.isInteger(page) && page > 0 ? page : 1;
}

/** Returns the items of a page, counted from 1, and links to the previous and the next page. */
export async function paginate<Item>(
  items: List<Item>,
  {
    page,
    perPage,
    addressOf,
  }: { page: number; perPage: number; addressOf: (page: number) => string },
): Promise<{ pageItems: Item[]; links: Html | '' }> {
  const pages = Math.ceil(items.length / perPage);
  const first = (Math.min(page, pages) - 1) * perPage;
  const pageItems = await readRange(items, first, first + perPage);
  if (pages <= 1) return { pageItems, links: '' };
  const link = (target: number, text: string) =>
    target < 1 || target > pages ? '' : html`<a href="${addressOf(target)}">${text}</a>`;
  const links = html`<p class="row">${link(page - 1, 'Previous')} <span>${String(page)} of ${String(pages)}</span> ${link(page + 1, 'Next')}</p>`;
  return { pageItems, links };
}

/** Renders a state, colored as good, bad or busy. */
export function stateHtml(state: string): Html {
  const good = ['complete', 'completed', 'approved'];
  const bad = ['failed', 'terminated', 'cancelled'];
  const tone = good.includes(state) ? 'good' : bad.includes(state) ? 'bad' : 'busy';
  return html`<span class="state ${tone}">${state.replaceAll('_', ' ')}</span>`;
}

const name = 'seen';

/**
 * Renders a hidden field with marks of everything that a page asks about, so that nothing is approved unseen.
 * @param marks letters and digits. 25,000 marks take 300 kB
 */
export function seenFieldHtml(marks: readonly string[]): Html {
  return html`<input type="hidden" name="${name}" value="${marks.join('.')}" />`;
}

/** Reads the marks from the fields of a form. Returns null if the form has no such field. */
export function parseSeen(fields: Readonly<Record<string, unknown>>): ReadonlySet<string> | null {
  const field = fields[name];
  return typeof field === 'string' ? new Set(field.split('.')) : null;
}
