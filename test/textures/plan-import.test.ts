// Listings in the styles of libraries, engines and people.
import { describe, expect, test } from 'vitest';
import { type ImportPlan, planImport } from '../../src/textures/plan-import.ts';
import { handmadeListings } from './_handmade-listings.ts';
import { libraryListings } from './_library-listings.ts';
import type { ExpectedPlan } from './_listing.ts';

function pathsOf(wanted: ExpectedPlan): string[] {
  const { materials = {}, ...lists } = wanted;
  return [
    ...Object.values(materials).flatMap((textures) => Object.values(textures)),
    ...Object.values(lists).flat(),
  ];
}

function asWanted(plan: ImportPlan): ExpectedPlan {
  const { ignored, packed, unmatched, skipped } = plan;
  const materials = Object.fromEntries(
    plan.materials.map(({ name, textures }) => [name, textures]),
  );
  const duplicates = plan.duplicates.map(({ file }) => file);
  return { materials, ignored, packed, unmatched, skipped, duplicates };
}

function sortedLists(wanted: ExpectedPlan): ExpectedPlan {
  const {
    materials = {},
    ignored = [],
    packed = [],
    unmatched = [],
    skipped = [],
    duplicates = [],
  } = wanted;
  return {
    materials,
    ignored: [...ignored].sort(),
    packed: [...packed].sort(),
    unmatched: [...unmatched].sort(),
    skipped: [...skipped].sort(),
    duplicates: [...duplicates].sort(),
  };
}

describe('listings', () => {
  test.each([...libraryListings, ...handmadeListings])(
    'planImport() returns the plan of the listing "%s"',
    (_title, wanted) => {
      expect(sortedLists(asWanted(planImport(pathsOf(wanted))))).toEqual(sortedLists(wanted));
    },
  );
});

describe('unmatchedAsDiffuse', () => {
  test('images without a channel each become a separate material', () => {
    const plan = planImport(
      [
        'shop/label.png',
        'shop/label_2k.jpg',
        'shop/oak_diff.png',
        'shop/oak_ao.png',
        'shop/notes.txt',
        'b/label.png',
      ],
      { unmatchedAsDiffuse: true },
    );
    expect(plan).toEqual({
      materials: [
        { name: 'b/label', textures: { diffuse: 'b/label.png' } },
        { name: 'oak', textures: { diffuse: 'shop/oak_diff.png' } },
        { name: 'shop/label', textures: { diffuse: 'shop/label_2k.jpg' } },
      ],
      ignored: ['shop/oak_ao.png'],
      packed: [],
      unmatched: [],
      skipped: ['shop/notes.txt'],
      duplicates: [{ file: 'shop/label.png', material: 'shop/label', channel: 'diffuse' }],
    });
  });
});

test('a duplicate refers to its material and channel', () => {
  const { duplicates } = planImport(['oak_diff_1k.jpg', 'oak_diff_2k.jpg']);
  expect(duplicates).toEqual([{ file: 'oak_diff_1k.jpg', material: 'oak', channel: 'diffuse' }]);
});
