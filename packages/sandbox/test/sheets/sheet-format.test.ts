// The texts of a production file, shared by PDF and preview.
import { describe, expect, test } from 'vitest';
import {
  explainMissingCloseUp,
  formatInk,
  formatLengths,
  formatLogoSize,
  formatPlacement,
  formatSlotView,
  listNotices,
  listSheetWarnings,
} from '../../src/sheets/sheet-format.ts';
import type { Placement, SheetLogo, SheetVariant } from '../../src/state/production-records.ts';

const placed: Placement = {
  slotId: 'slot-1',
  marks: [
    { view: 'left', x: 0.5, y: 0.5 },
    { view: 'front', x: 0.2, y: 0.5 },
  ],
  zoneMm: { width: 40, height: 30 },
  fromMm: { left: 120, top: 85 },
};
const hidden: Placement = {
  slotId: 'slot-1',
  marks: [],
  hiddenSide: 'below',
  zoneMm: { width: 254, height: 127 },
};

function logo(patch: Partial<SheetLogo> = {}): SheetLogo {
  return {
    number: 1,
    slotName: '2. chest',
    name: 'crest',
    picture: 'decal-aa.png',
    width: 60,
    height: 40,
    method: 'Embroidery',
    inks: [{ name: 'Team red', pantoneCode: '186 C', hex: null }],
    ...patch,
  };
}

function variant(patch: Partial<SheetVariant> = {}): SheetVariant {
  return { id: 'v1', name: 'Home', notices: [], zones: [], logos: [], ...patch };
}

describe('inks', () => {
  test.each([
    ['186 C', 'Team red', 'PANTONE 186 C, Team red'],
    ['186 C', '', 'PANTONE 186 C'],
    [null, 'White', 'White'],
  ])('an ink with the code %s and the name "%s" is printed as %s', (pantoneCode, name, title) => {
    expect(formatInk({ name, pantoneCode, hex: null })).toBe(title);
  });
});

describe('lengths', () => {
  test.each([
    [25.4, 50.8, '25.4 × 50.8 mm (1.00 × 2.00 in)'],
    [40, 30, '40 × 30 mm (1.57 × 1.18 in)'],
    [0, 1, '0 × 1 mm (0.00 × 0.04 in)'],
  ])('the size %d × %d is printed in millimetres and inches', (width, height, text) => {
    expect(formatLengths(width, height)).toBe(text);
  });

  test.each([
    ['measured', { placement: placed }, 'zone 40 × 30 mm (1.57 × 1.18 in), image 60 × 40 px'],
    ['not captured', {}, 'image 60 × 40 px'],
    ['without a readable image', { width: 0, height: 0 }, 'no image'],
    [
      'measured, without an image',
      { placement: hidden, width: 0 },
      'zone 254 × 127 mm (10.00 × 5.00 in), no image',
    ],
    ['on no surface', { placement: { slotId: 'slot-1', marks: [] } }, 'image 60 × 40 px'],
  ])('the size of a logo that is %s is printed', (_title, patch, text) => {
    expect(formatLogoSize(logo(patch))).toBe(text);
  });
});

describe('the position of a logo', () => {
  test.each([
    [
      'in the view that shows it best',
      placed,
      'left view: zone centre 120 mm from the left edge, 85 mm from the top edge',
      '2. chest',
    ],
    ['in no view', hidden, 'in no view: seen from below', '2. chest, from below'],
    ['on no surface', { slotId: 'slot-1', marks: [] }, undefined, '2. chest'],
    ['without measures', { slotId: 'slot-1', marks: placed.marks }, undefined, '2. chest'],
    ['not captured', undefined, undefined, '2. chest'],
  ] as const)('the position of a logo is described: %s', (_title, placement, text, slot) => {
    const shown = logo(placement && { placement });
    expect([formatPlacement(shown), formatSlotView(shown)]).toEqual([text, slot]);
  });

  test('explainMissingCloseUp() states why a logo has no close-up', () => {
    const views = { front: 'a', back: 'b', left: 'c', right: 'd' };
    expect(explainMissingCloseUp(variant({ views }))).toBe('Not in the captured views');
    expect(explainMissingCloseUp(variant())).toBe('Not captured');
  });
});

describe('the warnings of a preview', () => {
  const pantone = { code: '186 C', hex: '#c8102e' };
  const stale =
    'Views out of date. Logos, their placement or materials changed after these views were captured.';

  test.each<[string, Partial<SheetVariant>, string[]]>([
    [
      'a complete sheet',
      { zones: [{ name: '1. body', material: 'oak', pantone }], logos: [logo()] },
      [],
    ],
    ['a sheet without zones and logos', {}, []],
    ['old views', { notices: ['stale'] }, [stale]],
    [
      'a failed capture',
      { notices: ['not-captured'] },
      ['Not captured. The capture of this variant failed. Do not measure from these pictures.'],
    ],
    [
      'a failed capture over old views',
      { notices: ['not-captured', 'stale'] },
      [
        'Not captured. The capture of this variant failed. Do not measure from these pictures.',
        stale,
      ],
    ],
    [
      'no capture',
      { notices: ['never-captured'] },
      ['Preview only. This variant was never captured: no markers and no measured placements.'],
    ],
    [
      'zones without a Pantone, in one line',
      {
        zones: [
          { name: '1. body', material: 'oak' },
          { name: '2. seam', material: 'red', pantone },
          { name: '3. collar', material: "the file's own" },
        ],
      },
      ['Fabric zones without a Pantone: 1. body, 3. collar.'],
    ],
    [
      'a logo without any data',
      {
        logos: [{ number: 1, slotName: '1. a', name: 'crest', width: 0, height: 0, inks: [] }],
      },
      [
        'Logo crest has no decoration method.',
        'Logo crest has no inks.',
        'Logo crest has no image.',
      ],
    ],
    [
      'two logos, one without inks',
      { logos: [logo({ inks: [] }), logo({ name: 'badge' })] },
      ['Logo crest has no inks.'],
    ],
  ])('the warnings list the missing data of %s', (_title, patch, lines) => {
    const options = {
      captureMode: 'flat' as const,
      recaptureAll: false,
      includeSideViews: true,
      includeDetailPages: true,
    };
    const sheet = { modelName: 'shirt', options, variants: [variant(patch), variant()] };
    expect(listSheetWarnings(sheet)).toEqual(lines.map((line) => `Home: ${line}`));
  });

  test('the warnings include the notice of each variant with old views', () => {
    const names = ['Home', 'Away'].map((name) => variant({ name, notices: ['stale'] }));
    expect(names.map((each) => listNotices(each).map(({ title }) => title))).toEqual([
      ['Views out of date'],
      ['Views out of date'],
    ]);
  });
});
