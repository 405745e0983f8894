// Keeps the page of a run live. Without the script a reload does the same; everything else works by links and forms.

export const script = `
const live = document.getElementById('live');

// Pictures that are still there keep their elements, so that they do not load again. Opened details stay open.
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

async function refresh() {
  const view = document.getElementById('view');
  if (!view || !('live' in view.dataset)) { live.textContent = ''; return; }
  const startedMs = performance.now();
  if (!document.hidden && !document.activeElement?.closest('#view')) {
    try {
      const query = new URLSearchParams(location.search);
      query.set('part', 'view');
      const response = await fetch(location.pathname + '?' + query, { signal: AbortSignal.timeout(60000) });
      if (response.ok) show(await response.text());
      live.textContent = response.ok ? 'live' : 'not responding';
    } catch {
      live.textContent = 'not responding';
    }
  }
  // Reading a run of many thousand assets takes a while, so slow responses are requested less often.
  setTimeout(refresh, Math.max(2000, 3 * (performance.now() - startedMs)));
}
setTimeout(refresh, 1000);
`;
