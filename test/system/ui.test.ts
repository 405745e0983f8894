// `renderline ui` as a person uses it: a pipeline is chosen, planned, started, approved by its pictures, and followed to its end.
import { appendFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from './_here.ts';
import { names, writeModels } from './_models.ts';
import { expectPictures, makePlace, reportOf, useProduct } from './_runs.ts';
import { start, until, useProcesses } from './_stack.ts';
import { useDevServer } from './_temporal.ts';

const temporal = useDevServer();
useProcesses();
const product = useProduct(temporal);

test('a run is planned, started, approved and followed on the page', async () => {
  const { env } = product;
  const place = await makePlace('page');
  await appendFile(place.file, 'canary: { assets: 1, timeout: 1h }\n');
  const keys = names('page', 3);
  await writeModels(place.folder, keys);

  const page = start(['ui', place.file, '--port', '0', '--json'], env, dirname(place.file));
  await page.says('}');
  const { url, token } = JSON.parse(page.stdout()) as { url: string; token: string };
  const origin = url.replace(/\/$/, '');
  const entered = await fetch(`${url}?token=${token}`, { redirect: 'manual' });
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  const ask = async (path: string, body?: Record<string, string>) => {
    const answer = await fetch(`${origin}${path}`, {
      redirect: 'manual',
      headers: { cookie, origin },
      ...(body ? { method: 'POST', body: new URLSearchParams(body) } : {}),
    });
    return { answer, text: await answer.text(), to: answer.headers.get('location') ?? '' };
  };

  const form = { file: place.file, 'param.folder': place.folder, 'param.out': place.out };
  expect((await ask('/plan', form)).text).toContain('3 assets: 3 new');
  const { to } = await ask('/start', form);
  expect(to).toMatch(/^\/runs\/pictures-/);
  await until('it asks', async () => (await ask(to)).text.includes('It waits for your approval'));
  const shown = (await ask(to)).text;
  const [, picture = ''] = /<img[^>]+src="([^"]+)"/.exec(shown) ?? [];
  const thumbnail = await fetch(`${origin}${picture.replaceAll('&amp;', '&')}`, {
    headers: { cookie },
  });
  expect([thumbnail.status, thumbnail.headers.get('content-type')]).toEqual([200, 'image/jpeg']);

  expect((await ask(`${to}/approve`, {})).answer.status).toBe(303);
  const run = to.replace('/runs/', '');
  await expectPictures(reportOf(await runHere(['show', run, '--wait', '--json'], env)), keys);
  const after = (await ask(to)).text;
  expect(after).toContain('3 of 3 complete');
  expect(after).not.toContain('data-live');
  expect((await ask('/runs')).text).toContain(run);
  expect((await page.stop('SIGINT')).code).toBe(0);
}, 120_000);
