// No page has a dead link to a file or heading.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { rootPages, served, folders as siteFolders } from '../../website/.vitepress/content.ts';
import { anchorsOf, linksOf } from './_markdown-links.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Folders whose pages are checked, with their subfolders. */
const folders = ['docs', 'bench', 'workflows'];
const pages = [
  ...readdirSync(root),
  'website/index.md',
  ...folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name}`,
    ),
  ),
]
  .filter((path) => path.endsWith('.md') || path === 'llms.txt')
  .sort();
const anchors = new Map(
  pages.map((path) => [path, anchorsOf(readFileSync(join(root, path), 'utf8'))]),
);

/** Dead links as `line: link`. */
function deadLinks(page: string, text: string): string[] {
  return linksOf(text).flatMap(({ path, anchor, line }) => {
    const target =
      path === ''
        ? page
        : relative(
            root,
            resolve(root, path.startsWith('/') ? '' : dirname(page), path.replace(/^\//, '')),
          );
    const exists = path === '' || (!target.startsWith('..') && existsSync(join(root, target)));
    const known = path === '' ? anchorsOf(text) : anchors.get(target);
    const hasAnchor = anchor === '' || known === undefined || known.has(anchor);
    return exists && hasAnchor ? [] : [`${line}: ${path}${anchor === '' ? '' : `#${anchor}`}`];
  });
}

it('the search finds pages', () => {
  expect(pages.length).toBeGreaterThan(80);
});

test.each(pages)('the page %s has no dead link', (page) => {
  expect(deadLinks(page, readFileSync(join(root, page), 'utf8'))).toEqual([]);
});

describe('link targets on the site', () => {
  const isOnSite = (path: string) =>
    path.endsWith('.md')
      ? rootPages.includes(path) || siteFolders.some((folder) => path.startsWith(`${folder}/`))
      : /\.(svg|png|webp)$/.test(path) ||
        (served.some((one) => path === one || path.startsWith(`${one}/`)) &&
          extname(path) !== '') ||
        ['LICENSE', 'NOTICE'].includes(path);
  const sitePages = pages.filter((page) => page.endsWith('.md') && isOnSite(page));

  test.each(sitePages)('every link target of %s is on the site', (page) => {
    const targets = linksOf(readFileSync(join(root, page), 'utf8'))
      .filter(({ path }) => path !== '')
      .map(({ path }) => relative(root, resolve(root, dirname(page), path)));
    expect(targets.filter((target) => !isOnSite(target))).toEqual([]);
  });
});

describe('detection of dead links', () => {
  test.each([
    ['[a](nowhere.md)', ['1: nowhere.md']],
    ['[a](runs.md#no-such-heading)', ['1: runs.md#no-such-heading']],
    [
      '![a](images/none.png) <img src="images/none.svg">',
      ['1: images/none.png', '1: images/none.svg'],
    ],
    ['# A `b` heading, twice\n# A `b` heading, twice\n[a](#no)', ['3: #no']],
    ['[a](../../outside.md)', ['1: ../../outside.md']],
    ['`[a](nowhere.md)`\n```\n[a](nowhere.md)\n```', []],
    ['[a](https://example.com/nowhere) [b](runs.md) [c](nodes)', []],
  ])('dead links are found in %j', (text, dead) => {
    expect(deadLinks('docs/x.md', text)).toEqual(dead);
  });

  test('headings get the same anchors as on GitHub', () => {
    expect([...anchorsOf("# What it's for\n## `variant`: a, b\n## Again\n## Again")]).toEqual([
      'what-its-for',
      'variant-a-b',
      'again',
      'again-1',
    ]);
  });
});
