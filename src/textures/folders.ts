// Interprets the folders of a file. A folder has no meaning, identifies the material, or identifies the map.
import type { FileName } from './file-name.ts';
import { findWord, mapName } from './map-words.ts';
import { isPrefixToken, materialKeyOf, nameKey, type Reading } from './readings.ts';
import { type Token, tokensOf } from './tokens.ts';
import { conventionOfFolder, type Word, type WordMeaning } from './vocabulary.ts';

/** Folders of small copies. */
const copies = /^(thumbs?|thumbnails?|previews?)$/i;

/** Folders without a meaning of their own. */
const containers = /^(maps?|images?|bitmaps?|exports?)$/i;

export interface Candidate extends FileName {
  readonly tokens: readonly Token[];
  readonly readings: readonly Reading[];
  /** Keys of the folders that distinguish materials (`findMaterialFolders`). */
  readonly materialFolders: readonly string[];
}

/** Finds the folders that distinguish materials, by key: not `thumbs`, `maps`, resolutions, formats or conventions. */
export function findMaterialFolders({ folders }: FileName): string[] {
  return folders
    .filter((folder) => !copies.test(folder) && !containers.test(folder))
    .map((folder) => materialKeyOf(tokensOf(folder)))
    .filter((key) => key !== '' && !conventionOfFolder.has(key));
}

/** Returns the folder that contains the material of files like `albedo.png`, even in `Oak/Albedo`, or ''. */
export function materialFolderOf(materialFolders: readonly string[], kind: WordMeaning): string {
  const word = findWord(materialFolders.at(-1) ?? '');
  const isMapFolder =
    word !== undefined && word.wordClass !== 'letter' && mapName(word.kind) === mapName(kind);
  return materialFolders.at(isMapFolder ? -2 : -1) ?? '';
}

/** Finds the normal convention in a folder name like `DirectX`. */
export function findNormalConvention({ folders }: FileName): 'gl' | 'dx' | undefined {
  const conventions = folders.flatMap(
    (folder) => conventionOfFolder.get(materialKeyOf(tokensOf(folder))) ?? [],
  );
  return conventions.at(-1);
}

interface MapFolder {
  /** Keys of the enclosing material folders, joined by slashes. */
  readonly parent: string;
  readonly word: Word;
}

function mapFolderOf({ materialFolders }: Candidate): MapFolder | undefined {
  const word = findWord(materialFolders.at(-1) ?? '');
  if (!word || word.wordClass === 'letter' || word.kind.class === 'letter') return undefined;
  return { parent: materialFolders.slice(0, -1).join('/'), word };
}

/** Finds the materials of a file in a map's folder, by key: `oak.png` and `oak_albedo.png` both result in oak. */
function findMaterials(file: Candidate, { word }: MapFolder): string[] {
  const mapReadings = file.readings.filter(({ kind }) => mapName(kind) === mapName(word.kind));
  return [...mapReadings.map(({ material }) => material), nameKey(file.tokens)].filter(
    (key) => key !== '',
  );
}

/**
 * Groups files by scope, which is usually their folder. File names are read within a scope. `Albedo/oak.png` and
 * `Normal/oak.png` share the enclosing folder and take their maps from their own folders. Without a second map of the
 * same material, a map's folder is an ordinary folder.
 */
export function scopesOf(files: readonly Candidate[]): Map<string, Candidate[]> {
  const maps = new Map<string, Set<string>>();
  const entries = files.map((file) => ({ file, folder: mapFolderOf(file) }));
  for (const { file, folder } of entries) {
    if (!folder) continue;
    for (const material of findMaterials(file, folder)) {
      const key = `${folder.parent}//${material}`;
      maps.set(key, (maps.get(key) ?? new Set()).add(mapName(folder.word.kind)));
    }
  }
  const scopes = new Map<string, Candidate[]>();
  for (const { file, folder } of entries) {
    const isShared =
      folder !== undefined &&
      findMaterials(file, folder).some(
        (material) => (maps.get(`${folder.parent}//${material}`)?.size ?? 0) > 1,
      );
    const scope = isShared ? folder.parent : file.materialFolders.join('/');
    const inScope = scopes.get(scope) ?? [];
    inScope.push(isShared ? withFolderMap(file, folder) : file);
    scopes.set(scope, inScope);
  }
  return scopes;
}

/** Returns the file with the map of its folder as its only reading, or unchanged if its name contains the same map. */
function withFolderMap(file: Candidate, { word }: MapFolder): Candidate {
  const name = mapName(word.kind);
  if (file.readings.some(({ kind, place }) => mapName(kind) === name && place !== 'whole'))
    return file;
  const reading: Reading = {
    ...toDiffuseReading(file),
    kind: word.kind,
    wordClass: 'clear',
    spelling: 'exact',
  };
  return { ...file, readings: [reading] };
}

/** Returns the reading of a name without a map's word: the whole name is the material. */
export function toDiffuseReading({ tokens }: Candidate): Reading {
  const isCut = (token: Token, index: number) =>
    token.noise !== undefined || isPrefixToken(token, index);
  return {
    kind: { class: 'channel', channel: 'diffuse' },
    wordClass: 'noun',
    spelling: 'none',
    place: 'last',
    material: nameKey(tokens),
    words: [],
    isUncertain: false,
    spelled: '',
    hasCopyNumber: false,
    cut: tokens.filter(isCut).map(({ start, end }) => [start, end]),
    position: 0,
    hasBitDepth: false,
  };
}
