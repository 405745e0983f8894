import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPathProblem } from '../../src/connectors/safe-path.ts';
import {
  checkNaming,
  findUniqueSegment,
  foldPath,
  NamingError,
  namingFields,
  renderName,
  toSafeName,
} from '../../src/language/naming/naming.ts';

const fields = {
  key: 'shoes/red',
  name: 'red',
  output: 'Front View',
  index: '1',
  ext: 'png',
  model: 'm1',
  project: 'p1',
  template: 't1',
  run: 'catalog-1',
  variant: 'Oak',
  view: '',
  colorway: 'Oak',
  bookmark: 'front',
  shot: 'turn',
};

describe('filters for a field', () => {
  it.each([
    ['{{ index | pad(2) }}.{{ ext }}', {}, '01.png'],
    ['{{ index|pad( 3 ) }}.{{ ext }}', { index: '36' }, '036.png'],
    ['{{ index | pad(2) }}.{{ ext }}', { index: '1000' }, '1000.png'],
    ['{{ name | upper }}_{{ ext | upper }}', {}, 'RED_PNG'],
    ['{{ name | upper | lower }}', { name: 'ÄÖ' }, 'äö'],
    [
      '{{ colorway | slug }}',
      { colorway: 'White/Midnight Navy & Crème Brûlée' },
      'white-midnight-navy-creme-brulee',
    ],
    ['{{ colorway | slug }}', { colorway: 'Straße №5' }, 'strasse-no5'],
    ['{{ colorway | slug }}', { colorway: '白色' }, '白色'],
    ['{{ name }}_{{ output | replace(" ", "_") }}', {}, 'red_Front_View'],
    ["{{ output | replace('|', ' }') | replace(\"w\", '') }}", { output: 'a|w' }, 'a }'],
    ['{{ key | replace("/", "-") }}', {}, 'shoes-red'],
    ['{{ key | slug }}.{{ ext }}', { key: 'Living Room/Chair' }, 'living-room-chair.png'],
    ['{{ key | upper }}.{{ ext }}', {}, 'SHOES/RED.png'],
    ['{{ output | replace("Front", "..") }}', {}, 'View~1rozasy'],
    ['{{ row.sku | lower }}_{{ index | pad(2) }}', { row: { sku: 'AB 0012' } }, 'ab 0012_01'],
  ])('the template %s with %j is %s', (template, values, path) => {
    expect(checkNaming(template)).toEqual([]);
    expect(renderName(template, { ...fields, ...values })).toBe(path);
  });

  it.each([
    ['{{ index | pad }}', '"| pad" must be written as | pad(2)'],
    ['{{ index | pad(200) }}', '"| pad(200)" must be written as | pad(2)'],
    ['{{ name | uper }}', '"| uper" is not a filter; did you mean upper?'],
    [
      '{{ name | reverse }}',
      '"| reverse" is not a filter; filters are pad(2), upper, lower, slug, replace("a", "b")',
    ],
    [
      '{{ name | replace("", "b") }}',
      '"| replace("", "b")" must be written as | replace("a", "b")',
    ],
    [
      '{{ name | upper lower }}',
      '"| upper lower" is not a filter; filters are pad(2), upper, lower, slug, replace("a", "b")',
    ],
    [
      '{{ name | }}',
      '"|" is not a filter; filters are pad(2), upper, lower, slug, replace("a", "b")',
    ],
    ['{{ nme | upper }}', '{{ nme }} is not a field'],
  ])('the filter in %s is refused', (template, message) => {
    expect(checkNaming(template)).toMatchObject([{ message, start: 0, end: template.length }]);
  });
});

describe('names of files', () => {
  it.each([
    ['{{ key }}.{{ ext }}', {}, 'shoes/red.png'],
    ['{{key}}/{{output}}.{{ext}}', {}, 'shoes/red/Front View.png'],
    ['out/{{ name }}-{{ index }}.{{ ext }}', {}, 'out/red-1.png'],
    ['{{ run }}/{{ model }}_{{ project }}_{{ template }}', {}, 'catalog-1/m1_p1_t1'],
    ['a/{{ output }}', { output: '' }, 'a'],
    ['{{ key }}.{{ ext }}', { key: 'a//b/' }, 'a/b.png'],
    ['{{ key }}.{{ ext }}', { key: 'e\u0301' }, '\u00E9.png'],
    ['{{ key }}.{{ ext }}', { key: '/absolute' }, 'absolute.png'],
    // Paid renders have these names, so none of the names may ever change.
    [' {{ key }} / {{ output }} .{{ ext }}', {}, 'shoes/red/Front View .png'],
    ['{{ variant }} {{ view }}/{{ key }}.{{ ext }}', { variant: '' }, 'shoes/red.png'],
    ['{{ key }} {{ variant }}', { variant: '' }, 'shoes/red'],
    ['{{ view }} /{{ key }}.{{ ext }}', {}, 'shoes/red.png'],
    ['{{ variant }}.{{ ext }}', { variant: '' }, 'png~0inpqsg'],
    [
      '{{ key }}/{{ output }}.{{ ext }}',
      { output: 'Black/White' },
      'shoes/red/Black-White~0z3pef9.png',
    ],
    ['{{ key }}/{{ output }}.{{ ext }}', { output: 'a: "b"' }, 'shoes/red/a- -b-~1ugrtg8.png'],
    ['{{ key }}.{{ ext }}', { key: '.hidden' }, 'hidden~0u79gyo.png'],
    ['{{ key }}.{{ ext }}', { key: 'a/_v1/x ~ (2), 100% & #1' }, 'a/_v1/x ~ (2), 100% & #1.png'],
    ['{{ key }}.{{ ext }}', { key: '_con/Straße 1/ﬁ m²' }, '_con/Straße 1/ﬁ m².png'],
  ])('the file name %s with %j is %s', (template, values, path) => {
    expect(renderName(template, { ...fields, ...values })).toBe(path);
  });

  it.each([
    ['{{ key }}', { key: '../../etc/passwd' }],
    ['{{ name }}.{{ ext }}', { name: '..' }],
    ['{{ name }}.{{ ext }}', { name: 'a/b' }],
    ['{{ key }}', { key: 'a\\..\\b' }],
    ['{{ key }}', { key: 'nul\u0000byte' }],
    ['{{ key }}', { key: 'C:/windows' }],
    ['{{ output }}.{{ ext }}', { output: 'a\u202Egnp.exe' }],
    ['{{ key }}', { key: '.hidden' }],
    ['{{ key }}', { key: 'dot. ' }],
    ['{{ key }}', { key: 'line\nbreak' }],
    ['{{ key }}', { key: '\uD800' }],
    ['{{ key }}', { key: ' lead' }],
    ['{{ key }}/x', { key: 'chairs ' }],
    ['{{ key }}/x', { key: '_v1.' }],
    ['{{ key }}', { key: ' /y' }],
    ['{{ key }}', { key: '.../y' }],
    ['{{ key }}', { key: '\uFFFD' }],
    ['{{ key }}.{{ ext }}', { key: 'CON' }],
    ['{{ key }}', { key: 'lpt1.txt' }],
    ['{{ key }}', { key: 'nul .txt' }],
    ['{{ key }}', { key: 'com¹' }],
    ['{{ key }}', { key: 'CONIN$.a' }],
  ])(
    'the file name %s with %j is made safe and marked so that it stays unique',
    (template, values) => {
      const path = renderName(template, { ...fields, ...values });
      expect(path).toMatch(/~[0-9a-z]{7}/);
      expect(isSafe(path)).toBe(true);
    },
  );

  it('long names are shortened, but keep their extension and stay different', () => {
    const [first, second] = ['a', 'b'].map((last) =>
      renderName('{{ key }}.{{ ext }}', { ...fields, key: 'é'.repeat(300) + last }),
    );
    expect(first).toMatch(/\.png$/);
    expect(first).not.toBe(second);
    expect(Buffer.byteLength(first ?? '')).toBeLessThanOrEqual(200);
    const named = (key: string) => renderName('{{ key }}.{{ ext }}', { ...fields, key });
    expect(named('é'.repeat(300))).toBe(`${'é'.repeat(94)}~0dnn8z4.png`);
    expect(named(`${`${'a'.repeat(150)}/`.repeat(8)}b`)).toBe('06i22p4/b.png');
  });

  it('an empty name is refused, and so is an unknown field', () => {
    expect(() => renderName('{{ output }}', { ...fields, output: '' })).toThrow(NamingError);
    expect(() => renderName('{{ colour }}', fields)).toThrow(/colour/);
  });

  it('a name never leaves the folder, whatever the field values are', () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc
        .array(fc.constantFrom('..', '.', '/', '\\', 'a', ':', ' ', 'con', '~', '\u0000'), {
          maxLength: 8,
        })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(nasty, nasty, nasty, (key, name, output) => {
        const path = renderName('x/{{ key }}/{{ name }}{{ output }}.{{ ext }}', {
          ...fields,
          key,
          name,
          output,
        });
        expect(isSafe(path)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  const odd = [
    'a',
    'b',
    'B',
    ':',
    '?',
    '.',
    '..',
    '\\',
    ' ',
    '-',
    '_',
    'con',
    'é',
    'e\u0301',
    'ß',
    'ss',
  ];
  const part = fc.oneof(
    fc.array(fc.constantFrom(...odd, 'ﬁ', 'ς', 'σ', '\uD800', '\uDFFF', '\uFFFD', '\u3000'), {
      minLength: 1,
      maxLength: 5,
    }),
    fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.constantFrom('x', 'y').map((char) => [char.repeat(250)]),
  );
  /** Keys without empty parts, like paths. */
  const keyed = fc
    .array(
      part.map((parts) => parts.join('').replaceAll('/', '-')),
      { minLength: 1, maxLength: 3 },
    )
    .map((parts) => parts.join('/'));
  const folds = {
    'NFC and case': foldPath,
    'NFKC and case': (path: string) => foldPath(path.normalize('NFKC')),
  };

  it.each(Object.entries(folds))(
    'two keys never share a name, even if names are compared by %s',
    (_, fold) => {
      const templates = ['{{ key }}.{{ ext }}', 'p/{{ key }} /{{ output }}.{{ ext }}', '{{ key }}'];
      // These keys differ only slightly.
      const pair = fc.oneof(
        fc.tuple(keyed, keyed),
        keyed.chain((key) =>
          fc
            .tuple(fc.constantFrom(...odd), fc.nat(key.length))
            .map(([more, at]): [string, string] => [key, key.slice(0, at) + more + key.slice(at)]),
        ),
      );
      fc.assert(
        fc.property(fc.constantFrom(...templates), pair, (template, [one, other]) => {
          // The search for clashes refuses keys that are equal when folded.
          fc.pre(fold(one) !== fold(other));
          const [first = '', second = ''] = [one, other].map((key) =>
            renderName(template, { ...fields, key }),
          );
          expect(fold(first)).not.toBe(fold(second));
        }),
        { numRuns: 3_000 },
      );
    },
  );

  it('safe names stay unchanged, and connectors accept every name', () => {
    fc.assert(
      fc.property(keyed, (key) => {
        const path = renderName('{{ key }}', { ...fields, key });
        expect(findPathProblem(path)).toBeNull();
        expect(isSafe(path)).toBe(true);
        // Special spaces at the ends are kept, and the name is marked again.
        fc.pre(path.split('/').every((segment) => segment === segment.trim()));
        expect(renderName('{{ key }}', { ...fields, key: path })).toBe(path);
      }),
      { numRuns: 2_000 },
    );
  });

  it('different segments stay different, and a second call changes nothing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...odd, '/', '@', '"'), { maxLength: 6 }),
        fc.array(fc.constantFrom(...odd, '/', '@', '"'), { maxLength: 6 }),
        (x, y) => {
          const [one, other] = [x.join('').normalize('NFC'), y.join('').normalize('NFC')];
          fc.pre(one !== other);
          expect(toSafeName(one)).not.toBe(toSafeName(other));
          expect(toSafeName(toSafeName(one))).toBe(toSafeName(one));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['Chair', 'chair', true],
    ['e\u0301', 'É', true],
    ['straße', 'STRASSE', true],
    ['ς', 'σ', true],
    ['\u212A', 'k', true],
    ['kırmızı', 'kirmizi', false],
    ['m²', 'm2', false],
    ['a b', 'a-b', false],
  ])('the names %s and %s may be the same file on some disks: %s', (one, other, isOne) => {
    expect(foldPath(one) === foldPath(other)).toBe(isOne);
  });
});

describe('the part of a template that separates the files of two keys', () => {
  const folders = ['{{ key }}/{{ output }}.{{ ext }}', 'a/{{ run }}-{{key}}/{{ index }}.{{ext}}'];

  it.each<[string, ReturnType<typeof findUniqueSegment>]>([
    ...folders.map((template) => [template, 'folder'] as [string, 'folder']),
    ['{{ key }}.{{ ext }}', 'name'],
    ['pictures/{{key}}.{{ext}}', 'name'],
    ['{{ key }}-{{ index }}.{{ ext }}', null],
    ['{{ key }}/{{ variant }}/{{ name }}.{{ ext }}', null],
    ['{{ variant }}/{{ key }}.{{ ext }}', null],
    ['{{ key }}/{{ output }}', null],
    ['{{ project }}.{{ ext }}', null],
  ])('the part of %s that separates the files of two keys is %s', (template, expected) => {
    expect(findUniqueSegment(template)).toBe(expected);
  });

  it('a folder is enough to separate files, whatever the names of the outputs', () => {
    const part = fc.constantFrom('a', 'b', '/', '.', '-', '2', ':', ' ', '~');
    const text = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    // Keys have no empty parts.
    const key = text.filter((one) => one.split('/').every((segment) => /[a-b2]/.test(segment)));
    fc.assert(
      fc.property(
        fc.constantFrom(...folders),
        key,
        key,
        text,
        text,
        (template, one, other, x, y) => {
          fc.pre(one !== other);
          const [first, second] = [
            renderName(template, { ...fields, key: one, output: x, index: '1' }),
            renderName(template, { ...fields, key: other, output: y, index: '1' }),
          ];
          expect(first).not.toBe(second);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('checks of a template', () => {
  it.each([
    ['{{ kee }}.png', 0, 9, '{{ kee }} is not a field'],
    ['a/{{ }}', 2, 7, '{{ }} contains no field'],
    ['{{ key.name }}', 0, 14, '{{ key.name }} is not a field'],
    ['/a/{{ key }}', 0, 1, 'must be a path below the connector, not an absolute one'],
    ['../{{ key }}', 0, 2, 'must not contain the path segment ..'],
    ['a/./{{ key }}', 2, 3, 'must not contain the path segment .'],
    ['{{ key', 0, 2, '{{ is not closed'],
    ['key }}', 4, 6, '}} has no {{ before it'],
    ['{{ key }}:x', 9, 10, 'must not contain ":"'],
    ['a\\b', 1, 2, 'must not contain "\\\\"'],
  ])('the template %s has a mistake at %i-%i: %s', (template, start, end, message) => {
    expect(checkNaming(template)).toContainEqual(expect.objectContaining({ message, start, end }));
  });

  it.each(namingFields.map((field) => `{{ ${field} }}`))(
    'the template %s is accepted',
    (template) => {
      expect(checkNaming(template)).toEqual([]);
    },
  );
});

/** True if the path is relative, stays below its folder, and is accepted by every common file system. */
function isSafe(path: string): boolean {
  const segments = path.split('/');
  return (
    !/\p{Cs}/u.test(path) &&
    !/[\p{Cc}\\:*?"<>|\u202A-\u202E]/u.test(path) &&
    Buffer.byteLength(path) <= 900 &&
    segments.every(
      (segment) =>
        segment !== '' &&
        !/^\.|[. ]$/.test(segment) &&
        !/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(segment) &&
        Buffer.byteLength(segment) <= 200,
    )
  );
}
