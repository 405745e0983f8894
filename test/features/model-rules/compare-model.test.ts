// Each rule compared with the content of a file: the message has the measured value, the limit and the fix.
import { describe, expect, it } from 'vitest';
import {
  compareModel,
  type InspectedModel,
} from '../../../src/features/model-rules/compare-model.ts';
import { ModelRules } from '../../../src/features/model-rules/rules.ts';
import { emptyContents, type ModelInspection } from '../../../src/glb/model-inspection.ts';

const size = { width: 0.5, height: 1, depth: 0.6 };
const chair: ModelInspection = {
  ...emptyContents,
  verdict: 'accept',
  code: null,
  message: '',
  level: null,
  warnings: [],
  container: 'glb',
  bytes: 2_000_000,
  materials: ['Seat', 'legs', null],
  variants: ['Oak', 'Nut'],
  images: 2,
  measures: {
    triangles: 12_000,
    size,
    sizeProblem: null,
    textures: [
      { name: 'wood', size: { width: 2048, height: 1024 } },
      { name: 'label "A"', size: { width: 500, height: 512 } },
    ],
  },
};
const { measures } = chair;

function compare(
  rules: object,
  inspection: ModelInspection = chair,
  khronos: InspectedModel['khronos'] = null,
) {
  return compareModel(ModelRules.parse(rules), { inspection, khronos }).map(
    ({ level, message }) => `${level}: ${message}`,
  );
}

describe('a model that follows its rules', () => {
  it.each<[string, object]>([
    ['triangles', { triangles: { max: 12_000 } }],
    ['textures', { textures: { max: 2, maxSize: 2048 } }],
    ['bytes', { bytes: { max: '2MB' } }],
    ['materials', { materials: { max: 3 } }],
    ['slots', { slots: { required: ['Seat', 'legs'] } }],
    ['variants', { variants: { required: ['Nut'] } }],
    ['size', { size: { width: { min: 0.5, max: 0.5 }, height: { max: 1 }, depth: { min: 0.6 } } }],
    ['size in another unit', { size: { unit: 'cm', width: { min: 50, max: 50 } } }],
  ])('a model that follows the rule for %s passes', (_, rules) => {
    expect(compare(rules)).toEqual([]);
  });
});

describe('a model that breaks its rules', () => {
  it.each<[string, object, string]>([
    [
      'triangles',
      { triangles: { max: 10_000 } },
      'triangles: the model draws 12,000 triangles, but at most 10,000 are allowed; reduce the meshes',
    ],
    [
      'the number of textures',
      { textures: { max: 1 } },
      'textures: the file has 2 images, but at most 1 are allowed; merge or remove images',
    ],
    [
      'the size of textures',
      { textures: { maxSize: 1024 } },
      'textures: "wood" has 2048 x 1024 pixels, but at most 1024 pixels per side are allowed; scale the textures down',
    ],
    [
      'texture sizes that are powers of two',
      { textures: { powerOfTwo: true } },
      'textures: "label \\"A\\"" has 500 x 512 pixels, but sides must be powers of two; scale the textures to sides such as 1024 or 2048',
    ],
    [
      'bytes',
      { bytes: { max: '1.5MB' } },
      'bytes: the file has 2,000,000 bytes, but at most 1.5MB are allowed; compress its textures and geometry',
    ],
    [
      'materials',
      { materials: { max: 2 } },
      'materials: the file has 3 materials, but at most 2 are allowed; merge materials that look the same',
    ],
    [
      'slots',
      { slots: { required: ['Legs', 'Seat', 'Back'] } },
      'slots: the file has no slot "Legs", "Back", did you mean "legs"?',
    ],
    [
      'variants',
      { variants: { required: ['Red velvet'] } },
      'variants: the file has no variant "Red velvet", it has "Oak", "Nut"; add the variant in the model',
    ],
    [
      'size',
      { size: { height: { min: 1.2 }, depth: { max: 0.5 } } },
      'size: height 1 m, at least 1.2 m, depth 0.6 m, at most 0.5 m; scale the model',
    ],
  ])('a model that breaks the rule for %s fails', (_, rules, message) => {
    expect(compare(rules)).toEqual([expect.stringContaining(`fail: ${message}`)]);
  });

  it('a model that breaks several rules fails with all of them, each at its level', () => {
    const found = compare({
      triangles: { max: 1 },
      materials: { max: 1, level: 'warn' },
      bytes: { max: '1kB' },
    });
    expect(found.map((line) => line.split(':', 2).join(':')).sort()).toEqual([
      'fail: bytes',
      'fail: triangles',
      'warn: materials',
    ]);
  });
});

describe('the size of a model', () => {
  const of = (factor: number) => ({
    ...chair,
    ...(measures && {
      measures: { ...measures, size: { width: 0.5 * factor, height: factor, depth: 0.6 * factor } },
    }),
  });
  const rules = { size: { width: { min: 0.3, max: 3 }, height: { min: 0.3, max: 3 } } };

  it.each([
    [1000, 'the numbers fit as millimetres, but glTF is in metres: scale by 0.001 on export'],
    [100, 'the numbers fit as centimetres, but glTF is in metres: scale by 0.01 on export'],
    [0.001, 'scale the model'],
  ])('a size that is %d times the correct size is reported with the fix "%s"', (factor, hint) => {
    expect(compare(rules, of(factor))).toEqual([expect.stringContaining(hint)]);
  });

  it('the size of an animated model is measured in its rest pose', () => {
    const found = compare({ size: { height: { max: 0.5 } } }, { ...chair, animations: 1 });
    expect(found).toEqual([expect.stringContaining('height 1 m, at most 0.5 m at rest')]);
  });
});

describe('rules that cannot be checked', () => {
  const everything = {
    triangles: { max: 1 },
    textures: { max: 1 },
    bytes: { max: '1kB' },
    slots: { required: ['Seat'] },
    size: { height: { max: 1 } },
    khronos: 'fail',
  };
  const fbx: ModelInspection = { ...emptyContents, ...chair, container: 'other' };

  it('only the bytes of an FBX are compared, and the other rules are reported as unchecked', () => {
    expect(compare(everything, fbx)).toEqual([
      expect.stringContaining('fail: bytes'),
      'unchecked: not checked: triangles, textures, slots, size, khronos, because only .glb and .gltf files can be inspected; export the model as .glb',
    ]);
    expect(compare({ bytes: { max: '5MB' } }, fbx)).toEqual([]);
  });

  it('size rules of a model without a size are reported as unchecked', () => {
    const inspection = {
      ...chair,
      ...(measures && {
        measures: { ...measures, size: null, sizeProblem: 'nodes[2] is skinned' },
      }),
    };
    expect(compare({ size: { height: { max: 1 } } }, inspection)).toEqual([
      'unchecked: not checked: size, because nodes[2] is skinned',
    ]);
  });

  it('texture rules are reported as unchecked for textures without a size or beyond those that were read', () => {
    const textures = [{ name: 'a.avif', size: null }];
    const inspection = {
      ...chair,
      images: 300,
      ...(measures && { measures: { ...measures, textures } }),
    };
    expect(compare({ textures: { maxSize: 4096 } }, inspection)).toEqual([
      'unchecked: not checked: the size of 300 textures ("a.avif"), which the file does not contain; embed each texture as PNG, JPEG, WebP or KTX2',
    ]);
    expect(compare({ textures: { max: 400 } }, inspection)).toEqual([]);
  });
});

describe("findings of Khronos' validator", () => {
  const errors = {
    errors: 1,
    warnings: 2,
    issues: ['ACCESSOR_NON_UNIT at /accessors/1', 'B', 'C', 'D'],
  };
  it.each<[string, string, InspectedModel['khronos'], string[]]>([
    ['no findings', 'fail', { errors: 0, warnings: 0, issues: [] }, []],
    [
      'errors, as warnings',
      'warn',
      errors,
      [
        'warn: khronos: the validator finds 1 error and 2 warnings: ACCESSOR_NON_UNIT at /accessors/1, B, C and 1 more; correct these in the 3D program and export the model again',
      ],
    ],
    [
      'errors',
      'fail',
      errors,
      [expect.stringContaining('fail: khronos: the validator finds 1 error')],
    ],
    [
      'warnings alone',
      'fail',
      { errors: 0, warnings: 1, issues: ['B'] },
      [expect.stringContaining('warn: khronos')],
    ],
    ['no result', 'fail', 'it ended', ['unchecked: not checked: khronos, because it ended']],
    ['not run', 'off', null, []],
  ])('the result of the validator is handled: %s with level %s', (_, khronos, report, expected) => {
    expect(compare({ khronos, materials: { max: 9 } }, chair, report)).toEqual(expected);
  });
});

describe('invalid rules for a model', () => {
  it.each<[string, object]>([
    ['no rule', {}],
    ['only a validator that is off', { khronos: 'off' }],
    ['an unknown field', { polygons: { max: 1 } }],
    ['textures without a limit', { textures: {} }],
    ['a size without any side', { size: { unit: 'm' } }],
    ['a side without a limit', { size: { width: {} } }],
    ['a minimum above the maximum', { size: { width: { min: 2, max: 1 } } }],
    ['a negative number', { triangles: { max: -1 } }],
    ['a number of bytes without a unit', { bytes: { max: 25 } }],
  ])('invalid rules are refused: %s', (_, rules) => {
    expect(ModelRules.safeParse(rules).success).toBe(false);
  });
});
