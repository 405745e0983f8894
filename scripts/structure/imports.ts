// Lists all imports between our source files, of values and of types, static and dynamic.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { parseSync } from 'oxc-parser';

/** `from` imports `to`. Both are paths from the root, or folders. */
export interface Import {
  from: string;
  to: string;
}

const roots = ['src', 'workflows', 'activities', 'packages/sandbox/src'];

export function sourceFiles(): string[] {
  return roots.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(root, name)),
  );
}

/** Lists imports of our own files, ignoring packages and Node modules. */
export function listImports(files: readonly string[]): Import[] {
  return files.flatMap((from) =>
    specifiersOf(from).flatMap((specifier) => {
      const to = sourceOf(from, specifier);
      return to === null ? [] : [{ from, to }];
    }),
  );
}

/**
 * Returns the path of the imported file, resolving `exports` of our packages, or null for an import of another package.
 */
function sourceOf(from: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier));
  const [, ofProgram] = /^renderline\/(.+)$/.exec(specifier) ?? [];
  if (ofProgram !== undefined) return `src/${ofProgram}.ts`;
  return specifier.startsWith('@renderline/sandbox') ? 'packages/sandbox/src/index.ts' : null;
}

/** Returns the import specifiers of a file as written, of values and of types, static and dynamic. */
export function specifiersOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module;
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ];
}

/**
 * Returns the folder of a file, such as `api` for `src/api/…`. `workflows`, `activities` and each package are folders
 * of their own.
 */
export function folderOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  if (first === 'packages') return `${first}/${second}`;
  return first === 'src' ? second : first;
}

/** Converts imports between files to imports between folders. */
export function betweenFolders(arrows: readonly Import[]): Import[] {
  return arrows
    .map(({ from, to }) => ({ from: folderOf(from), to: folderOf(to) }))
    .filter(({ from, to }) => from !== to);
}

/** Returns the imports between the parts of one folder, which are its subfolders and each file at its root. */
export function betweenParts(root: string, arrows: readonly Import[]): Import[] {
  const parts = arrows
    .filter(({ from, to }) => from.startsWith(`${root}/`) && to.startsWith(`${root}/`))
    .map(({ from, to }) => ({ from: partOf(root, from), to: partOf(root, to) }))
    .filter(({ from, to }) => from !== to);
  return [...new Map(parts.map((arrow) => [`${arrow.from} ${arrow.to}`, arrow])).values()];
}

/** Returns the subfolder of `root` that contains the file. A file at the root is its own part. */
export function partOf(root: string, file: string): string {
  return relative(root, file).split('/')[0] ?? file;
}

function targetsBySource(arrows: readonly Import[]): Map<string, Set<string>> {
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of arrows) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  return targets;
}

/** Returns the strongly connected components with more than one node (Tarjan), each sorted. */
export function findCycles(arrows: readonly Import[]): string[][] {
  const next = targetsBySource(arrows);
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): number => {
    const index = order.size;
    order.set(node, index);
    let low = index;
    stack.push(node);
    for (const target of next.get(node) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, order.get(target) ?? low);
    }
    lowest.set(node, low);
    if (low === index) {
      const circle = stack.splice(stack.indexOf(node));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return low;
  };
  for (const node of next.keys()) if (!order.has(node)) visit(node);
  return circles;
}

/** Counts the layers of an acyclic graph, that is, the nodes on its longest chain of imports. */
export function countLayers(arrows: readonly Import[]): number {
  const targets = targetsBySource(arrows);
  const layerByNode = new Map<string, number>();
  const layerOf = (node: string): number => {
    const cached = layerByNode.get(node);
    if (cached !== undefined) return cached;
    const layer = 1 + Math.max(0, ...[...(targets.get(node) ?? [])].map(layerOf));
    layerByNode.set(node, layer);
    return layer;
  };
  return Math.max(0, ...[...targets.keys()].map(layerOf));
}

/** Returns imports whose removal breaks all cycles: in each cycle, those against the direction of most imports. */
export function findCycleBreakers(arrows: readonly Import[]): Import[] {
  return findCycles(arrows).flatMap((circle) => {
    const innerImports = arrows.filter(
      ({ from, to }) => circle.includes(from) && circle.includes(to),
    );
    const degree = (node: string) =>
      innerImports.reduce(
        (sum, { from, to }) => sum + Number(from === node) - Number(to === node),
        0,
      );
    const order = circle.toSorted((a, b) => degree(b) - degree(a));
    return innerImports.filter(({ from, to }) => order.indexOf(from) > order.indexOf(to));
  });
}
