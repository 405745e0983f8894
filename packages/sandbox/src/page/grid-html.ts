// Renders a grid as an HTML table. Cells have keys and content hashes, so that unchanged cells keep their pictures.
import { html } from 'hono/html';
import type { Grid, GridPicture, GridVariant } from './grid.ts';
import { hashContent } from './hash-content.ts';

function pictureHtml(picture: GridPicture, isOnly: boolean) {
  const { image, link, name, caption, width, height } = picture;
  return html`<figure>
    <a href="${link}"
      ><img
        loading="lazy"
        decoding="async"
        alt="${name}"
        src="${image}"
        width="${String(width)}"
        height="${String(height)}"
    /></a>
    ${isOnly ? '' : html`<figcaption>${caption}</figcaption>`}
  </figure>`;
}

function statusHtml({ status, problem }: GridVariant) {
  if (problem !== undefined)
    return html`<p class="bad"><b>${status ?? 'failed'}</b> ${problem}</p>`;
  return status === undefined ? '' : html`<p>${status}</p>`;
}

/** Long names wrap at their slashes. */
function nameHtml(name: string) {
  return name
    .split('/')
    .map((part, index) => (index === 0 ? html`${part}` : html`/<wbr />${part}`));
}

function partHtml(part: GridVariant) {
  const { pictures, more } = part;
  const isOnly = pictures.length === 1;
  const images = pictures.map((picture) => pictureHtml(picture, isOnly));
  return html`${images.length > 1 ? html`<div class="many">${images}</div>` : images}
    ${more > 0 ? html`<p>and ${String(more)} more</p>` : ''} ${statusHtml(part)}`;
}

function cellHtml(key: string, parts: readonly GridVariant[]) {
  const mark = hashContent(parts);
  return parts.length === 0
    ? html`<td class="none" data-key="${key}" data-mark="${mark}">no such variant</td>`
    : html`<td data-key="${key}" data-mark="${mark}">${parts.map(partHtml)}</td>`;
}

export function gridHtml({ columns, hiddenColumns, rows }: Grid) {
  return html`<table>
      <caption>
        Rows: models. Columns: colorways.
      </caption>
      <thead>
        <tr>
          <th scope="col">Model</th>
          ${columns.map((title) => html`<th scope="col">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ id, title, cells }) =>
            html`<tr>
              <th scope="row">${nameHtml(title)}</th>
              ${cells.map((parts, index) => cellHtml(`${id} ${index}`, parts))}
            </tr>`,
        )}
      </tbody>
    </table>
    ${hiddenColumns > 0 ? html`<p>Colorways that are not shown here: ${String(hiddenColumns)}.</p>` : ''}`;
}
