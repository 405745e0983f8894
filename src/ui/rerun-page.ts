// The page that shows what a rerun of a run would do and cost, with the button that starts it.
import { html } from 'hono/html';
import {
  formatNothingToRerun,
  formatRerunAssets,
  formatReuse,
  formatUnfinished,
} from '../app/rerun/format-rerun-work.ts';
import type { RerunPreview } from '../app/rerun/rerun.ts';
import { formatCount, formatRange } from '../plan/helpers/format-count.ts';
import { formatFirst } from '../plan/helpers/format-first.ts';
import { formatRenders } from '../plan/helpers/format-renders.ts';
import { formatSeconds } from '../plan/helpers/format-seconds.ts';
import type { Rerun } from '../plan/run/rerun.ts';
import { runAddress } from './addresses.ts';
import { factsHtml, type Html, type Page, refusalHtml } from './layout.ts';

const maxKeysShown = 8;

const planTexts: Readonly<Record<Rerun['plan'], string>> = {
  pinned: 'with the plan of the run',
  latest: 'with the current file',
};

/** Reads the plan that the request asks for. Undefined stands for the plan that `rerun` chooses. */
export function readPlanChoice(value: unknown): Rerun['plan'] | undefined {
  return value === 'pinned' || value === 'latest' ? value : undefined;
}

export type ShownRerun = Pick<RerunPreview, 'shape' | 'isEmpty'>;

export function rerunPage(run: string, { shape, isEmpty }: ShownRerun): Page {
  const { rerun, preview, cost } = shape;
  if (isEmpty || preview === null || cost === null)
    return createPage(run, rerun.plan, html`<p>${formatNothingToRerun(shape)}</p>`);
  const { groups, assets, refused, reuse } = preview;
  const reuseText = formatReuse(reuse);
  const facts = factsHtml([
    ['Assets', formatRerunAssets(preview)],
    ...groups.map((group) => {
      const keys = formatFirst(group.keys, maxKeysShown);
      return ['Unfinished', `${formatUnfinished(group)}: ${keys}`] as const;
    }),
    ...refused.map(({ code, message }) => ['Refused', `${code}: ${message}`] as const),
    reuseText !== '' && ['Reused', reuseText],
    ['Renders', formatRenders(cost, 'job')],
    ['Requests', `about ${formatRange(cost.requests, cost.maxRequests)}`],
    ['Time', `about ${formatSeconds(cost.seconds)}`],
  ]);
  const button = html`<form method="post" action="${runAddress(run)}/rerun">
    <input type="hidden" name="plan" value="${rerun.plan}" />
    <input type="hidden" name="assets" value="${String(assets)}" />
    <button class="main">Rerun ${formatCount(assets, 'asset')}</button>
  </form>`;
  return createPage(run, rerun.plan, html`${facts}${assets === 0 ? '' : button}`);
}

/** Renders why the run cannot be rerun, with the choice of the other plan. */
export function createRefusedPage(
  run: string,
  plan: Rerun['plan'] | undefined,
  error: unknown,
): Page {
  return createPage(run, plan, refusalHtml(error));
}

function createPage(run: string, plan: Rerun['plan'] | undefined, content: Html): Page {
  const choices = (['pinned', 'latest'] as const).map((choice) =>
    choice === plan
      ? html`<b>${planTexts[choice]}</b> `
      : html`<a href="${runAddress(run)}/rerun?plan=${choice}">${planTexts[choice]}</a> `,
  );
  const title = `Rerun ${run}`;
  const body = html`<h1>Rerun <a href="${runAddress(run)}">${run}</a></h1>
    <p class="row">${choices}</p>
    ${content}`;
  return { title, section: 'runs', body };
}
