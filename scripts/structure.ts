// `npm run structure`: prints figures about the size and structure of the program, for comparing versions.
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  betweenFolders,
  betweenParts,
  countLayers,
  findCycleBreakers,
  findCycles,
  folderOf,
  listImports,
  sourceFiles,
} from './structure/imports.ts';

/** Files that control polling and the rate limit, wherever they are located. */
const polling =
  /^src\/(?:engine\/polling\/|features\/.*-status-poller\.ts$|plan\/(?:allowance\/|shard\/window)|app\/worker\/coordination\/(?:allowance|coordinate-workers|hold-poll-leadership|shared-allowance)|api\/rate-limit\/)|^workflows\/(?:allowance|poll-leader|run\/run-window|shard\/shard-pace)/;
/** Matches comments that cite a document that is neither in the repository nor a published standard. */
const citation =
  /(?:\/\/|\*)(?!.*(?:platform\.md|\bRFC \d|\bdraft-)).*(?:\bsection \d|\btrap \d|\bdesign §|\bthe design\b)/i;

const isProgram = (file: string) => /^(?:src|workflows|activities)\//.test(file);
const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '').length;

const texts = new Map(sourceFiles().map((file) => [file, readFileSync(file, 'utf8')]));
const sizes = new Map([...texts].map(([file, text]) => [file, linesOf(text)]));
const arrows = listImports([...texts.keys()]);
const sum = (files: readonly string[]) =>
  files.reduce((lines, file) => lines + (sizes.get(file) ?? 0), 0);

const rootOf = (folder: string) =>
  folder.includes('/') ? `${folder}/src` : isProgram(`${folder}/`) ? folder : `src/${folder}`;
const folders = [...new Set([...texts.keys()].map(folderOf))].map((folder) => {
  const files = [...texts.keys()].filter((file) => folderOf(file) === folder);
  const innerImports = betweenParts(rootOf(folder), arrows);
  const up = findCycleBreakers(innerImports);
  const isUp = new Set(up);
  return {
    folder,
    files: files.length,
    lines: sum(files),
    loose: files.filter((file) => dirname(file) === rootOf(folder)).length,
    layers: countLayers(innerImports.filter((arrow) => !isUp.has(arrow))),
    arrows: innerImports.length,
    up: up.length,
  };
});

const filesByFolder = new Map<string, number>();
for (const file of texts.keys())
  filesByFolder.set(dirname(file), (filesByFolder.get(dirname(file)) ?? 0) + 1);

const program = [...texts.keys()].filter(isProgram);
const sorted = program.map((file) => sizes.get(file) ?? 0).toSorted((a, b) => a - b);
const percentile = (share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const folderImports = betweenFolders(arrows);
const cited = [...texts.values()].flatMap((text) =>
  text.split('\n').filter((line) => citation.test(line)),
);

console.table({
  'lines of src, workflows, activities (not blank)': sum(program),
  'files of them': program.length,
  'lines of a file: median': percentile(0.5),
  'lines of a file: 90th percentile': percentile(0.9),
  'lines of a file: longest': percentile(1),
  'lines that control polling and the rate limit': sum(
    program.filter((file) => polling.test(file)),
  ),
  'layers of folders': countLayers(folderImports),
  'import cycles between folders': findCycles(folderImports).length,
  'import cycles between files': findCycles(arrows).length,
  'upward imports inside folders': folders.reduce((count, { up }) => count + up, 0),
  'files in the largest folder': Math.max(...filesByFolder.values()),
  'comments that cite other documents': cited.length,
});
console.table(
  Object.fromEntries(
    folders
      .toSorted((a, b) => b.lines - a.lines)
      .map(({ folder, ...measures }) => [folder, measures]),
  ),
);
