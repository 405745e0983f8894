// Groups texture file names into materials. Pure, because it reads only names, never files.
import type { TextureChannel } from '../api/operations/materials.ts';
import { chooseReadings } from './choose-readings.ts';
import { type FileName, parseImagePath } from './file-name.ts';
import {
  type Candidate,
  findMaterialFolders,
  materialFolderOf,
  scopesOf,
  toDiffuseReading,
} from './folders.ts';
import { createUniqueLabels, type MaterialGroup } from './labels.ts';
import { mapName, resolveLetter } from './map-words.ts';
import { type ClassifiedFile, sortByRank } from './rank-files.ts';
import { readingsOf } from './readings.ts';
import { tokensOf } from './tokens.ts';
import type { MapKind } from './vocabulary.ts';

export interface ImportPlan {
  materials: { name: string; textures: Partial<Record<TextureChannel, string>> }[];
  ignored: string[];
  packed: string[];
  unmatched: string[];
  skipped: string[];
  duplicates: { file: string; material: string; channel: TextureChannel }[];
}

export interface ImportOptions {
  /** True if images without a recognized channel become materials with a single texture. @default false */
  readonly unmatchedAsDiffuse?: boolean;
}

/** Number of files per step, which takes a few hundredths of a second. */
const filesPerStep = 500;

/**
 * Groups files into materials. A file's map is derived from its name and from the names next to it. Every path
 * ends up in exactly one list. The order of paths does not matter.
 */
export function planImport(paths: readonly string[], options: ImportOptions = {}): ImportPlan {
  const steps = planImportInSteps(paths, options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Like `planImport`, in steps: other work can run between the steps of many thousands of files. */
export function* planImportInSteps(
  paths: readonly string[],
  options: ImportOptions = {},
): Generator<undefined, ImportPlan, undefined> {
  const plan: ImportPlan = {
    materials: [],
    ignored: [],
    packed: [],
    unmatched: [],
    skipped: [],
    duplicates: [],
  };
  const candidates: Candidate[] = [];
  let files = 0;
  for (const path of [...new Set(paths)].sort()) {
    const name = parseImagePath(path);
    if (name) candidates.push(candidateOf(name));
    else plan.skipped.push(path);
    files += 1;
    if (files % filesPerStep === 0) yield;
  }
  const groups: MaterialGroup[] = [];
  files = 0;
  for (const folder of scopesOf(candidates).values()) {
    groups.push(...sortFolder(folder, plan, options));
    files += folder.length;
    if (files < filesPerStep) continue;
    files = 0;
    yield;
  }
  const labels = createUniqueLabels(groups);
  for (const group of groups) addMaterial(plan, group, labels.get(group) ?? '');
  plan.materials.sort((a, b) => (a.name < b.name ? -1 : 1));
  plan.duplicates.sort((a, b) => (a.file < b.file ? -1 : 1));
  for (const list of [plan.ignored, plan.packed, plan.unmatched]) list.sort();
  return plan;
}

function candidateOf(name: FileName): Candidate {
  const tokens = tokensOf(name.stem);
  const materialFolders = findMaterialFolders(name);
  const readings = readingsOf(tokens).map((reading) => {
    if (reading.place !== 'whole') return reading;
    // A file that is named only by its map, such as `normal.png`, belongs to the material of its folder.
    const home = materialFolderOf(materialFolders, reading.kind);
    return { ...reading, material: home, words: [home] };
  });
  return { ...name, tokens, readings, materialFolders };
}

function sortFolder(
  files: readonly Candidate[],
  plan: ImportPlan,
  options: ImportOptions,
): MaterialGroup[] {
  const readingsByFile = chooseReadings(files);
  const materials = new Map<string, ClassifiedFile[]>();
  const remainingFiles: ClassifiedFile[] = [];
  for (const file of files) {
    const reading = readingsByFile.get(file);
    if (reading) addTo(materials, reading.material, { ...file, reading });
    else remainingFiles.push({ ...file, reading: toDiffuseReading(file) });
  }
  const groups = [...materials.values()].map((members) => groupOf(members, plan));
  const singles = new Map<string, ClassifiedFile[]>();
  for (const file of remainingFiles) {
    const group = groups.find((candidate) => isColorMissing(candidate, file.reading.material));
    if (group) addTo(group.channels, 'diffuse', file);
    else if (options.unmatchedAsDiffuse) addTo(singles, file.reading.material, file);
    else plan.unmatched.push(file.path);
  }
  return [...groups, ...[...singles.values()].map((members) => groupOf(members, plan))];
}

function addTo<K>(lists: Map<K, ClassifiedFile[]>, key: K, file: ClassifiedFile): void {
  const list = lists.get(key);
  if (list) list.push(file);
  else lists.set(key, [file]);
}

/**
 * True if the group is of this material and has no file that is named as its colour or packs it, so that `brick.jpg`
 * can be the colour of `brick_normal.jpg`.
 */
function isColorMissing(
  { key, channels, hasPackedColor }: MaterialGroup,
  material: string,
): boolean {
  const colors = channels.get('diffuse') ?? [];
  const isOpen = colors.every(({ reading }) => reading.spelling === 'none');
  return key === material && channels.size > 0 && !hasPackedColor && isOpen;
}

/** Shader property names that only Unity uses. */
const unityNames = new Set([
  'maintex',
  'basemap',
  'metallicglossmap',
  'specglossmap',
  'parallaxmap',
]);

function groupOf(members: readonly ClassifiedFile[], plan: ImportPlan): MaterialGroup {
  const names = new Set(members.map(({ reading }) => mapName(reading.kind)));
  if (members.some(({ reading }) => unityNames.has(reading.spelled))) names.add('unity');
  const kindOf = ({ reading: { kind } }: ClassifiedFile): MapKind =>
    kind.class === 'letter' ? resolveLetter(kind.letter, names) : kind;
  const sorted = members.map((file) => ({ file, kind: kindOf(file) }));
  const channels = new Map<TextureChannel, ClassifiedFile[]>();
  for (const { file, kind } of sorted) {
    if (kind.class === 'ignored') plan.ignored.push(file.path);
    else if (kind.class === 'packed') plan.packed.push(file.path);
    else addTo(channels, kind.channel, file);
  }
  const hasPackedColor = sorted.some(
    ({ kind }) => kind.class === 'packed' && /diff|albedo|color/.test(kind.maps),
  );
  return { key: members[0]?.reading.material ?? '', channels, hasPackedColor };
}

function addMaterial(plan: ImportPlan, { channels }: MaterialGroup, name: string): void {
  if (channels.size === 0) return;
  const textures: Partial<Record<TextureChannel, string>> = {};
  for (const [channel, files] of channels) {
    const [best, ...others] = sortByRank(files);
    if (best) textures[channel] = best.path;
    for (const { path } of others) plan.duplicates.push({ file: path, material: name, channel });
  }
  plan.materials.push({ name, textures });
}
