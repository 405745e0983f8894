// The contact sheet as one HTML file: nothing loaded from outside, every value escaped, no scripts.
import { createHash } from 'node:crypto';

export type SheetCard = {
  readonly key: string;
  readonly caption: string;
  readonly width: number;
  readonly height: number;
  /** JPEG; absent on failures. */
  readonly thumbnail?: Buffer;
  /** Relative link to the full picture. */
  readonly link?: string;
  readonly failed?: string;
};

export type SheetContent = {
  readonly title: string;
  readonly cards: readonly SheetCard[];
  readonly left: number;
};

const style = `
:root { color-scheme: light dark; --ink: #1c232b; --soft: #66717d; --paper: #f4f5f6; --card: #fff; --line: #dfe3e7; --bad: #b3261e; --bad-paper: #fdeceb; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebee; --soft: #9aa5b0; --paper: #14181c; --card: #1d2329; --line: #2c343c; --bad: #ff8a80; --bad-paper: #3a1f1e; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem clamp(1rem, 4vw, 3rem); background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.6rem; overflow-wrap: anywhere; }
header p { margin: .3rem 0 1.6rem; color: var(--soft); }
header strong { color: var(--bad); }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(220px, 1fr)); gap: 1.1rem; margin: 0; padding: 0; list-style: none; }
li { display: flex; flex-direction: column; overflow: hidden; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
.frame { display: flex; align-items: center; justify-content: center; aspect-ratio: 16 / 10; background: var(--paper); }
.frame img { width: 100%; height: 100%; object-fit: contain; }
.failed { border-color: var(--bad); }
.failed .frame { padding: 1rem; background: var(--bad-paper); color: var(--bad); text-align: center; overflow-wrap: anywhere; overflow: auto; }
.text { padding: .65rem .8rem .75rem; }
.key { font-weight: 600; overflow-wrap: anywhere; }
.caption, .size { color: var(--soft); font-size: .85rem; overflow-wrap: anywhere; }
footer { margin-top: 1.5rem; color: var(--soft); }
`;

const styleHash = createHash('sha256').update(style).digest('base64');

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function cardHtml(card: SheetCard): string {
  const key = escaped(card.key);
  const caption = card.caption === '' ? '' : `<div class="caption">${escaped(card.caption)}</div>`;
  if (card.thumbnail === undefined) {
    const reason = escaped(card.failed ?? '');
    return `<li class="failed"><div class="frame">${reason}</div><div class="text"><div class="key">${key}</div>${caption}</div></li>`;
  }
  const source = `data:image/jpeg;base64,${card.thumbnail.toString('base64')}`;
  const image = `<img src="${source}" alt="${key}" loading="lazy">`;
  const frame =
    card.link === undefined
      ? `<div class="frame">${image}</div>`
      : `<a class="frame" href="${escaped(card.link)}">${image}</a>`;
  const size = `<div class="size">${card.width} × ${card.height}</div>`;
  return `<li>${frame}<div class="text"><div class="key">${key}</div>${caption}${size}</div></li>`;
}

/** The whole page; opens from disk, prints, and needs no network. */
export function contactSheetHtml({ title, cards, left }: SheetContent): string {
  const failures = cards.filter(({ thumbnail }) => thumbnail === undefined).length;
  const failed = failures === 0 ? '' : `, <strong>${failures} failed</strong>`;
  const more = left === 0 ? '' : `<footer>${left} more are not shown here.</footer>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<header><h1>${escaped(title)}</h1><p>${count(cards.length - failures, 'picture')}${failed}</p></header>
<ul>
${cards.map(cardHtml).join('\n')}
</ul>
${more}
</body>
</html>
`;
}
