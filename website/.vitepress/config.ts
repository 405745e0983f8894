// The documentation site: the unchanged Markdown files of the repository, with one navigation. Dead links fail the
// build.
import { cpSync, rmSync, statSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig, type MarkdownRenderer } from 'vitepress';
import { folders, rootPages, served } from './content.ts';
import { sidebar } from './sidebar.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = fileURLToPath(new URL('../pages', import.meta.url));

// Pages resolve packages from their own folder, so they are copied to the folder where the packages are installed.
rmSync(pages, { recursive: true, force: true });
for (const name of [...rootPages, ...folders]) {
  cpSync(join(root, name), join(pages, name), { recursive: true, filter: isPage });
}
cpSync(join(root, 'website/index.md'), join(pages, 'index.md'));

export default defineConfig({
  title: 'Renderline',
  description: 'Pipelines in YAML become durable runs that take 3D models to finished pictures.',
  srcDir: './pages',
  outDir: './dist',
  base: process.env['DOCS_BASE'] ?? '/',
  lastUpdated: false,
  // Other files next to the pages are not pages of the site. `buildEnd` copies them.
  ignoreDeadLinks: [/\.(ya?ml|csv|json|js|ts|txt|html)$/, /\/(LICENSE|NOTICE)$/],
  head: [['link', { rel: 'icon', href: `${process.env['DOCS_BASE'] ?? '/'}docs/images/mark.svg` }]],
  markdown: {
    theme: { light: 'github-light', dark: 'github-dark' },
    config: asGitHub,
    anchor: { slugify: anchorAsGitHub },
  },
  vite: { publicDir: false, plugins: [freshPages()] },
  themeConfig: {
    logo: '/docs/images/mark.svg',
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/docs/tutorial' },
      { text: 'How-to', link: '/docs/how-to/README' },
      { text: 'Reference', link: '/docs/nodes/README' },
      { text: 'Architecture', link: '/docs/architecture' },
    ],
    sidebar: sidebar(root),
    footer: { message: 'Apache-2.0' },
  },
  async buildEnd({ outDir }) {
    for (const name of served) await cp(join(root, name), join(outDir, name), { recursive: true });
  },
});

/** Pages are written for GitHub, so `<name>` and `{{ key }}` in their text are not markup of Vue. */
function asGitHub(md: MarkdownRenderer): void {
  const known = /^<(?:!--|\/?(?:picture|source|img|br|p|a|sub|sup|details|summary)\b)/;
  const plain = (text = '') => md.utils.escapeHtml(text).replaceAll('{{', '&#123;&#123;');
  const { rules } = md.renderer;
  for (const kind of ['html_inline', 'html_block'] as const) {
    rules[kind] = (tokens, index) => {
      const text = tokens[index]?.content ?? '';
      return known.test(text.trimStart()) ? text : plain(text);
    };
  }
  // VitePress treats files without an extension as pages.
  const link = rules['link_open'];
  rules['link_open'] = (...given) => link?.(...given).replace(/(LICENSE|NOTICE)\.html/, '$1') ?? '';
  rules['text'] = (tokens, index) => plain(tokens[index]?.content);
  rules['code_inline'] = (tokens, index) => `<code v-pre>${plain(tokens[index]?.content)}</code>`;
}

/** Links in the pages use the anchors that GitHub creates for headings. */
function anchorAsGitHub(heading: string): string {
  const plain = heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
  return plain.replaceAll(/\s/g, '-');
}

/** True for folders, pages and pictures. */
function isPage(path: string): boolean {
  return statSync(path).isDirectory() || /\.(md|svg|png|webp)$/.test(path);
}

/** Lets `docs:dev` show pages that are saved under `docs`. */
function freshPages(): Plugin {
  return {
    name: 'fresh-pages',
    configureServer({ watcher }) {
      watcher.add(join(root, 'docs'));
      watcher.on('change', (path) => {
        const inside = relative(root, path);
        if (inside.startsWith('docs/') && isPage(path)) cpSync(path, join(pages, inside));
      });
    },
  };
}
