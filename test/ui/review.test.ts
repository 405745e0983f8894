// The page on which pictures are approved and rejected: its contents, its pictures, and the decisions that it sends.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EarlierDecision } from '../../src/app/approvals/decide.ts';
import { markOfAsset } from '../../src/app/approvals/review.ts';
import { nameOfWaiting, type WaitingAsset } from '../../src/app/runs/waiting-assets.ts';
import { DeliveredFiles } from '../../src/ui/delivered-files.ts';
import { assetsPerPage, connectorIdOf, verdictPrefix } from '../../src/ui/review-page.ts';
import { createUiRoutes } from '../../src/ui/routes.ts';
import type { UiUseCases } from '../../src/ui/use-cases.ts';
import { folderWith } from '../cli/_folder.ts';
import { ownVisitor } from './_visitor.ts';

const base = '/ui-base/';
const strange = `<script>alert("&'")</script>`;

function pages(
  keys: readonly string[] = ['chair', strange],
  earlier: EarlierDecision[] = [],
  path = 'chair.png',
) {
  const root = folderWith({});
  for (const [folder, text] of [
    ['review', 'new'],
    ['out', 'old'],
  ] as const) {
    mkdirSync(join(root, folder));
    writeFileSync(join(root, folder, 'chair.png'), text);
    writeFileSync(join(root, folder, 'secret.png'), 'secret');
  }
  const review = { type: 'local', path: join(root, 'review') };
  const out = { type: 'local', path: join(root, 'out') };
  const picture = { path, width: 8, height: 8 };
  const waiting = keys.map((key, index): WaitingAsset => {
    const before = index === 0 ? { before: { connector: out, path: 'chair.png' } } : {};
    return { key, shard: 0, node: 'look', review, pictures: [{ ...picture, ...before }] };
  });
  const decided: unknown[] = [];
  const asked: unknown[] = [];
  const useCases = {
    waiting: async (_run: string, where?: string) => {
      asked.push(where);
      return waiting;
    },
    decide: async (run: string, { verdicts, ...more }: Parameters<UiUseCases['decide']>[1]) => {
      decided.push({ run, verdicts: Object.fromEntries(verdicts), ...more });
      return earlier;
    },
  } as unknown as UiUseCases;
  const app = createUiRoutes({
    useCases,
    files: new DeliveredFiles({}),
    paths: [],
    visitor: ownVisitor(base),
  });
  const call = async (path: string, body?: Record<string, string>) => {
    const sent = body ? { method: 'POST', body: new URLSearchParams(body) } : {};
    const response = await app.request(`http://127.0.0.1${base}runs/r-1/review${path}`, sent);
    return { response, text: await response.text() };
  };
  return { call, decided, asked, review, out };
}

const field = (key: string) => `${verdictPrefix}${nameOfWaiting({ node: 'look', key })}`;

describe('the page', () => {
  test('the page shows each asset before and after, with three choices, without a preselection', async () => {
    const { call, review, out } = pages();
    const { text } = await call('');
    expect(text).toContain('2 assets are waiting for your decision.');
    expect(text).toMatch(
      new RegExp(
        `${connectorIdOf(out)}/chair.png" alt="Before".*${connectorIdOf(review)}/chair.png" alt="After"`,
        's',
      ),
    );
    for (const verdict of ['approve', 'reject', 'wait'])
      expect(text.match(new RegExp(`value="${verdict}" />`, 'g'))).toHaveLength(2);
    expect(text).not.toContain('<script>alert');
  });

  test('a name that changes the direction of text is sent back unchanged', async () => {
    const key = 'a\u202egnp';
    const { text } = await pages([key]).call('');
    expect(text).toContain('<b>agnp</b>');
    expect(text).toContain(`name="${field(key).replaceAll('"', '&quot;')}"`);
  });

  test('the page states if no asset is waiting', async () => {
    expect((await pages([]).call('')).text).toContain('No asset is waiting for a decision.');
  });

  test('the page shows the assets that match a condition, which is kept with the decisions', async () => {
    const { call, asked } = pages();
    const { text } = await call('?where=view+%3D%3D+%22front%22');
    expect(asked).toEqual(['view == "front"']);
    expect(text).toContain('type="hidden" name="where" value="view == &quot;front&quot;"');
  });

  test('the page states if no asset matches the condition, and links to all assets', async () => {
    const { text } = await pages([]).call(`?where=${encodeURIComponent(strange)}`);
    expect(text).toContain('No waiting asset meets the condition');
    expect(text).toMatch(/<a href="runs\/r-1\/review">Show all/);
    expect(text).not.toContain('<script>alert');
  });

  test('the page sends marks of all waiting assets, so that no others are approved unseen', async () => {
    const keys = Array.from({ length: assetsPerPage + 1 }, (_, index) => `asset-${index}`);
    const marks = keys.map((key) => markOfAsset({ node: 'look', key })).join('.');
    const { text } = await pages(keys).call('?page=2');
    expect(text).toContain(`type="hidden" name="seen" value="${marks}"`);
  });

  test('the page shows a preview of pictures that browsers cannot display', async () => {
    const { call } = pages(['chair'], [], 'chair.tif');
    expect((await call('')).text).toMatch(/src="[^"]*chair\.tif\?preview"/);
  });

  test('the page shows only a few assets, since the pictures are large', async () => {
    const keys = Array.from({ length: assetsPerPage + 1 }, (_, index) => `asset-${index}`);
    const { call } = pages(keys);
    expect((await call('')).text.match(/data-asset/g)).toHaveLength(assetsPerPage);
    expect((await call('?page=2')).text.match(/data-asset/g)).toHaveLength(1);
    expect((await call('?page=-1')).text).toContain('1 of 2');
  });
});

describe('pictures', () => {
  test('pictures are served if they are waiting or would be replaced', async () => {
    const { call, review, out } = pages();
    expect((await call(`/file/${connectorIdOf(review)}/chair.png`)).text).toBe('new');
    expect((await call(`/file/${connectorIdOf(out)}/chair.png`)).text).toBe('old');
  });

  test.each(['secret.png', '../out/secret.png', 'chair.png/..'])(
    'pictures are not served from the path %s',
    async (path) => {
      const { call, review } = pages();
      const { response } = await call(`/file/${connectorIdOf(review)}/${path}`);
      expect(response.status).toBe(404);
    },
  );
});

describe('decisions', () => {
  test.each<[string, Record<string, string>, object]>([
    [
      'include the selected choices',
      { [field('chair')]: 'approve' },
      { verdicts: { [nameOfWaiting({ node: 'look', key: 'chair' })]: 'approve' }, rest: 'wait' },
    ],
    [
      'include one asset that is left for later, and approvals of all others',
      { [field(strange)]: 'wait', rest: 'approve' },
      { verdicts: { [nameOfWaiting({ node: 'look', key: strange })]: 'wait' }, rest: 'approve' },
    ],
    [
      'include a rejection with its reason',
      { [field('chair')]: 'reject', reason: ' too dark ' },
      {
        verdicts: { [nameOfWaiting({ node: 'look', key: 'chair' })]: 'reject' },
        rest: 'wait',
        reason: 'too dark',
      },
    ],
    [
      'include one rejection, and approvals of all others',
      { [field('chair')]: 'reject', reason: 'too dark', rest: 'approve' },
      {
        verdicts: { [nameOfWaiting({ node: 'look', key: 'chair' })]: 'reject' },
        rest: 'approve',
        reason: 'too dark',
      },
    ],
    [
      'include all assets that match a condition',
      { rest: 'approve', where: 'view == "front"', seen: 'a1.b2' },
      {
        verdicts: {},
        rest: 'approve',
        where: 'view == "front"',
        seen: new Set(['a1', 'b2']),
      },
    ],
    ['ignore fields that are not a decision', { other: 'approve' }, { verdicts: {}, rest: 'wait' }],
  ])('decisions %s', async (_what, body, expected) => {
    const { call, decided } = pages();
    const { response } = await call('', body);
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      `${base}runs/r-1/review`,
    ]);
    const nothing = { reason: undefined, where: undefined, seen: new Set() };
    expect(decided).toEqual([{ run: 'r-1', ...nothing, ...expected }]);
  });

  test('a decision that comes too late shows who decided first, and the existing decision', async () => {
    const note = { by: strange, at: '2026-11-27T20:00:00.000Z', reason: strange };
    const first = { key: strange, node: 'look', outcome: 'rejected' as const, ...note };
    const { call } = pages(undefined, [first]);
    const { response, text } = await call('', { [field(strange)]: 'approve' });
    expect(response.status).toBe(200);
    expect(text).toContain(
      'Somebody else has already decided about these assets. Their decisions stand:',
    );
    expect(text).toMatch(/rejected by &lt;script&gt;/);
    expect(text).not.toContain('<script>alert');
  });
});
