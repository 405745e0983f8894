import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeKey,
  encodeKey,
  encodeKeyStart,
  modelPartOf,
  parseRecordName,
  pipelineSlugOf,
  recordName,
  versionTokenOf,
} from '../../src/store/objects/object-name.ts';
import { createCellKey } from '../../src/store/records/cell-keys.ts';

const key = fc.string({ unit: 'binary', maxLength: 60 });

describe('object names of keys', () => {
  it.each([
    ['couch', 'couch'],
    ['shoes/summer-24/low_1', 'shoes+summer-24+low_1'],
    ['Shoe', '!shoe'],
    ['couch.glb', 'couch.glb'],
    ['a b', 'a%20b'],
    ['50%', '50%25'],
    ['a+b', 'a%2bb'],
    ['wow!', 'wow%21'],
    ["it's (1)", 'it%27s%20%281%29'],
    ['a@1~b', 'a%401%7eb'],
    ['schön', 'sch%c3%b6n'],
    ['.hidden', '%2ehidden'],
    ['..', '%2e.'],
    ['con', '%63on'],
    ['aux.glb', '%61ux.glb'],
    ['', '%'],
  ])('the object name of %j is %s', (plain, name) => {
    expect(encodeKey(plain)).toBe(name);
    expect(decodeKey(name)).toBe(plain);
  });

  it('object names can be decoded, unless they are shortened', () => {
    fc.assert(
      fc.property(key, (plain) => {
        const name = encodeKey(plain);
        expect(decodeKey(name)).toBe(name.includes('~') ? null : plain);
      }),
    );
  });

  it('object names are valid in every file system', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (plain) => {
        const name = encodeKey(plain);
        expect(name).toMatch(/^[a-z0-9%+!~_-][a-z0-9%+!~_.-]*$/);
        expect(name.length).toBeLessThanOrEqual(140);
        expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/);
      }),
    );
  });

  it('object names differ for different keys, even if case is ignored', () => {
    const pair = fc.tuple(
      fc.string({
        unit: fc.constantFrom('a', 'A', '/', '!', '+', '%', '.', 'é', 'É'),
        maxLength: 9,
      }),
      fc.string({
        unit: fc.constantFrom('a', 'A', '/', '!', '+', '%', '.', 'é', 'É'),
        maxLength: 9,
      }),
    );
    fc.assert(
      fc.property(pair, ([one, other]) => {
        const same = encodeKey(one).toLowerCase() === encodeKey(other).toLowerCase();
        expect(same).toBe(one === other);
      }),
    );
  });

  it('object names of the cells of a model start with the same text', () => {
    const model = fc.string({ unit: 'binary', maxLength: 200 });
    fc.assert(
      fc.property(model, key, key, (of, ...colorways) => {
        const names = colorways.map((one) => recordName(createCellKey(of, one), '1-1', 'deadbeef'));
        const start = encodeKeyStart(createCellKey(of, ''));
        for (const name of names) expect(name.startsWith(start)).toBe(true);
        expect(new Set(names.map(modelPartOf)).size).toBe(1);
      }),
    );
  });

  it('object names of long keys are short and distinct', () => {
    const long = 'x'.repeat(400);
    expect(encodeKey(long)).toHaveLength(133);
    expect(encodeKey(`${long}a`)).not.toBe(encodeKey(`${long}b`));
    expect(decodeKey(encodeKey(long))).toBeNull();
  });

  it.each(['Upper', 'sp ace', '%zz', 'a%2F', '%61bc', 'a%41'])(
    'a name that does not encode a key is not decoded: %s',
    (name) => expect(decodeKey(name)).toBeNull(),
  );

  it('keys with broken Unicode are refused', () => {
    expect(() => encodeKey('a\ud800')).toThrow(URIError);
  });
});

describe('names of records', () => {
  it('a record name contains key, version and recipe', () => {
    const name = recordName('Shoes/a@b', '1jk-m8x2', 'deadbeefcafe0123');
    expect(name).toBe('!shoes+a%40b@1jk-m8x2~deadbeef.json');
    expect(parseRecordName(name)).toEqual({
      key: '!shoes+a%40b',
      version: '1jk-m8x2',
      recipe: 'deadbeef',
    });
  });

  it('a record name can be parsed, whatever its parts contain', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }),
        fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 64 }),
        (plain, version, recipe) => {
          const name = recordName(plain, version, recipe);
          expect(Buffer.byteLength(name)).toBeLessThan(240);
          const parsed = parseRecordName(name);
          expect(parsed?.key).toBe(encodeKey(plain));
          expect(parsed?.version).toBe(versionTokenOf(version));
        },
      ),
    );
  });

  it.each(['a.json', 'a@1.json', 'a~b.json', '@1~b.json', 'a@1~b.json.tmp', 'a@1~b~c.json'])(
    'a record name does not match other files: %s',
    (name) => expect(parseRecordName(name)).toBeNull(),
  );
});

describe('folders of pipelines', () => {
  it.each([
    ['shoes', 'shoes'],
    ['summer-24', 'summer-24'],
  ])('the pipeline %s has the folder %s', (pipeline, slug) =>
    expect(pipelineSlugOf(pipeline)).toBe(slug),
  );

  it('similar pipeline names have different folders', () => {
    const names = [
      'shoes',
      'Shoes',
      'SHOES',
      'shoes!',
      'shöes',
      '-shoes',
      '日本',
      '本日',
      '..',
      'con',
    ];
    const slugs = names.map(pipelineSlugOf);
    expect(new Set(slugs).size).toBe(names.length);
    for (const slug of slugs) expect(slug).toMatch(/^[a-z0-9][a-z0-9-]*$/);
    expect(pipelineSlugOf('Summer Catalog 24')).toMatch(/^summer-catalog-24-[0-9a-f]{8}$/);
  });
});
