// Updates the page of an open run, and handles keys on the page where pictures are approved. Without the script, people
// reload the page. All actions are links and forms.

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

const review = document.getElementById('review');
if (review) {
  const assets = [...review.querySelectorAll('[data-asset]')];
  let current = 0;
  const select = (to) => {
    current = Math.max(0, Math.min(to, assets.length - 1));
    assets[current].focus({ preventScroll: true });
    assets[current].scrollIntoView({ block: 'nearest' });
  };
  const verdicts = { a: 'approve', r: 'reject', l: 'wait' };
  const moves = { j: 1, k: -1 };
  document.addEventListener('keydown', (event) => {
    const isTyped = event.target.matches('input[type="text"]');
    if (isTyped || event.ctrlKey || event.metaKey || event.altKey) return;
    const verdict = verdicts[event.key];
    if (verdict) assets[current].querySelector('input[value="' + verdict + '"]').checked = true;
    const move = verdict ? 1 : moves[event.key];
    if (!move) return;
    event.preventDefault();
    select(current + move);
  });
  review.addEventListener('focusin', ({ target }) => {
    const at = assets.indexOf(target.closest('[data-asset]'));
    if (at >= 0) current = at;
  });
  select(0);
}
`;
