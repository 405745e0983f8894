// Parts of `week.test.ts`: the pipeline, the decisions of people, a shop and a receiver of notices.
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { nameOfWaiting } from '../../src/app/runs/waiting-assets.ts';
import type { SentNotice } from '../../src/plan/contract/notice-contract.ts';
import { listen } from '../../src/settings/http-server.ts';
import { verdictPrefix } from '../../src/ui/review-page.ts';
import { nodesToTemplate } from '../system/_runs.ts';
import { chromium, openTab } from './_browser.ts';

export const pipeline = (notices: string) => `name: nightly
schedule:
  cron: "30 2 * * *"
  timezone: Europe/Berlin
  jitter: 0s
  clockChange: { missing: next }
  except: [2027-03-26, { connector: office, path: holidays.ics }]
deadline: { at: "12:00", timezone: Europe/Berlin }
limits: { renders: { perMonth: 9, timezone: Europe/Berlin, onBreach: wait } }
start: { http: { secretFrom: RENDERLINE_SECRET_SHOP } }
notify:
  - { url: ${notices}/berta, secretFrom: RENDERLINE_SECRET_NOTICE, on: [waiting], link: { for: Berta Lang, within: 24h } }
  - { url: ${notices}/carl, secretFrom: RENDERLINE_SECRET_NOTICE, on: [waiting], link: { for: Carl Ott, within: 24h } }
  - { url: ${notices}/studio, secretFrom: RENDERLINE_SECRET_NOTICE, on: [late, complete, partial_failure, failed] }
connectors:
  office: { type: local, path: office }
  models: { type: local, path: models }
  review: { type: local, path: review }
  shop: { type: local, path: shop }
${nodesToTemplate}  - id: shots
    type: render
    parentIds: [look]
    config: { settings: { renderShots: false, renderVariants: false } }
  - { id: judge, type: approval, parentIds: [shots], config: { review: review }, timeout: 3d }
  - { id: deliver, type: export, parentIds: [judge], config: { connector: shop, naming: "{{ key }}.{{ ext }}" } }
`;

export const easterMonday = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'BEGIN:VEVENT',
  'UID:easter-monday',
  'DTSTART;VALUE=DATE:20270329',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

/** A shop's program, written with the how-to page; prints the response. */
export const shopScript = `
import { createHmac } from 'node:crypto';
const path = '/pipelines/nightly/runs';
const { BASE, KEY, SECRET } = process.env;
const now = Math.floor(Date.now() / 1000);
const signed = [now, 'POST', path, KEY, '{}'].join('\\n');
const answer = await fetch(BASE + path, {
  method: 'POST',
  body: '{}',
  headers: {
    'content-type': 'application/json',
    'idempotency-key': KEY,
    'renderline-timestamp': String(now),
    'renderline-signature': 'v1=' + createHmac('sha256', SECRET).update(signed).digest('hex'),
  },
});
console.log(JSON.stringify({ status: answer.status, ...(await answer.json()) }));
`;

export interface ShopAnswer {
  status: number;
  run?: string;
  code?: string;
  detail?: string;
}

export interface Told {
  to: string;
  type: string;
  data: SentNotice;
}

/** A receiver of notices, as a studio has one. */
export async function receiveNotices(): Promise<{ origin: string; told: Told[] }> {
  const told: Told[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      told.push({ to: (request.url ?? '').slice(1), ...(JSON.parse(body) as Omit<Told, 'to'>) });
      response.end();
    });
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${port}`, told };
}

export interface Decision {
  reject: string[];
  reason: string;
}

/** Opens a link, and decides on the page with clicks. */
export async function decideInBrowser(url: string, { reject, reason }: Decision): Promise<void> {
  const tab = await openTab(chromium ?? '');
  const shows = (text: string) =>
    tab.until(`it shows ${text}`, `document.body.textContent.includes(${JSON.stringify(text)})`);
  await tab.go(url);
  await shows('waiting for your decision');
  const loaded = `[...document.images].every(({ naturalWidth }) => naturalWidth > 0) && document.images.length > 0`;
  await tab.until('the pictures are there', loaded);
  for (const key of reject)
    await tab.value(`document.querySelector('[aria-label=${key}] input[value=reject]').click()`);
  await tab.value(`document.querySelector('input[name=reason]').value = ${JSON.stringify(reason)}`);
  await tab.value(`document.querySelector('button[name=rest]').click()`);
  await shows('Thank you');
  await tab.close();
}

/** Sends the form of a link as a browser would. */
export async function decideByForm(
  url: string,
  run: string,
  { reject, reason }: Decision,
): Promise<void> {
  const page = new URL(`runs/${run}/review`, url);
  const shown = await (await fetch(page)).text();
  const seen = /name="seen" value="([^"]*)"/.exec(shown)?.[1] ?? '';
  const verdicts = reject.map((key): [string, string] => [
    `${verdictPrefix}${nameOfWaiting({ node: 'judge', key })}`,
    'reject',
  ]);
  const body = new URLSearchParams([
    ...verdicts,
    ['reason', reason],
    ['rest', 'approve'],
    ['seen', seen],
  ]);
  const sent = await fetch(page, { method: 'POST', body, headers: { origin: page.origin } });
  expect([sent.status, await sent.text()]).toEqual([200, expect.stringContaining('Thank you')]);
}

/** Renders that the quota of the pipeline has counted in a month. */
export async function usedIn(folder: string, month: string): Promise<number> {
  const entries = (await readdir(folder, { recursive: true })).filter((path) =>
    path.includes(`/renders/${month}/`),
  );
  const last = entries.sort().at(-1) ?? '';
  return (JSON.parse(await readFile(join(folder, last), 'utf8')) as { used: number }).used;
}
