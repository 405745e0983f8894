// Contact sheets contain all items, escaped values, failures with reasons, and no external resources.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ContactSheet,
  type ContactSheetItem,
  writeContactSheet,
} from '../../src/report/contact-sheet.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sheet-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function picture(
  name: string,
  width = 64,
  height = 36,
  background = '#336699',
): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  const image = sharp({ create: { width, height, channels: 3, background } });
  await (name.endsWith('.tiff') ? image.toColourspace('rgb16').tiff() : image.png()).toFile(path);
  return path;
}

async function sheetOf(
  items: readonly ContactSheetItem[],
  title = 'Spring run',
  grid?: ContactSheet['grid'],
) {
  const out = join(folder, 'report');
  const files = await writeContactSheet(out, { title, items, ...(grid ? { grid } : {}) });
  return { ...files, text: await readFile(files.html, 'utf8') };
}

const failure: ContactSheetItem = {
  key: 'b',
  caption: '',
  width: 0,
  height: 0,
  failed: 'TRUNCATED: cut off',
};

describe('the page of a contact sheet', () => {
  it('the page shows pictures with key, caption, size and a link', async () => {
    const path = await picture('out/shoe 1#?.png');
    const { text } = await sheetOf([
      { key: 'shoes/shoe-1', path, caption: 'beach', width: 64, height: 36 },
    ]);
    expect(text).toContain('<div class="key">shoes/shoe-1</div>');
    expect(text).toContain('<div class="caption">beach</div>');
    expect(text).toContain('64 × 36');
    expect(text).toContain('href="../out/shoe%201%23%3F.png"');
    expect(text).toContain('src="data:image/jpeg;base64,/9j/');
    expect(text).toContain('<p>1 picture</p>');
  });

  it('the page links to pictures in its folder', async () => {
    const path = await picture('report/a:b.png');
    const { text } = await sheetOf([{ key: 'a', caption: '', path, width: 1, height: 1 }]);
    expect(text).toContain('href="./a%3Ab.png"');
  });

  it('the page shows failures with their reasons', async () => {
    const { text } = await sheetOf([failure]);
    expect(text).toContain('<li class="failed"><div class="frame">TRUNCATED: cut off</div>');
    expect(text).toContain('<p>0 pictures, <strong>1 failed</strong></p>');
  });

  it.each([
    ['gone', undefined],
    ['damaged', 'not a picture'],
  ])('the page shows a picture that is %s as a failure', async (_, content) => {
    const path = join(folder, 'x.png');
    if (content !== undefined) await writeFile(path, content);
    const { text } = await sheetOf([{ key: 'x', caption: '', path, width: 9, height: 9 }]);
    expect(text).toContain('The picture cannot be read.');
  });

  it('the page shows a truncated picture as a failure', async () => {
    const path = await picture('cut.png', 400, 400);
    await writeFile(path, (await readFile(path)).subarray(0, 120));
    const { text } = await sheetOf([{ key: 'x', caption: '', path, width: 9, height: 9 }]);
    expect(text).toContain('The picture cannot be read.');
  });

  it.each(['title', 'key', 'caption', 'failed'] as const)(
    'the page escapes the %s',
    async (field) => {
      const evil = `"><script>alert('1')</script>&`;
      const path = await picture('a.png');
      const good: ContactSheetItem = { key: 'a', path, caption: 'c', width: 1, height: 1 };
      const items = field === 'title' ? [good] : [{ ...good, [field]: evil }];
      const { text } = await sheetOf(items, field === 'title' ? evil : 'Run');
      expect(text).not.toContain('<script');
      expect(text).toContain('&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;');
    },
  );

  it('the page allows only its own style and embedded pictures', async () => {
    const { text } = await sheetOf([failure]);
    expect(text).toMatch(
      /Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-[\w+/=]+'/,
    );
    expect(text).not.toMatch(/src="(?!data:)|@import|url\(/);
    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? '';
    const { createHash } = await import('node:crypto');
    expect(text).toContain(`sha256-${createHash('sha256').update(style).digest('base64')}`);
  });

  it('the page embeds only small copies', async () => {
    const path = await picture('big.png', 4000, 3000);
    const { text } = await sheetOf([{ key: 'a', caption: '', path, width: 4000, height: 3000 }]);
    const data = /base64,([^"]+)"/.exec(text)?.[1] ?? '';
    const info = await sharp(Buffer.from(data, 'base64')).metadata();
    expect([info.width, info.height]).toEqual([360, 270]);
  });

  it('the page shows 16-bit TIFF files', async () => {
    const path = await picture('deep.tiff', 40, 40, '#ff0000');
    const { text } = await sheetOf([{ key: 'a', caption: '', path, width: 40, height: 40 }]);
    expect(text).toContain('data:image/jpeg');
  });
});

describe('the picture of a contact sheet', () => {
  it('the picture shows the pictures of a run in a grid', async () => {
    const red = await picture('red.png', 160, 90, '#ff0000');
    const blue = await picture('blue.png', 160, 90, '#0000ff');
    const items = [red, blue].map((path, index) => ({
      key: `k${index}`,
      caption: '',
      path,
      width: 160,
      height: 90,
    }));
    const { png } = await sheetOf(items);
    const { data, info } = await sharp(png)
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const at = (x: number, y: number): number[] => [
      ...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3),
    ];
    const left = at(24 + 160, 96 + 90);
    const right = at(24 + 344 + 160, 96 + 90);
    expect(left[0]).toBeGreaterThan(240);
    expect(left[2]).toBeLessThan(20);
    expect(right[2]).toBeGreaterThan(240);
    expect(right[0]).toBeLessThan(20);
  });

  it('the picture keeps a long reason inside its frame', async () => {
    const path = await picture('wide.png', 160, 90);
    const good = { key: 'a', caption: '', path, width: 160, height: 90 };
    const { png } = await sheetOf([good, { ...failure, failed: 'more of it '.repeat(60) }]);
    // The text is between the frame, which is 180 px high, and the first line below it.
    const gap = sharp(png).extract({ left: 24 + 344, top: 96 + 180, width: 320, height: 10 });
    const { channels } = await sharp(await gap.toBuffer()).stats();
    expect(channels.slice(0, 3).map(({ min, max }) => max - min)).toEqual([0, 0, 0]);
  });

  it.each([0, 1, 7])('the picture is drawn for %d items', async (count) => {
    const items = Array.from({ length: count }, (_, index) => ({
      ...failure,
      key: `a key that is rather long for such a small label ${index}`,
      failed: 'NO_SPACE: '.repeat(200) + 'x'.repeat(300),
    }));
    const { png } = await sheetOf(items, 'T'.repeat(300));
    const info = await sharp(png).metadata();
    expect(info.width).toBeGreaterThan(600);
    expect(info.height).toBeGreaterThan(300);
  });
});

describe('a grid in a contact sheet', () => {
  /** A grid with this number of models and colorways, all of which failed. */
  function gridOf(modelCount: number, colorwayCount: number) {
    const names = (count: number, name: string) =>
      Array.from({ length: count }, (_, index) => `${name}${index}`);
    const grid = { models: names(modelCount, 'm'), colorways: names(colorwayCount, 'c') };
    const items = grid.models.flatMap((model) =>
      grid.colorways.map((colorway) => ({ ...failure, cell: { model, colorway } })),
    );
    return { grid, items };
  }

  it.each([
    [0, 0, 2],
    [1, 1, 2],
    [3, 5, 5],
    [3, 8, 8],
  ])('a grid of %i × %i has %i columns in its picture', async (models, colorways, columns) => {
    const { grid, items } = gridOf(models, colorways);
    const { png } = await sheetOf(items, 'Run', grid);
    expect((await sharp(png).metadata()).width).toBe(columns * 344 + 24);
  });

  it('a grid is drawn with each picture in its cell', async () => {
    const path = await picture('red.png', 160, 90, '#ff0000');
    const grid = { models: ['a', 'b'], colorways: ['Oak', 'Moss'] };
    const cell = { model: 'b', colorway: 'Moss' };
    const item = { key: 'b@Moss', caption: '', path, width: 160, height: 90, cell };
    const failed = { ...failure, cell };
    const { png } = await sheetOf([failed, item], 'Run', grid);
    const { data, info } = await sharp(png)
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const step = (info.height - 96) / 2;
    const isRed = (column: number, row: number) => {
      const at = ((96 + row * step + 20) * info.width + 24 + column * 344 + 160) * 3;
      return (data[at] ?? 0) > 240 && (data[at + 1] ?? 0) < 20;
    };
    const cells = [0, 1].flatMap((row) => [isRed(0, row), isRed(1, row)]);
    expect(cells).toEqual([false, false, false, true]);
  });
});
