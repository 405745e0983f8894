// Properties of every listing: each path occurs once, the order has no effect, and materials do not affect each other.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planImport } from '../../src/textures/plan-import.ts';
import { verdictsOf } from './_verdicts.ts';

const mapWords = [
  'diff',
  'Color',
  'BaseColor',
  'base_color',
  'nor_gl',
  'NormalDX',
  'normal',
  'N',
  'd',
  'rough',
  'Roughness',
  'metal',
  'Metalness',
  'M',
  'disp',
  'height',
  'ao',
  'orm',
  'ARM',
  'MetallicSmoothness',
  'occlusion_roughness_metallic',
  'alpha',
  'mask',
  'noraml',
  'emissive',
  'a',
  'z',
];
const names = [
  'oak',
  'Rusty_Metal_02',
  'formation-rock',
  'T_Sofa',
  'normal',
  'BaseballGlove',
  'x1',
  '',
];
const tails = ['', '_2k', '_4K-JPG', '_v2', '.1001', '_METALNESS', '_01', ' copy'];

const path = fc
  .tuple(
    fc.constantFrom('', 'a/', 'b/', 'a/4k/', 'C:\\tex\\', '__MACOSX/', 'normal/'),
    fc.constantFrom(...names),
    fc.constantFrom('_', '-', ' ', '.', ''),
    fc.constantFrom('', ...mapWords),
    fc.constantFrom(...tails),
    fc.constantFrom('.png', '.jpg', '.EXR', '.tif', '.txt', '.png.meta', ''),
  )
  .map((parts) => parts.join(''))
  .filter((text) => text !== '');
const anything = fc.oneof(
  { weight: 5, arbitrary: path },
  { weight: 1, arbitrary: fc.string({ minLength: 1 }) },
);
const listing = fc.uniqueArray(anything, { maxLength: 40 });

test('every path is in exactly one place of the plan', () => {
  fc.assert(
    fc.property(listing, fc.boolean(), (paths, unmatchedAsDiffuse) => {
      const verdicts = verdictsOf(planImport(paths, { unmatchedAsDiffuse }));
      expect([...verdicts.keys()].sort()).toEqual([...paths].sort());
    }),
  );
});

test('no image is unmatched when unmatched images are used as colours', () => {
  fc.assert(
    fc.property(listing, (paths) => {
      const strict = planImport(paths);
      const plan = planImport(paths, { unmatchedAsDiffuse: true });
      expect(plan.unmatched).toEqual([]);
      expect([plan.ignored, plan.packed, plan.skipped]).toEqual([
        strict.ignored,
        strict.packed,
        strict.skipped,
      ]);
    }),
  );
});

test('the order of paths and repeated paths do not matter', () => {
  fc.assert(
    fc.property(listing, fc.infiniteStream(fc.nat()), (paths, random) => {
      const shuffled = [...paths, ...paths.slice(0, 3)]
        .map((text) => ({ text, at: random.next().value ?? 0 }))
        .sort((one, other) => one.at - other.at)
        .map(({ text }) => text);
      expect(planImport(shuffled)).toEqual(planImport(paths));
    }),
  );
});

test('names of materials are unique, and duplicates refer to a channel that is taken', () => {
  let duplicateCount = 0;
  // Each file also exists in another format, so that channels have several candidates.
  const twins = listing.map((paths) => [
    ...new Set(paths.flatMap((text) => [text, text.replace(/\.png$/, '.jpg')])),
  ]);
  fc.assert(
    fc.property(twins, (paths) => {
      const { materials, duplicates } = planImport(paths, { unmatchedAsDiffuse: true });
      const byName = new Map(materials.map(({ name, textures }) => [name, textures]));
      expect(byName.size).toBe(materials.length);
      for (const { material, channel } of duplicates) {
        expect(byName.get(material)).toHaveProperty(channel);
      }
      duplicateCount += duplicates.length;
    }),
  );
  expect(duplicateCount).toBeGreaterThan(0);
});

test('a material in a separate folder does not change the others', () => {
  const extra = ['diff', 'nor_gl', 'rough', 'arm'].map((map) => `zz-added/Steel_${map}_2k.png`);
  fc.assert(
    fc.property(listing, (paths) => {
      const alone = verdictsOf(planImport(paths));
      const together = verdictsOf(planImport([...paths, ...extra]));
      for (const [text, verdict] of alone) expect(together.get(text)).toEqual(verdict);
    }),
  );
});

test('a material in the same folder does not change whole sets next to it', () => {
  const set = (name: string) =>
    ['_diff_2k.jpg', '_nor_gl_2k.png', '_rough_2k.jpg', '_arm_2k.jpg'].map(
      (end) => `lib/${name}${end}`,
    );
  fc.assert(
    fc.property(
      fc.uniqueArray(
        fc.constantFrom(
          'oak',
          'rusty_metal',
          'formation-rock',
          'color_tiles',
          'base',
          'Wood01',
          'normal_stone',
        ),
        { minLength: 2 },
      ),
      ([first = '', ...others]) => {
        const alone = verdictsOf(planImport(set(first)));
        const together = verdictsOf(planImport([first, ...others].flatMap(set)));
        for (const [text, verdict] of alone) expect(together.get(text)).toEqual(verdict);
      },
    ),
  );
});

/** What a plan says about each path. Materials are identified by their first path. */
function groupingOf(paths: readonly string[]): Map<string, string> {
  const verdicts = verdictsOf(planImport(paths));
  const first = new Map<string, number>();
  const grouping = new Map<string, string>();
  for (const [at, path] of paths.entries()) {
    const { class: kind, channel = '', material } = verdicts.get(path) ?? { class: 'lost' };
    if (material !== undefined && !first.has(material)) first.set(material, at);
    grouping.set(path, `${kind} ${channel} ${material === undefined ? '' : first.get(material)}`);
  }
  return grouping;
}

test('a folder around all paths changes only the names', () => {
  fc.assert(
    fc.property(
      listing,
      fc.constantFrom('shop/', 'C:\\lib\\', 'textures/', '/mnt/x/4k/', 'Normal/', 'a/Albedo/'),
      (paths, folder) => {
        const inside = groupingOf(paths.map((text) => folder + text));
        for (const [text, place] of groupingOf(paths))
          expect(inside.get(folder + text)).toBe(place);
      },
    ),
  );
});

test('the same files in another folder change nothing', () => {
  fc.assert(
    fc.property(listing, (paths) => {
      const alone = groupingOf(paths.map((text) => `one/${text}`));
      const both = verdictsOf(planImport(paths.flatMap((text) => [`one/${text}`, `two/${text}`])));
      for (const [text, place] of alone) expect(both.get(text)?.class).toBe(place.split(' ')[0]);
    }),
  );
});

const product = fc
  .tuple(
    fc.constantFrom(
      'rough',
      'metal',
      'smooth',
      'base',
      'alpha',
      'gloss',
      'coat',
      'mask',
      'oak',
      'wall',
    ),
    fc.constantFrom('metal', 'base', 'mask', 'coat', 'wood', 'stone', 'depth', 'glass', '02', 'B'),
  )
  .map((words) => words.join('_'));
const sets = [
  { diffuse: 'diff', normal: 'nor_gl', roughness: 'rough', ignored: 'ao' },
  { diffuse: 'BaseColor', normal: 'Normal', roughness: 'Roughness', metallic: 'Metallic' },
  { diffuse: 'Base_Color', normal: 'Normal_OpenGL', depth: 'Height', packed: 'ORM' },
  { diffuse: 'albedo', normal: 'normal-ogl', metallic: 'metallic', opacity: 'opacity' },
];

test('products whose names contain words for maps keep their maps', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(product, { maxLength: 4 }),
      fc.constantFrom(...sets),
      (names, set) => {
        const rows = names.flatMap((name) =>
          Object.entries(set).map(([place, word]) => ({
            name,
            place,
            path: `${name}_${word}.png`,
          })),
        );
        const verdicts = verdictsOf(planImport(rows.map(({ path }) => path)));
        for (const { name, place, path } of rows) {
          const { class: kind, channel, material } = verdicts.get(path) ?? { class: 'lost' };
          expect([channel ?? kind, material ?? name], path).toEqual([place, name]);
        }
      },
    ),
  );
});

test('5,000 paths are planned within ten seconds of CPU time', () => {
  const styles = [
    (index: number) => `lib/mat${Math.floor(index / 8)}_${mapWords[index % 8]}_2k.png`,
    (index: number) => `photos/IMG_${index}.jpg`,
    (index: number) => `oak_diff_${index}.png`,
    (index: number) =>
      `${['Albedo', 'Normal', 'Height'][index % 3]}/oak${Math.floor(index / 3)}.png`,
  ];
  const paths = Array.from({ length: 5000 }, (_, index) => styles[index % 4]?.(index) ?? '');
  const start = process.cpuUsage();
  planImport(paths);
  expect(process.cpuUsage(start).user / 1e6).toBeLessThan(10);
});
