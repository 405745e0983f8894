// Fuzzy search for materials by name, keywords and colour.
import Fuse from 'fuse.js';
import { computeEditDistance } from 'renderline/api/requests/nearest-name';
import type { MaterialRecord } from '../state/library-records.ts';
import type { Store } from '../state/store.ts';
import { findColorName } from './color-names.ts';
import { texturesOf } from './materials.ts';

/** Returns the search terms of a material in addition to its name. */
function keywordsOf({ collections }: Store, material: MaterialRecord): string[] {
  const { collectionId = '', pantone, type } = material;
  const channels = texturesOf(material)
    .filter(([, { generated }]) => !generated)
    .map(([channel]) => channel);
  const words = [type, ...channels, collections.get(collectionId)?.name, pantone?.code];
  return words.filter((word) => word !== undefined);
}

function colorOf({ flatHex, outcome }: MaterialRecord): string {
  const hex = flatHex ?? outcome?.colorHex;
  return hex === undefined ? '' : findColorName(hex);
}

const looseOptions = { ignoreLocation: true, shouldSort: false } as const;

/** True for two swapped neighbouring letters, which count as one error here. Fuse counts two. */
function hasSwappedLetters(texts: readonly string[], word: string): boolean {
  const letters = (text: string) => Array.from(text).sort().join('');
  const target = word.toLowerCase();
  return texts
    .flatMap((text) => text.toLowerCase().split(/\s+/))
    .some(
      (candidate) =>
        letters(candidate) === letters(target) && computeEditDistance(candidate, target) === 1,
    );
}

/**
 * Returns matching materials in table order. Every word of the search must match something: `red oak` finds a red oak.
 */
export function searchMaterials(store: Store, search: string): MaterialRecord[] {
  const entries = store.materials.all.map((material) => ({
    material,
    name: material.name,
    keywords: keywordsOf(store, material),
    color: colorOf(material),
  }));
  const texts = new Fuse(entries, { ...looseOptions, keys: ['name', 'keywords'], threshold: 0.3 });
  // Colour names are short, so one wrong letter in four can yield another colour (grey, green).
  const colors = new Fuse(entries, { ...looseOptions, keys: ['color'], threshold: 0.2 });
  const hits = search
    .trim()
    .split(/\s+/)
    .map((word) => {
      const matches = [...texts.search(word), ...colors.search(word === 'gray' ? 'grey' : word)];
      const swappedEntries = entries.filter(({ name, keywords, color }) =>
        hasSwappedLetters([name, ...keywords, color], word),
      );
      return new Set(
        [...matches.map(({ item }) => item), ...swappedEntries].map((entry) => entry.material),
      );
    });
  return store.materials.all.filter((material) =>
    hits.every((materials) => materials.has(material)),
  );
}
