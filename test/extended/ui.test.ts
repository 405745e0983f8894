// `renderline ui` as a person uses it: a run is planned, started, approved by its pictures, and followed to its end.
import { appendFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { listen } from '../../src/settings/http-server.ts';
import { runInProcess } from '../system/_in-process.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  expectPictures,
  reportOf,
  runArguments,
  useProduct,
} from '../system/_runs.ts';
import { start, useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { chromium, openTab } from './_browser.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal);

/** Creates a folder of three models and serves the UI for its pipeline, which asks for approval after the first. */
async function openPage(name: string) {
  const place = await createPipelineFolder(name);
  await appendFile(place.file, 'canary: { assets: 1, timeout: 1h }\n');
  const keys = names(name, 3);
  await writeModels(place.folder, keys);
  const page = start(['ui', place.file, '--port', '0', '--json'], product.env, dirname(place.file));
  await page.waitForOutput('}');
  const { url, token } = JSON.parse(page.stdout()) as { url: string; token: string };
  return { place, keys, page, url, entrance: `${url}?token=${token}` };
}

/** Opens the address with the token. */
async function enter(url: string, entrance: string) {
  const origin = url.replace(/\/$/, '');
  const entered = await fetch(entrance, { redirect: 'manual' });
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  const base = entered.headers.get('location') ?? '';
  /** Resolves paths against the base of the UI. */
  const ask = async (path: string, body?: Record<string, string>) => {
    const answer = await fetch(new URL(path, `${origin}${base}`), {
      redirect: 'manual',
      headers: { cookie, origin },
      ...(body ? { method: 'POST', body: new URLSearchParams(body) } : {}),
    });
    return { answer, text: await answer.text(), to: answer.headers.get('location') ?? '' };
  };
  return { ask, base, cookie, origin };
}

test('a run is planned, started, approved and followed on the page', async () => {
  const { env } = product;
  const { place, keys, page, url, entrance } = await openPage('page');
  const { ask, base, cookie, origin } = await enter(url, entrance);

  const form = { file: place.file, 'param.folder': place.folder, 'param.out': place.out };
  expect((await ask('plan', form)).text).toContain('3 assets: 3 new');
  const { to } = await ask('start', form);
  expect(to.startsWith(`${base}runs/pictures-`)).toBe(true);
  await waitUntil('it asks', async () =>
    (await ask(to)).text.includes('The run is waiting for your approval'),
  );
  const shown = (await ask(to)).text;
  const [, picture = ''] = /<img[^>]+src="([^"]+)"/.exec(shown) ?? [];
  const thumbnail = await fetch(new URL(picture.replaceAll('&amp;', '&'), `${origin}${base}`), {
    headers: { cookie },
  });
  expect([thumbnail.status, thumbnail.headers.get('content-type')]).toEqual([200, 'image/jpeg']);

  expect((await ask(`${to}/approve`, {})).answer.status).toBe(303);
  const run = to.replace(`${base}runs/`, '');
  await expectPictures(reportOf(await runInProcess(['show', run, '--wait', '--json'], env)), keys);
  const audit = await runInProcess(['audit', '--run', run, '--json'], env);
  expect(JSON.parse(audit.stdout)).toMatchObject({
    entries: [
      { what: 'started', via: 'ui' },
      { what: 'approved', via: 'ui' },
    ],
  });
  const after = (await ask(to)).text;
  expect(after).toContain('3 of 3 complete');
  expect(after).not.toContain('data-live');
  expect((await ask('runs')).text).toContain(run);

  const [, address = ''] = /<a href="([^"]+)">Open the report/.exec(after) ?? [];
  expect(`${base}${address}`).toBe(`${to}/report`);
  const report = await ask(address);
  expect(report.text).toContain(`<title>pictures: ${run}</title>`);
  expect(report.answer.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; .* script-src 'sha256-[^']+'; .*frame-ancestors 'none'$/,
  );
  expect((await fetch(new URL(address, `${origin}${base}`))).status).toBe(401);
  expect((await fetch(`${origin}/`, { headers: { cookie } })).status).toBe(401);
  const large = { headers: { cookie, origin }, method: 'POST', body: 'x'.repeat(2_000_000) };
  expect((await fetch(new URL('plan', `${origin}${base}`), large)).status).toBe(413);
  expect((await ask('runs/none/report')).answer.status).toBe(404);
  expect((await page.stop('SIGINT')).code).toBe(0);
});

test('a run with failures is rerun from its page after a preview', async () => {
  const { env, sandbox } = product;
  const place = await createPipelineFolder('again');
  const [failing = '', ...others] = names('again', 2);
  await writeModels(place.folder, [failing, ...others]);
  await sandbox.set('faults', [{ model: `${failing}*`, do: { failure: 'no meshes' } }]);
  const words = runArguments(place, '--wait', '--json');
  const { run } = reportOf(await runInProcess(words, env), 3);
  await sandbox.set('faults', []);

  const page = start(['ui', place.file, '--port', '0', '--json'], env, dirname(place.file));
  await page.waitForOutput('}');
  const { url, token } = JSON.parse(page.stdout()) as { url: string; token: string };
  const { ask, base } = await enter(url, `${url}?token=${token}`);
  const [, address = ''] =
    /<a href="([^"]+)">Rerun 1 und/.exec((await ask(`runs/${run}`)).text) ?? [];
  const preview = (await ask(address)).text;
  expect(preview).toContain(failing);
  expect(preview).toContain('Rerun 1 asset');
  // The page that sent this form showed fewer failures.
  const refused = await ask(address, { plan: 'pinned', assets: '0' });
  expect([refused.answer.status, refused.text.includes('Nothing was started')]).toEqual([
    409,
    true,
  ]);
  const { answer, to } = await ask(address, { plan: 'pinned', assets: '1' });
  expect(answer.status).toBe(303);
  const next = to.replace(`${base}runs/`, '');
  const report = reportOf(await runInProcess(['show', next, '--wait', '--json'], env));
  await expectPictures(report, [failing]);
  expect(report).toMatchObject({ rerun: { of: run, failed: false, plan: 'pinned' } });
  expect((await ask(to)).text).not.toContain('Rerun');
  // Nothing of the first run is left to rerun either.
  expect((await ask(address)).text).toContain('Nothing to rerun');
  expect((await page.stop('SIGINT')).code).toBe(0);
});

test.skipIf(chromium === null)(
  'in a browser, the page of a run updates without a reload while the run continues',
  async () => {
    const { place, page, entrance } = await openPage('browser');
    const tab = await openTab(chromium ?? '');
    const click = (button: string) =>
      tab.until(
        `there is ${button}`,
        `(() => { const it = [...document.querySelectorAll('button, .cards a')].find(({ textContent }) => textContent.trim() === '${button}'); it?.click(); return it !== undefined; })()`,
      );
    const fill = (parameter: string, value: string) =>
      tab.until(
        `there is ${parameter}`,
        `(() => { const it = document.getElementById('p-${parameter}'); if (it) it.value = ${JSON.stringify(value)}; return it !== null; })()`,
      );
    const shows = (text: string) =>
      tab.until(`it shows ${text}`, `document.body.textContent.includes('${text}')`);

    await tab.go(entrance);
    await click('pictures');
    await fill('folder', place.folder);
    await fill('out', place.out);
    await click('Show the plan');
    await shows('3 assets: 3 new');
    await click('Start');
    await shows('of 3 complete');
    await tab.value('window.same = true');
    await shows('The run is waiting for your approval');
    const seen = `[...document.images].length === 1 && [...document.images].every(({ naturalWidth }) => naturalWidth > 0)`;
    await tab.until('the picture is there', seen);
    expect(await tab.value('window.same')).toBe(true);
    await click('Approve');
    await shows('3 of 3 complete');
    await tab.until('it asks no more', `document.getElementById('live').textContent === ''`);

    const report = `[...document.links].find(({ pathname }) => pathname.endsWith('/report'))`;
    await tab.value(`${report}.click()`);
    await shows('Pictures');
    await tab.until('a picture', `document.querySelector('a.frame img')?.naturalWidth > 0`);
    await tab.value(`document.querySelector('a.frame').click()`);
    await tab.until(
      'it is shown in large',
      `document.querySelector('dialog').open && document.getElementById('large').naturalWidth > 0`,
    );
    expect(await tab.value(`new URL(document.getElementById('large').src).pathname`)).toMatch(
      /^\/ui-[\w-]+\/runs\/.*\/file\/.*\.png$/,
    );
    await tab.close();
    expect((await page.stop('SIGINT')).code).toBe(0);
  },
  120_000,
);

test.skipIf(chromium === null)(
  'in a browser, another server on this machine receives nothing that gives access to the UI',
  async () => {
    const { page, url, entrance } = await openPage('another');
    const received: IncomingHttpHeaders[] = [];
    const other = createServer(({ headers }, response) => {
      received.push(headers);
      response.setHeader('content-type', 'text/html');
      // It asks for the pages as well as a page of another origin can.
      response.end(`<title>other</title><img src="${url}runs"><iframe src="${url}"></iframe>
        <script>fetch('${url}runs', { credentials: 'include', mode: 'no-cors' });
        document.cookie = 'renderline_ui=theirs; Path=/'; fetch('/again');</script>`);
    });
    const port = await listen(other, { host: '127.0.0.1', port: 0 });
    const tab = await openTab(chromium ?? '');
    const untilCards = (what: string) =>
      tab.until(what, `document.querySelector('.cards') !== null`);
    await tab.go(entrance);
    await untilCards('the first page');
    const first = String(await tab.value('location.href'));
    expect(first).toMatch(/\/ui-[\w-]{32}\/$/);
    await tab.value('location.reload()');
    await untilCards('the page that was loaded again');

    // The visitor follows a link in the page, like the link to the Temporal UI.
    await tab.value(
      `(() => { const a = document.createElement('a'); a.href = 'http://127.0.0.1:${port}/'; document.body.append(a); a.click(); })()`,
    );
    await waitUntil('the other page has asked', () => received.length >= 2);
    for (const headers of received) {
      expect(headers.referer ?? '').not.toContain('ui-');
      expect(headers.cookie ?? '').not.toMatch(/renderline_ui=(?!theirs)/);
      const { cookie = '' } = headers;
      const replayed = await fetch(`${url}runs`, { headers: { cookie, origin: url.slice(0, -1) } });
      expect(replayed.status).toBe(401);
    }

    await tab.go(first);
    await untilCards('the page, as in another tab');
    await tab.close();
    other.closeAllConnections();
    other.close();
    expect((await page.stop('SIGINT')).code).toBe(0);
  },
  120_000,
);
