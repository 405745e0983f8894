// Keeps the page of a run live. Without it, reload: everything else works by links and forms.

export const script = `
const live = document.getElementById('live');

// Pictures that stay keep their elements, and what a person has opened stays open.
function show(text) {
  const view = document.getElementById('view');
  const fresh = new DOMParser().parseFromString(text, 'text/html').getElementById('view');
  const known = new Map([...view.querySelectorAll('[data-key]')].map((item) => [item.dataset.key, item]));
  for (const item of fresh.querySelectorAll('[data-key]')) {
    const old = known.get(item.dataset.key);
    if (old) item.replaceWith(old);
  }
  const isOpen = view.querySelector('details[open]') !== null;
  const details = fresh.querySelector('details');
  if (isOpen && details) details.open = true;
  view.replaceWith(fresh);
}

async function look() {
  const view = document.getElementById('view');
  if (!view || !('live' in view.dataset)) { live.textContent = ''; return; }
  const began = performance.now();
  if (!document.hidden && !document.activeElement?.closest('#view')) {
    try {
      const asked = new URLSearchParams(location.search);
      asked.set('part', 'view');
      const answer = await fetch(location.pathname + '?' + asked, { signal: AbortSignal.timeout(60000) });
      if (answer.ok) show(await answer.text());
      live.textContent = answer.ok ? 'live' : 'not answering';
    } catch {
      live.textContent = 'not answering';
    }
  }
  // A run of many thousand assets takes a while to read.
  setTimeout(look, Math.max(2000, 3 * (performance.now() - began)));
}
setTimeout(look, 1000);
`;
