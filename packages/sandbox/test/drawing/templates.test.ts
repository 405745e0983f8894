import { describe, expect, it } from 'vitest';
import { linearOfHex } from '../../src/drawing/color.ts';
import { findBookmark, templateLooks } from '../../src/drawing/templates.ts';
import { plainLook } from './_pictures.ts';

describe('the looks of the sandbox', () => {
  it('the sandbox has six looks with different names, each with a bookmark "Main"', () => {
    expect(templateLooks.map(({ name }) => name)).toEqual([
      'Studio White',
      'Hero Dark',
      'Catalog Front',
      'Warm Floor',
      'Turntable',
      'Cut Out',
    ]);
    const withShots = templateLooks.filter(({ shots }) => shots.length > 0);
    expect(withShots.map(({ name }) => name)).toEqual(['Turntable']);
    for (const look of templateLooks)
      expect(look.bookmarks.map(({ name }) => name)).toEqual(['Main']);
  });

  it.each(templateLooks)('the look $name is plain data with valid colours', (look) => {
    expect(structuredClone(look)).toEqual(look);
    expect(JSON.parse(JSON.stringify(look))).toEqual(look);
    const { backdrop, key, fill, rim, sky, horizon, ground } = look;
    const colors = [
      backdrop.top,
      backdrop.bottom,
      key.color,
      fill.color,
      rim.color,
      sky,
      horizon,
      ground,
    ];
    for (const color of colors) expect(() => linearOfHex(color)).not.toThrow();
    if (backdrop.floor !== null) expect(() => linearOfHex(backdrop.floor ?? '')).not.toThrow();
  });
});

describe('bookmarkOf', () => {
  it.each([
    ['Back', 'Back'],
    ['Front', 'Front'],
    [undefined, 'Front'],
    ['back', 'Front'],
  ])('the bookmark name %s selects %s', (name, expected) => {
    expect(findBookmark(plainLook, name).name).toBe(expected);
  });

  it('a look without bookmarks causes an error that contains its name', () => {
    expect(() => findBookmark({ ...plainLook, bookmarks: [] })).toThrow(
      'The look "Plain" has no bookmark.',
    );
  });
});
