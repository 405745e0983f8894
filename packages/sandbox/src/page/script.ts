// The page's script: while the page is visible, polls every two seconds whether the view has changed.

export const script = `
const everyMs = 2000;
const live = document.getElementById('live');
const view = document.getElementById('view');

// Unchanged cards and cells keep their elements, so that pictures do not flicker and videos do not stop.
function show(text) {
  const fresh = new DOMParser().parseFromString(text, 'text/html').getElementById('view');
  const known = new Map([...view.querySelectorAll('[data-key]')].map((card) => [card.dataset.key, card]));
  for (const card of fresh.querySelectorAll('[data-key]')) {
    const old = known.get(card.dataset.key);
    if (old && old.dataset.mark === card.dataset.mark) card.replaceWith(old);
  }
  view.dataset.mark = fresh.dataset.mark;
  view.replaceChildren(...fresh.childNodes);
}

async function look() {
  if (!document.hidden) {
    try {
      const query = new URLSearchParams(location.search);
      query.set('have', view.dataset.mark);
      const answer = await fetch('/_page/view?' + query, { signal: AbortSignal.timeout(10000) });
      if (answer.status === 200) show(await answer.text());
      live.textContent = 'live';
      live.classList.toggle('lost', !answer.ok);
    } catch {
      live.textContent = 'not responding';
      live.classList.add('lost');
    }
  }
  setTimeout(look, everyMs);
}
setTimeout(look, everyMs);
`;
