// The documentation site: the Markdown files of the repository as they stand, in one navigation. Dead links end the build.
import { cpSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { type DefaultTheme, defineConfig, type MarkdownRenderer } from 'vitepress';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = fileURLToPath(new URL('../pages', import.meta.url));
/** What pages link to or show beside other pages. */
const served = ['pipelines', 'deploy', 'bench', 'docs/images', 'LICENSE', 'NOTICE', 'llms.txt'];

// Packages are found from where a page lies, so the pages are copied to where they are installed.
rmSync(pages, { recursive: true, force: true });
for (const name of [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'docs',
  'bench',
  'workflows',
]) {
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
  // Files beside the pages are no pages of the site; `buildEnd` copies them.
  ignoreDeadLinks: [/\.(ya?ml|csv|json|ts|txt|html)$/, /\/(LICENSE|NOTICE)$/],
  head: [['link', { rel: 'icon', href: '/docs/images/mark.svg' }]],
  markdown: { theme: { light: 'github-light', dark: 'github-dark' }, config: asGitHub },
  vite: { publicDir: false, plugins: [freshPages()] },
  themeConfig: {
    logo: '/docs/images/mark.svg',
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/docs/tutorial' },
      { text: 'How-to', link: '/docs/how-to/README' },
      { text: 'Reference', link: '/docs/nodes/README' },
      { text: 'Why', link: '/docs/architecture' },
    ],
    sidebar: sidebar(),
    footer: { message: 'Apache-2.0' },
  },
  async buildEnd({ outDir }) {
    for (const name of served) await cp(join(root, name), join(outDir, name), { recursive: true });
  },
});

const knownTags = /^<(?:!--|\/?(?:picture|source|img|br|p|a|sub|sup|details|summary)\b)/;

/** Pages are written for GitHub: `<name>` and `{{ key }}` in their text are no markup of Vue. */
function asGitHub(md: MarkdownRenderer): void {
  const { rules } = md.renderer;
  for (const kind of ['html_inline', 'html_block'] as const) {
    rules[kind] = (tokens, index) => {
      const text = tokens[index]?.content ?? '';
      return knownTags.test(text.trimStart()) ? text : md.utils.escapeHtml(text);
    };
  }
  const plain = (text = '') => md.utils.escapeHtml(text).replaceAll('{{', '&#123;&#123;');
  rules['text'] = (tokens, index) => plain(tokens[index]?.content);
  rules['code_inline'] = (tokens, index) => `<code v-pre>${plain(tokens[index]?.content)}</code>`;
}

/** Folders, pages and pictures. */
function isPage(path: string): boolean {
  return statSync(path).isDirectory() || /\.(md|svg|png|webp)$/.test(path);
}

/** `docs:dev` shows what is saved in the repository. */
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

function sidebar(): DefaultTheme.SidebarItem[] {
  return [
    {
      text: 'Begin',
      items: [
        page('README.md', 'What it is'),
        page('docs/tutorial.md', 'Tutorial'),
        page('docs/glossary.md', 'Glossary'),
      ],
    },
    group('How-to', 'docs/how-to'),
    {
      text: 'Working with it',
      items: ['runs', 'schedules', 'webhooks', 'reliability', 'deployment', 'mcp'].map((name) =>
        page(`docs/${name}.md`),
      ),
    },
    {
      text: 'Reference',
      items: [
        page('docs/commands.md'),
        group('Node types', 'docs/nodes', true),
        page('docs/connectors.md'),
        page('docs/errors.md'),
        page('docs/limits.md'),
        { ...group('API operations', 'docs/api', true), link: '/docs/api' },
        page('docs/assumptions.md', 'What the sandbox assumes'),
      ],
    },
    {
      text: 'Why, and how to change it',
      items: [
        page('docs/architecture.md'),
        page('CONTRIBUTING.md'),
        page('docs/add-a-node-type.md'),
        page('docs/add-an-operation.md'),
        page('docs/add-a-connector.md'),
        page('SECURITY.md'),
        page('CHANGELOG.md'),
        page('bench/README.md', 'Benchmark'),
        group('Decisions', 'docs/decisions', true),
      ],
    },
  ];
}

/** All pages of a folder, in the order of their names. */
function group(text: string, folder: string, collapsed = false): DefaultTheme.SidebarItem {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'));
  const items = names
    .filter((name) => name !== 'README.md')
    .map((name) => page(`${folder}/${name}`));
  const link = names.includes('README.md') ? { link: `/${folder}/README` } : {};
  return { text, items, collapsed, ...link };
}

/** An entry named by the page's first heading. */
function page(path: string, text = titleOf(path)): DefaultTheme.SidebarItem {
  return { text, link: `/${path.replace(/\.md$/, '')}` };
}

function titleOf(path: string): string {
  const [, title = path] = /^# (.+)$/m.exec(readFileSync(join(root, path), 'utf8')) ?? [];
  return title.replaceAll('`', '');
}
