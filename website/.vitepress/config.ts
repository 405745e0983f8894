// The documentation site: the Markdown files of the repository as they stand, in one navigation. Dead links end the build.
import { readdirSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DefaultTheme, defineConfig } from 'vitepress';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Folders whose files pages link to or show. */
const served = ['pipelines', 'deploy', 'bench', 'docs/images'];

export default defineConfig({
  title: 'Renderline',
  description: 'Pipelines in YAML become durable runs that take 3D models to finished pictures.',
  srcDir: '..',
  srcExclude: ['**/node_modules/**', 'dist/**', 'packages/**', 'test/**', 'website/README.md'],
  outDir: './dist',
  rewrites: { 'website/index.md': 'index.md' },
  base: process.env['DOCS_BASE'] ?? '/',
  lastUpdated: false,
  // Files beside the pages are no pages of the site; `buildEnd` copies them.
  ignoreDeadLinks: [/\.(ya?ml|csv|json|ts|txt|html)$/, /\/(LICENSE|NOTICE)$/],
  head: [['link', { rel: 'icon', href: '/docs/images/mark.svg' }]],
  markdown: { theme: { light: 'github-light', dark: 'github-dark' } },
  vite: { publicDir: false },
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
    for (const folder of served) {
      await cp(join(root, folder), join(outDir, folder), { recursive: true });
    }
    for (const file of ['LICENSE', 'NOTICE', 'llms.txt']) {
      await cp(join(root, file), join(outDir, file));
    }
  },
});

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
