// Fuzzy search over materials: name, keywords, colour (4.9).
import Fuse from 'fuse.js';
import { editDistance } from 'renderline/api/nearest-name';
import type { Store } from '../state/store.ts';
import { colorName } from './color-names.ts';
import { texturesOf } from './materials.ts';
import type { MaterialRecord } from './records.ts';

/** The words a material is found by besides its name. */
function keywordsOf({ collections }: Store, material: MaterialRecord): string[] {
  const { collectionId, pantone, type } = material;
  const collection = collectionId === undefined ? undefined : collections.get(collectionId)?.name;
  const channels = texturesOf(material)
    .filter(([, { generated }]) => !generated)
    .map(([channel]) => channel);
  return [
    type,
    ...channels,
    ...(collection ? [collection] : []),
    ...(pantone ? [pantone.code] : []),
  ];
}

function colorOf({ flatHex, outcome }: MaterialRecord): string {
  const hex = flatHex ?? outcome?.colorHex;
  return hex === undefined ? '' : colorName(hex);
}

const loose = { ignoreLocation: true, shouldSort: false } as const;

/** Two neighbours that changed places are one slip of the finger; Fuse counts two letters. */
function hasSwapped(texts: readonly string[], word: string): boolean {
  const letters = (text: string) => Array.from(text).sort().join('');
  const wanted = word.toLowerCase();
  return texts
    .flatMap((text) => text.toLowerCase().split(/\s+/))
    .some((one) => letters(one) === letters(wanted) && editDistance(one, wanted) === 1);
}

/**
 * The materials that match, in the order of the table. Every word of the search has to be near
 * something: `red oak` finds an oak that is red.
 */
export function searchMaterials(store: Store, search: string): MaterialRecord[] {
  const entries = store.materials.all.map((material) => ({
    material,
    name: material.name,
    keywords: keywordsOf(store, material),
    color: colorOf(material),
  }));
  const texts = new Fuse(entries, { ...loose, keys: ['name', 'keywords'], threshold: 0.3 });
  // Colours are short words: one letter of four off is another one (grey, green).
  const colors = new Fuse(entries, { ...loose, keys: ['color'], threshold: 0.2 });
  const hits = search
    .trim()
    .split(/\s+/)
    .map((word) => {
      const found = [...texts.search(word), ...colors.search(word === 'gray' ? 'grey' : word)];
      const swapped = entries.filter(({ name, keywords, color }) =>
        hasSwapped([name, ...keywords, color], word),
      );
      return new Set([...found.map(({ item }) => item), ...swapped].map((each) => each.material));
    });
  return store.materials.all.filter((material) => hits.every((found) => found.has(material)));
}
