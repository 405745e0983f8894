// Renders the gallery of a report: a card for each picture, with search and filters.

import { dimensionNames } from '../language/dimension-names.ts';
import { formatCount } from '../plan/helpers/format-count.ts';
import { formatPercent } from '../plan/helpers/format-percent.ts';
import type { ContactSheetCard } from './contact-sheet-card.ts';
import { cardHtml } from './contact-sheet-html.ts';
import { escapeHtml } from './escape-html.ts';
import type { ReportedOutput } from './report.ts';

export interface ReportCard {
  output: ReportedOutput;
  card: ContactSheetCard;
  /** Thumbnail (JPEG) of the picture that this one replaced. */
  previousThumbnail?: Buffer;
}

export function galleryHtml(cards: readonly ReportCard[], remainingCount: number): string {
  if (cards.length === 0) return '<p>This run delivered no files.</p>';
  const remainingHtml =
    remainingCount === 0
      ? ''
      : `<p>${formatCount(remainingCount, 'more file')}: listed in the CSV and the JSON.</p>`;
  return `${filtersHtml(cards.map(({ output }) => output))}
<ul id="gallery" aria-label="Pictures">
${cards.map(itemHtml).join('\n')}
</ul>${remainingHtml}`;
}

function itemHtml({ output, card, previousThumbnail }: ReportCard): string {
  const data = [
    `data-s="${stateOf(output)}"`,
    ...(previousThumbnail
      ? [`data-before="data:image/jpeg;base64,${previousThumbnail.toString('base64')}"`]
      : []),
    ...dimensionNames.flatMap((name) => {
      const label = output[name];
      return label === null ? [] : [`data-${name}="${escapeHtml(label)}"`];
    }),
  ];
  return cardHtml(card, data.join(' '), true);
}

function stateOf(output: ReportedOutput): string {
  if (output.waitsFor !== null) return 'waits for approval';
  if (output.path === null) return output.outcome;
  if (output.change === null) return 'delivered';
  return isOutputChanged(output) ? 'changed' : 'as before';
}

/** True if the change is large enough to be visible. */
export function isOutputChanged({ change }: Pick<ReportedOutput, 'change'>): boolean {
  return change !== null && change >= 0.0005;
}

function filtersHtml(outputs: readonly ReportedOutput[]): string {
  const namesOf = (nameOf: (output: ReportedOutput) => string | null) =>
    [...new Set(outputs.flatMap((output) => nameOf(output) ?? []))].sort();
  return `<form id="filters" role="search" aria-label="Pictures">
<label>Search<input type="search" name="words" placeholder="asset, colorway, file"></label>
${dimensionNames
  .map((name) =>
    selectHtml(
      capitalize(name),
      name,
      namesOf((output) => output[name]),
    ),
  )
  .join('\n')}
${selectHtml('State', 'state', namesOf(stateOf))}
<button type="reset">Clear</button>
<output id="shown-count" aria-live="polite">${formatCount(outputs.length, 'item')}</output>
</form>`;
}

function capitalize(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** Renders a select field, or a hidden field if there are fewer than two values. */
function selectHtml(label: string, name: string, values: readonly string[]): string {
  if (values.length < 2) return `<input type="hidden" name="${name}" value="">`;
  const options = values.map((value) => `<option>${escapeHtml(value)}</option>`).join('');
  return `<label>${label}<select name="${name}"><option value="">All</option>${options}</select></label>`;
}

/** Returns the caption of an output: what distinguishes it from other outputs of its model. */
export function captionOf(output: ReportedOutput): string {
  const { path, waitsFor, key, change } = output;
  const file = path === null || path.replace(/\.\w+$/, '') === key ? [] : [path];
  if (waitsFor !== null)
    return `${waitsFor}, ${formatPercent(change ?? 0)} changed, waits for approval`;
  const changeNotes = isOutputChanged(output) ? [`${formatPercent(change ?? 0)} changed`] : [];
  const approvalNotes =
    output.decision?.outcome === 'approved' ? [`approved by ${output.decision.by}`] : [];
  const labels = dimensionNames.map((name) => output[name]);
  return [...labels, ...file, ...changeNotes, ...approvalNotes]
    .filter((part) => part !== null)
    .join(', ');
}
