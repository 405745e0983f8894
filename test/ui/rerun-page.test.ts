// The page of a rerun: the assets that it takes, and its button.
import { expect, test } from 'vitest';
import { rerunPage, type ShownRerun } from '../../src/ui/rerun-page.ts';
import { rerunOfSheets, strangeKey } from './_recent-failures.ts';

async function pageOf(shown: ShownRerun): Promise<string> {
  return String(await rerunPage('sheets-1', shown).body).replace(/\s+/g, ' ');
}

test('the page shows unfinished assets with reasons, what is reused, and the cost of the rest', async () => {
  const html = await pageOf(rerunOfSheets);
  for (const part of [
    '2 assets, 1 of them from the first step (source changed)',
    'TRUNCATED at take: &lt;i&gt;shoe&lt;/i&gt;',
    'cancelled: boot',
    '1 model, 1 render (checked first)',
    'at most 2 jobs',
    'about 9',
    'about 1 min',
    '<b>with the plan of the run</b>',
    'href="runs/sheets-1/rerun?plan=latest"',
    '<input type="hidden" name="plan" value="pinned" />',
    '<button class="main">Rerun 2 assets</button>',
  ])
    expect(html).toContain(part);
  expect(html).not.toContain(strangeKey);
});

const { shape } = rerunOfSheets;
const refused = [{ key: 'a', node: 'take', code: 'TOO_BIG', message: 'it is big', attempts: 1 }];
test.each<[string, ShownRerun, string]>([
  [
    'everything was delivered',
    { shape: { ...shape, preview: null, cost: null }, isEmpty: true },
    'Nothing to rerun: sheets-1 has delivered all its assets.',
  ],
  [
    'every source is refused',
    {
      ...rerunOfSheets,
      shape: { ...shape, preview: shape.preview && { ...shape.preview, assets: 0, refused } },
    },
    'TOO_BIG: it is big',
  ],
])('the page has no button if %s', async (_what, shown, words) => {
  const html = await pageOf(shown);
  expect(html).toContain(words);
  expect(html).not.toContain('<button');
});
