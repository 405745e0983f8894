// The script of a report page: search, filters, and the enlarged view. It never creates HTML from text.

export const reportScript = `
'use strict';
const all = [...document.querySelectorAll('#gallery > li')];
const form = document.querySelector('#filters');
const shownCount = document.querySelector('#shown-count');
let shown = all;
let texts = null;

function filter() {
  texts ??= all.map((item) => item.textContent.toLowerCase());
  const { words, state, ...labels } = Object.fromEntries(new FormData(form));
  const parts = words.toLowerCase().split(/\\s+/).filter(Boolean);
  const fits = (wanted, value) => !wanted || wanted === value;
  shown = all.filter((item, at) => {
    const hasLabels = Object.entries(labels).every(([name, wanted]) => fits(wanted, item.dataset[name]));
    const isShown =
      hasLabels && fits(state, item.dataset.s) && parts.every((part) => texts[at].includes(part));
    item.hidden = !isShown;
    return isShown;
  });
  shownCount.textContent = shown.length + ' of ' + all.length + ' shown';
}

let due = 0;
form?.addEventListener('input', () => {
  cancelAnimationFrame(due);
  due = requestAnimationFrame(filter);
});
form?.addEventListener('submit', (event) => event.preventDefault());
form?.addEventListener('reset', () => requestAnimationFrame(filter));

// Opens all details, because they cannot be opened on paper.
addEventListener('beforeprint', () => {
  for (const folded of document.querySelectorAll('details')) folded.open = true;
});

const dialog = document.querySelector('dialog');
const large = dialog?.querySelector('#large');
const before = dialog?.querySelector('#before');
const words = dialog?.querySelector('#words');
const original = dialog?.querySelector('#original');
let at = 0;

const linksShown = () => shown.flatMap((item) => [...item.querySelectorAll(':is(a, button).frame')]);

function show(links) {
  const link = links[at];
  if (!link) return;
  const small = link.querySelector('img');
  const card = link.closest('li');
  const isShowable = 'href' in link && /\\.(?:png|jpe?g|webp|gif|avif)$/i.test(link.pathname);
  large.onerror = () => {
    large.onerror = null;
    if (small) large.src = small.src;
  };
  large.src = isShowable || !small ? link.href : small.src;
  large.alt = small?.alt ?? '';
  before.hidden = dialog.querySelector('#after').hidden = !card.dataset.before;
  if (card.dataset.before) before.querySelector('img').src = card.dataset.before;
  const parts = [...card.querySelector('.text').children].map((part) => part.textContent);
  words.textContent = [...parts, at + 1 + ' of ' + links.length].join(' · ');
  original.hidden = !('href' in link);
  if (!original.hidden) original.href = link.href;
  if (!dialog.open) dialog.showModal();
}

function move(by) {
  const links = linksShown();
  at = Math.min(links.length - 1, Math.max(0, at + by));
  show(links);
}

document.querySelector('#gallery')?.addEventListener('click', (event) => {
  const link = event.target.closest(':is(a, button).frame');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const links = linksShown();
  at = links.indexOf(link);
  show(links);
});
dialog?.addEventListener('keydown', (event) => {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  move(by);
});
dialog?.querySelector('#previous').addEventListener('click', () => move(-1));
dialog?.querySelector('#next').addEventListener('click', () => move(1));
dialog?.querySelector('#close').addEventListener('click', () => dialog.close());
dialog?.addEventListener('click', (event) => {
  if (event.target === dialog) dialog.close();
});
// Focuses the picture that was shown last, not the one that was opened first.
dialog?.addEventListener('close', () => linksShown()[at]?.focus());
`;
