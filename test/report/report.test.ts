// Reports. Foreign names are escaped, pages load nothing external, and their size is limited.
import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { describe, expect, it, test } from 'vitest';
import { destinationsOfFile } from '../../src/plan/run/run-memo.ts';
import { type CardSources, createCards } from '../../src/report/report-cards.ts';
import { formatCsvCell, toReportCsvPieces } from '../../src/report/report-csv.ts';
import { reportHtml } from '../../src/report/report-html.ts';
import { collect } from '../connectors/_temp-folder.ts';
import { output, report } from './_report.ts';

const evil = `"><img src=x onerror=alert(1)>'</script><script>alert(2)</script>&\u202e\u001b[31m`;

const none: CardSources = {
  previousThumbnail: async () => null,
  failedThumbnail: async () => null,
  waitingThumbnail: async () => null,
  thumbnail: async () => null,
  link: () => null,
  onProgress: () => undefined,
};

async function pageOf(fields: Parameters<typeof report>[0], sources = none): Promise<string> {
  const made = report(fields);
  const { cards, remaining: left } = await createCards(made.outputs, sources);
  return reportHtml(made, cards, left, 1);
}

describe('the page of a report', () => {
  test('the page shows the commands of a fix as code', async () => {
    const fix = 'Type `renderline approve run`.';
    const cause = { code: 'X', message: 'm', fix, kind: 'later' as const };
    const page = await pageOf({ cause, outcome: 'paused' });
    expect(page).toContain('<code class="inline">renderline approve run</code>');
    expect(page).toContain('<h2 id="paused">Paused</h2>');
  });

  test.each([
    ['written', {}, 'web/all.zip: 30 files, 12.3 MB, written by this run'],
    ['left unchanged', { isNew: false }, 'web/all.zip: 30 files, 12.3 MB, unchanged'],
    [
      'written without missing files',
      { absent: 2, altered: 1 },
      'web/all.zip: 30 files, 12.3 MB, written by this run, 2 files missing, 1 file changed after delivery',
    ],
  ])('the page shows a zip that was %s', async (_name, status, text) => {
    const zip = { path: 'web/all.zip', files: 30, bytes: 12_345_678, isNew: true };
    const page = await pageOf({ zips: [{ ...zip, absent: 0, altered: 0, ...status }] });
    expect(page).toContain(`<p>${text}</p>`);
  });

  test('the page shows a waiting picture in full size, next to the one that it would replace', async () => {
    const waits = { outcome: 'waiting' as const, path: null, waitsFor: 'shoe.png', change: 0.42 };
    const page = await pageOf(
      { outputs: [output(waits)] },
      {
        ...none,
        failedThumbnail: async () => null,
        waitingThumbnail: async () => Buffer.from('new'),
        previousThumbnail: async () => Buffer.from('old'),
      },
    );
    expect(page).toMatch(
      /<li data-s="waits for approval" data-before="[^"]+"><button class="frame"/,
    );
    expect(page).toContain('shoe.png, 42% changed, waits for approval');
    expect(page).not.toContain('class="failed"');
  });

  test.each([
    ['the same day', '2026-01-02T03:04:06Z', '03:04:06'],
    ['the next day', '2026-01-03T00:00:01Z', '2026-01-03 00:00:01'],
  ])('the page shows a step that ends on %s with its time', async (_name, until, shown) => {
    const counts = { done: 1, failed: 0, skipped: 0, requests: {}, calls: 1, busySeconds: 1 };
    const names = { step: 'take', node: 'take', within: null };
    const step = { ...names, ...counts, from: '2026-01-02T03:04:05Z', until };
    const page = await pageOf({ times: { steps: [step], shards: { read: 1, of: 1 } } });
    expect(page).toContain(`>${shown}</time>`);
  });

  const failure = { code: evil, node: evil, message: evil };
  test.each([
    ['pipeline and run', { pipeline: evil, run: evil, outcome: evil, destination: evil }],
    ['a cause', { cause: { code: evil, message: evil, fix: evil, kind: 'never' as const } }],
    [
      'an asset',
      { outputs: [output({ key: evil, path: `${evil}.png`, colorway: evil, view: evil })] },
    ],
    [
      'a failed asset',
      { outputs: [output({ key: evil, path: null, failure, outcome: 'failed' })] },
    ],
    [
      'two colorways to choose from',
      { outputs: [output({ colorway: evil, view: 'a' }), output({ colorway: 'b', view: evil })] },
    ],
    [
      'a group of failures',
      {
        failures: [
          {
            ...failure,
            count: 1,
            title: evil,
            fix: evil,
            keys: [evil],
            rerunCommand: `rerun '${evil}'`,
          },
        ],
      },
    ],
    ['a person', { people: [{ at: evil, what: 'paused' as const, by: evil, reason: evil }] }],
    ['a warning', { warnings: [{ key: evil, message: evil }], remark: evil }],
    [
      'steps and operations',
      {
        times: {
          steps: [
            {
              step: evil,
              node: evil,
              done: 1,
              failed: 0,
              skipped: 0,
              requests: {},
              calls: 1,
              within: evil,
              from: evil,
              until: evil,
              busySeconds: 1,
            },
          ],
          shards: { read: 1, of: 1 },
        },
        requests: { total: 1, planned: 1, byOperation: [{ operation: evil, sent: 1, planned: 1 }] },
      },
    ],
    ['an address', { temporalUi: 'javascript:alert(1)' }],
  ])('the page escapes %s', async (_name, fields) => {
    const page = await pageOf(fields, { ...none, link: (path) => path });
    expect(page).not.toContain('<img src=x');
    expect(page).not.toContain('<script>alert');
    expect(page).not.toMatch(/href="javascript:/);
    for (const sign of ['\u202e', '\u001b']) expect(page).not.toContain(sign);
    // The page contains only its own script.
    expect(page.match(/<script/g)).toHaveLength(1);
  });

  it('the page shows unknown numbers of requests as unknown', async () => {
    const byOperation = [{ operation: 'createJob', sent: null, planned: 2 }];
    const page = await pageOf({ requests: { total: null, planned: 2, byOperation } });
    expect(page).toContain('unknown (about 2 planned)');
    expect(page.match(/>unknown</g)).toHaveLength(2);
  });

  it('the page runs only its own script and style, and loads nothing from other hosts', async () => {
    const page = await pageOf({ outputs: [output()] });
    const [, policy = ''] = /Content-Security-Policy" content="([^"]+)"/.exec(page) ?? [];
    for (const tag of ['script', 'style']) {
      const [, text = ''] = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(page) ?? [];
      const hash = createHash('sha256').update(text).digest('base64');
      expect(policy).toContain(`${tag}-src 'sha256-${hash}'`);
    }
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(page).not.toMatch(/style="|onclick=|src="http/);
  });

  it('the page has alternative text, a label for the gallery, and labels for controls', async () => {
    const link = (path: string) => `./${path}`;
    const outputs = [
      output({ colorway: 'Oak', view: 'front' }),
      output({ key: 'hat', path: 'hat.png', colorway: 'Ash', view: 'back' }),
    ];
    const page = await pageOf({ outputs }, { ...none, link });
    expect(page).toContain('alt="shoe, Oak, front"');
    expect(page).toContain('<ul id="gallery" aria-label="Pictures">');
    expect(page).toContain('<label>Colorway<select name="colorway">');
    expect(page).toContain('<option>Ash</option><option>Oak</option>');
    expect(page).toContain('<main>');
    expect(page).toContain('lang="en"');
    expect(page.match(/<img (?![^>]*alt=)/)).toBeNull();
  });

  it('the page shows each cause with its rerun command', async () => {
    const rerunCommand = `renderline rerun r --failed --where 'code == "A"'`;
    const cause = { code: 'A', node: 'take', count: 2, title: 'T', message: 'M', fix: 'F' };
    const page = await pageOf({ failures: [{ ...cause, keys: ['a', 'b'], rerunCommand }] });
    expect(page).toContain('A at take: 2 assets');
    expect(page).toContain(
      '<code>renderline rerun r --failed --where &#39;code == &quot;A&quot;&#39;</code>',
    );
  });

  it('failed shards are counted as shards', async () => {
    const reason = { code: 'SHARD_FAILED', node: '', title: 'T', message: 'M', fix: 'F' };
    const cause = { ...reason, count: 1, keys: ['catalog-1/shard-0001'], rerunCommand: null };
    const page = await pageOf({ failures: [cause] });
    expect(page).toContain('SHARD_FAILED: 1 shard<');
    expect(page).toContain('<summary>Shards</summary><p class="keys">catalog-1/shard-0001</p>');
  });
});

describe('thumbnails of a report', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => output({ key: `k${at}`, path: `k${at}.png` }));

  it('thumbnails are embedded up to a maximum total size, after which the files themselves are linked', async () => {
    const big = Buffer.alloc(1024 ** 2);
    const sources = { ...none, thumbnail: async () => big, link: (path: string) => `./${path}` };
    const { cards } = await createCards(many(40), sources);
    const embedded = cards.filter(({ card }) => card.thumbnail !== undefined);
    expect(embedded.length).toBeGreaterThanOrEqual(16);
    expect(embedded.length).toBeLessThanOrEqual(17);
    expect(cards.at(-1)?.card.source).toBe('./k39.png');
  });

  it.each([
    [false, 12],
    [true, 4],
  ])(
    'thumbnails of waiting pictures leave space for failures (changed pictures too: %s)',
    async (isChanged, count) => {
      const big = async () => Buffer.alloc(1024 ** 2);
      const all = {
        ...none,
        thumbnail: big,
        waitingThumbnail: big,
        failedThumbnail: big,
        ...(isChanged ? { previousThumbnail: big } : {}),
      };
      const failure = { code: 'A', node: 'take', message: 'broken' };
      const waiting = many(40).map((one) => ({
        ...one,
        waitsFor: 'approval' as const,
        change: 0.5,
      }));
      const failed = many(40).map((one) => ({ ...one, path: null, failure }));
      const { cards } = await createCards([...waiting, ...failed, ...many(40)], all);
      const counts = [cards.slice(0, 40), cards.slice(40, 80), cards.slice(80)].map(
        (some) => some.filter(({ card }) => card.thumbnail !== undefined).length,
      );
      expect(counts).toEqual([count, 4, 0]);
    },
  );

  it('thumbnails and links refer to the right file if two exports deliver the same path', async () => {
    const exports = ['web', 'shop'].map((delivery) => ({
      node: delivery,
      delivery,
      location: { type: 'local', path: `/${delivery}` },
    }));
    const fileOf = (path: string | null, delivery: string | undefined) => {
      const [place] = destinationsOfFile([{ type: 'local', path: '/web' }], exports, delivery);
      return `${place?.['path'] === '/shop' ? '/shop' : '/web'}/${path}`;
    };
    const outputs = ['web', 'shop.row'].map((delivery) => output({ path: 'a.png', delivery }));
    const { cards } = await createCards(outputs, {
      ...none,
      thumbnail: async ({ path, delivery }) => Buffer.from(fileOf(path, delivery)),
      link: fileOf,
    });
    expect(cards.map(({ card }) => [card.link, String(card.thumbnail)])).toEqual([
      ['/web/a.png', '/web/a.png'],
      ['/shop/a.png', '/shop/a.png'],
    ]);
  });

  it('thumbnails are created for at most 1,500 pictures, while up to 10,000 have cards', async () => {
    let made = 0;
    const thumbnail = async () => {
      made += 1;
      return Buffer.alloc(1);
    };
    const { cards, remaining: left } = await createCards(many(10_001), { ...none, thumbnail });
    expect([made, cards.length, left]).toEqual([1_500, 10_000, 1]);
  });

  test.each([
    ['a video', 'a.mp4', 0, 'MP4'],
    ['a document', 'a.pdf', 0, 'PDF'],
    ['a picture that browsers cannot display', 'a.tif', 64, 'TIF'],
  ])('thumbnails are replaced with the file type for %s', async (_name, path, width, type) => {
    const { cards } = await createCards([output({ path, width })], { ...none, link: (to) => to });
    expect(cards[0]?.card).toMatchObject({ missing: type, link: path });
  });
});

describe('the CSV of a report', () => {
  it('the CSV has one line per file and failure, with unchanged values', async () => {
    const failure = { code: 'A', node: 'take', message: 'broken, "so"' };
    const outputs = [output(), output({ key: 'b', path: null, outcome: 'failed', failure })];
    const text = (await collect(toReportCsvPieces({ outputs }))).join('');
    expect(text.startsWith('\uFEFFkey,')).toBe(true);
    expect(parse(text, { bom: true, columns: true })).toMatchObject([
      { key: 'shoe', outcome: 'complete', path: 'shoe.png', width: '64', bytes: '1000', code: '' },
      { key: 'b', outcome: 'failed', path: '', code: 'A', message: 'broken, "so"' },
    ]);
  });

  test.each([
    ['=1+1', "'=1+1"],
    ['a;=1+1', `"a;'=1+1"`],
    ['a; @x;b', `"a;' @x;b"`],
    ['\uFF1D1+1', "'\uFF1D1+1"],
    ['\u200B=1+1', "'\u200B=1+1"],
    ['\u00A0-1', "'\u00A0-1"],
    ['a=1;b', '"a=1;b"'],
    ['@x', "'@x"],
    // Between semicolons, empty quotes are skipped. The content of the cell starts after them.
    ['a;"=1+1;', `"a;'""=1+1;"`],
    ['"=1+1', `"'""=1+1"`],
    [`${' '.repeat(300)}=1+1`, `'${' '.repeat(300)}=1+1`],
    ['\u22121', "'\u22121"],
    ['\uFE66\uFE62', "'\uFE66\uFE62"],
    ['-2', "'-2"],
    ['+a,b', `"'+a,b"`],
    ['a\nb', 'a b'],
    ['plain', 'plain'],
    [null, ''],
    [-2, '-2'],
  ])('the text %j is written as %s, on one line and not as a formula', (value, text) => {
    expect(formatCsvCell(value)).toBe(text);
  });
});
