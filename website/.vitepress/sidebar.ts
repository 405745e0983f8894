// Creates the navigation from the existing pages.
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
/** Pages of `docs` that are listed elsewhere in the navigation. All others are listed under "Using Renderline". */
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
      text: 'Get started',
      items: [
        page('README', 'Overview'),
        page('docs/tutorial', 'Tutorial'),
        page('docs/glossary', 'Glossary'),
      ],
    },
    group('How-to', 'docs/how-to'),
    { text: 'Using Renderline', items: named([...working, ...others]) },
    {
      text: 'Reference',
      items: [
        page('docs/commands'),
        group('Node types', 'docs/nodes', true),
        ...named(['connectors', 'errors', 'limits']),
        { ...group('API operations', 'docs/api', true), link: '/docs/api' },
        page('docs/platform', "The platform's API"),
        page('docs/assumptions', 'Assumptions of the sandbox'),
      ],
    },
    {
      text: 'Architecture and contributing',
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
  /** Returns an entry. Its default text is the first heading of the page. */
  const page = (path: string, text = titleOf(path)): Item => ({ text, link: `/${path}` });
  const named = (names: readonly string[]) => names.map((name) => page(`docs/${name}`));
  /** Returns a group with all pages of a folder, sorted by name. */
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

/** Returns the names of the pages directly in a folder, without their extension. */
function namesIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return names.map((name) => name.replace(/\.md$/, '')).sort();
}
