// The navigation, from the pages that there are.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';

type Item = DefaultTheme.SidebarItem;

const working = [
  'runs',
  'schedules',
  'webhooks',
  'notices',
  'reliability',
  'deployment',
  'containers',
  'kubernetes',
  'kubernetes-values',
];
const changing = [
  'add-a-node-type',
  'add-an-operation',
  'add-a-connector',
  'add-a-command',
  'add-a-setting',
  'add-a-failure',
];
/** Pages of `docs` that have a place of their own below; all others stand under "Working with it". */
const placed = new Set([
  ...working,
  ...changing,
  ...['tutorial', 'glossary', 'architecture', 'commands', 'connectors', 'errors', 'limits'],
  ...['platform', 'assumptions', 'api'],
]);

/** @param root folder of the repository */
export function sidebar(root: string): Item[] {
  const { page, group, named } = pagesOf(root);
  const others = namesIn(join(root, 'docs')).filter((name) => !placed.has(name));
  return [
    {
      text: 'Begin',
      items: [
        page('README', 'What it is'),
        page('docs/tutorial', 'Tutorial'),
        page('docs/glossary', 'Glossary'),
      ],
    },
    group('How-to', 'docs/how-to'),
    { text: 'Working with it', items: named([...working, ...others]) },
    {
      text: 'Reference',
      items: [
        page('docs/commands'),
        group('Node types', 'docs/nodes', true),
        ...named(['connectors', 'errors', 'limits']),
        { ...group('API operations', 'docs/api', true), link: '/docs/api' },
        page('docs/platform', "The platform's API"),
        page('docs/assumptions', 'What the sandbox assumes'),
      ],
    },
    {
      text: 'Why, and how to change it',
      items: [
        page('docs/architecture'),
        page('CONTRIBUTING'),
        page('STYLE_GUIDE'),
        page('TESTING'),
        ...named(changing),
        page('workflows/REPLAY'),
        page('SECURITY'),
        page('CHANGELOG'),
        page('UPGRADING'),
        page('bench/README', 'Benchmark'),
        group('Decisions', 'docs/decisions', true),
      ],
    },
  ];
}

function pagesOf(root: string) {
  const titleOf = (path: string) => {
    const text = readFileSync(join(root, `${path}.md`), 'utf8');
    const [, title = path] = /^# (.+)$/m.exec(text) ?? [];
    return title.replaceAll('`', '');
  };
  /** An entry named by the page's first heading. */
  const page = (path: string, text = titleOf(path)): Item => ({ text, link: `/${path}` });
  const named = (names: readonly string[]) => names.map((name) => page(`docs/${name}`));
  /** All pages of a folder, in the order of their names. */
  const group = (text: string, folder: string, collapsed = false): Item => {
    const names = namesIn(join(root, folder));
    const items = names
      .filter((name) => name !== 'README')
      .map((name) => page(`${folder}/${name}`));
    return {
      text,
      items,
      collapsed,
      ...(names.includes('README') ? { link: `/${folder}/README` } : {}),
    };
  };
  return { page, named, group };
}

/** Pages directly in a folder, without their extension. */
function namesIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return names.map((name) => name.replace(/\.md$/, '')).sort();
}
