// Every import follows the table of folders in CONTRIBUTING, and no folder imports a higher one.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  betweenFolders,
  betweenParts,
  countLayers,
  findCycleBreakers,
  findCycles,
  folderOf,
  listImports,
  partOf,
  sourceFiles,
  specifiersOf,
} from '../../scripts/structure/imports.ts';

const maxLayers = 10;

interface Row {
  folder: string;
  may: readonly string[];
  /** The only packages that the folders may import. Null if they may import any. */
  packages: readonly string[] | null;
}

/** Rows of the table: folders, and which other folders they may import. */
function rowsOf(contributing: string): Row[] {
  const table = contributing.slice(contributing.indexOf('| folder | what | may import |'));
  const rows: Row[] = [];
  for (const line of table.split('\n').slice(2)) {
    if (!line.startsWith('|')) break;
    const [, folders = '', , may = ''] = line.split('|');
    const above = rows.map(({ folder }) => folder);
    const named = namesIn(may);
    const packages = [...may.matchAll(/`(@[^`]+)`/g)].map(([, name = '']) => name);
    for (const folder of namesIn(folders)) {
      rows.push({
        folder,
        may: may.trim() === 'all above' ? above : named,
        packages: packages.length > 0 || may.trim() === 'nothing' ? packages : null,
      });
    }
  }
  return rows;
}

/** `src/api` and `api` are the same folder. Packages are not below `src`. */
function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`(?:src\/)?((?:packages\/)?[a-z]+)`/g)].map(([, name = '']) => name);
}

const rows = rowsOf(readFileSync('CONTRIBUTING.md', 'utf8'));
const files = sourceFiles();
const arrows = listImports(files);
const between = betweenFolders(arrows);

describe('the table of folders', () => {
  it('the table lists every folder once', () => {
    const packages = readdirSync('packages').map((name) => `packages/${name}`);
    const folders = [...readdirSync('src'), 'workflows', 'activities', ...packages];
    expect(rows.map(({ folder }) => folder).sort()).toEqual(folders.sort());
  });

  it('each folder may import only folders above it in the table', () => {
    const wrong = rows.flatMap(({ folder, may }, at) => {
      const above = rows.slice(0, at).map((row) => row.folder);
      return may.filter((name) => !above.includes(name)).map((name) => `${folder} -> ${name}`);
    });
    expect(wrong).toEqual([]);
  });
});

it('the program exports exactly the folders that its packages may import', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object };
  // A path without a star is a part of the library (docs/library.md).
  const folders = Object.keys(exports).filter((path) => path.endsWith('/*'));
  const exported = folders.map((path) => path.split('/')[1]);
  const { may } = rows.find(({ folder }) => folder === 'packages/sandbox') ?? {};
  expect(exported).toEqual(may);
});

describe('imports, values and types', () => {
  it('all imports refer to existing files', () => {
    const known = new Set(files);
    expect(arrows.length).toBeGreaterThan(2_000);
    expect(arrows.filter(({ to }) => !known.has(to))).toEqual([]);
  });

  it.each(rows)('imports of $folder are allowed by the table', ({ folder, may }) => {
    const wrong = arrows.filter(({ from, to }) => {
      const arrow = { from: folderOf(from), to: folderOf(to) };
      if (arrow.from !== folder || arrow.to === folder) return false;
      return !may.includes(arrow.to);
    });
    expect(wrong).toEqual([]);
  });

  it.each(rows.filter(({ packages }) => packages !== null))(
    '$folder imports only packages that the table allows',
    ({ folder, packages }) => {
      const external = files
        .filter((file) => folderOf(file) === folder)
        .flatMap(specifiersOf)
        .filter((specifier) => !specifier.startsWith('.'));
      expect(external.filter((specifier) => !packages?.includes(specifier))).toEqual([]);
    },
  );

  it('imports have no cycles between folders, and few layers', () => {
    expect(findCycles(between)).toEqual([]);
    expect(countLayers(between)).toBeLessThanOrEqual(maxLayers);
  });

  it('imports have no cycles between files', () => {
    expect(findCycles(arrows)).toEqual([]);
  });

  it.each(rows.map(({ folder }) => folder))(
    'imports have no cycles between the parts of %s',
    (folder) => {
      const isOutside = folder.includes('/') || folder === 'workflows' || folder === 'activities';
      const root = isOutside ? folder.replace(/^packages\/\w+$/, '$&/src') : `src/${folder}`;
      expect(findCycleBreakers(betweenParts(root, arrows))).toEqual([]);
    },
  );
});

describe('the layers of the sandbox', () => {
  const root = 'packages/sandbox/src';
  const contributing = readFileSync('CONTRIBUTING.md', 'utf8');
  const table = contributing.slice(contributing.indexOf('| layer | folders | what |'));
  const layerOf = new Map(
    [...table.matchAll(/^\| (\d+) \| ([^|]+) \|/gm)].flatMap(([, layer, folders = '']) =>
      [...folders.matchAll(/`([^`]+)`/g)].map(([, name = '']) => [name, Number(layer)] as const),
    ),
  );

  it('the layers list every folder once', () => {
    // The entry point is above all layers.
    const parts = new Set(
      files.filter((file) => file.startsWith(`${root}/`)).map((file) => partOf(root, file)),
    );
    parts.delete('index.ts');
    expect([...layerOf.keys()].sort()).toEqual([...parts].sort());
  });

  it('a folder imports only from lower layers', () => {
    const wrong = betweenParts(root, arrows).filter(
      ({ from, to }) => (layerOf.get(from) ?? Infinity) <= (layerOf.get(to) ?? Infinity),
    );
    expect(wrong).toEqual([]);
  });
});
