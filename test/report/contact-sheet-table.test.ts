// Contact sheets of colorway grids. Every cell has pictures or a reason why it has none, and names are escaped.
import { describe, expect, it, test } from 'vitest';
import type { ContactSheetCard, ContactSheetContent } from '../../src/report/contact-sheet-card.ts';
import { contactSheetHtml } from '../../src/report/contact-sheet-html.ts';
import { tableHtml } from '../../src/report/contact-sheet-table.ts';

const grid = { models: ['living/chair', 'table'], colorways: ['Oak', 'Moss'] };
const chairInOak = { model: 'living/chair', colorway: 'Oak' };

const none: ContactSheetCard = {
  key: 'living/chair@Oak',
  caption: '',
  width: 0,
  height: 0,
  cell: chairInOak,
};
const picture: ContactSheetCard = {
  ...none,
  width: 64,
  height: 36,
  thumbnail: Buffer.from('jpeg'),
  link: './a.png',
};

/** The cells of each row, without row headers. */
const rowsOf = (html: string) =>
  html
    .split('<tbody>')[1]
    ?.split('</tr>')
    .slice(0, -1)
    .map((row) => row.split('<td').slice(1)) ?? [];

const firstCell = (...cards: ContactSheetCard[]) => rowsOf(tableHtml(cards, grid))[0]?.[0] ?? '';

describe('a cell of a contact sheet', () => {
  it.each<[string, ContactSheetCard[], string[]]>([
    [
      'with a picture',
      [picture],
      ['href="./a.png"', 'alt="living/chair@Oak"', 'width="64" height="36"', 'loading="lazy"'],
    ],
    [
      'with several views',
      ['front', 'left'].map((caption) => ({ ...picture, caption })),
      ['class="many"', '<figcaption>front<', '<figcaption>left<', 'alt="living/chair@Oak, left"'],
    ],
    [
      'that failed',
      [{ ...none, failed: 'RENDER_FAILED: no light' }],
      ['class="bad"', '<strong>Failed</strong> RENDER_FAILED: no light<'],
    ],
    [
      'with one failed view',
      [picture, { ...none, caption: 'left', failed: 'X: y' }],
      ['<img', '<strong>Failed</strong> X: y<br><small>left<'],
    ],
    ['that was cancelled', [{ ...none, missing: 'cancelled' }], ['<p>cancelled</p>']],
    ['that is not in the table', [], ['class="none">not in the table<']],
  ])('a cell %s contains the expected HTML', (_, cards, expected) => {
    const cell = firstCell(...cards);
    for (const text of expected) expect(cell).toContain(text);
    expect(cell.includes('Failed')).toBe(cards.some(({ failed }) => failed !== undefined));
  });

  it('a long reason in a cell is shortened', () => {
    const cell = firstCell({ ...none, failed: `NO_SPACE: ${'x'.repeat(5_000)}` });
    expect(cell).toContain('x…</p>');
    expect(cell.length).toBeLessThan(400);
  });
});

describe('the table of a contact sheet', () => {
  it('the table has a row per model and a column per colorway, with row and column headers', () => {
    const html = tableHtml([picture], grid);
    expect(html).toContain(
      '<tr><th scope="col">Model</th><th scope="col">Oak</th><th scope="col">Moss</th></tr>',
    );
    expect(html).toContain('<th scope="row">living/<wbr>chair</th>');
    expect(html).toContain('<th scope="row">table</th>');
    expect(rowsOf(html).map((row) => row.map((cell) => cell.includes('<img')))).toEqual([
      [true, false],
      [false, false],
    ]);
  });

  it.each([1, 40])(
    'a table with %i colorways has the same number of cells in each row',
    (count) => {
      const colorways = Array.from({ length: count }, (_, index) => `C${index}`);
      expect(rowsOf(tableHtml([], { ...grid, colorways })).map(({ length }) => length)).toEqual([
        count,
        count,
      ]);
    },
  );
});

const content: ContactSheetContent = { title: 'Run', cards: [picture], grid };

describe('the page of a contact sheet', () => {
  it.each<[string, Partial<ContactSheetContent>, string]>([
    ['pictures', {}, '<p>2 models × 2 colorways: 1 picture</p>'],
    [
      'failures and unfinished cells',
      {
        cards: [
          { ...none, failed: 'X: y' },
          { ...none, missing: 'not done' },
        ],
      },
      '<p>2 models × 2 colorways: 0 pictures, <strong>1 failed</strong>, 1 not created</p>',
    ],
  ])('the page shows %s', (_, change, expected) => {
    expect(contactSheetHtml({ ...content, ...change })).toContain(expected);
  });

  it('the page lists items without a cell below the table', () => {
    const { cell: _cell, ...stray } = { ...none, key: 'chiar', failed: 'UNKNOWN: no such model' };
    const html = contactSheetHtml({ ...content, cards: [picture, stray] });
    const [table = '', below = ''] = html.split('</table>');
    expect(table).not.toContain('chiar');
    expect(below).toContain('<li class="failed"><div class="frame">UNKNOWN: no such model</div>');
  });

  it('the page has no table without a grid', () => {
    const { grid: _grid, ...plain } = content;
    expect(contactSheetHtml(plain)).not.toMatch(/<table|<th /);
  });
});

const evil = `"><img src=x onerror=alert('1')>&`;
const escapedEvil = '&quot;&gt;&lt;img src=x onerror=alert(&#39;1&#39;)&gt;&amp;';

test.each<[string, ContactSheetCard, Partial<typeof grid>]>([
  ['model', { ...picture, cell: { ...chairInOak, model: evil } }, { models: [evil] }],
  ['colorway', { ...picture, cell: { ...chairInOak, colorway: evil } }, { colorways: [evil] }],
  ['key', { ...picture, key: evil }, {}],
  ['caption', { ...picture, caption: evil }, {}],
  ['link', { ...picture, link: evil }, {}],
  ['reason of a failure', { ...none, failed: evil, caption: evil }, {}],
  ['reason for having no picture', { ...none, missing: evil }, {}],
])('a hostile %s is escaped', (_, card, change) => {
  const html = tableHtml([card], { ...grid, ...change });
  expect(html).toContain(escapedEvil);
  expect(html).not.toContain('<img src=x');
});
