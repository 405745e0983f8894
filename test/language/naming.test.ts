import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  apartBy,
  checkNaming,
  NamingError,
  namingFields,
  renderName,
} from '../../src/language/naming.ts';

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
    ['{{ key }}.{{ ext }}', { key: 'CON' }, '_CON.png'],
    ['{{ key }}', { key: 'lpt1.txt' }, '_lpt1.txt'],
  ])('%s with %j is %s', (template, values, path) => {
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
  ])('%s with %j is made safe, and marked so that it stays unique', (template, values) => {
    const path = renderName(template, { ...fields, ...values });
    expect(path).toMatch(/~[0-9a-z]{7}/);
    expect(isSafe(path)).toBe(true);
  });

  it('keeps long names short, with their extension, and apart', () => {
    const [first, second] = ['a', 'b'].map((last) =>
      renderName('{{ key }}.{{ ext }}', { ...fields, key: 'é'.repeat(300) + last }),
    );
    expect(first).toMatch(/\.png$/);
    expect(first).not.toBe(second);
    expect(Buffer.byteLength(first ?? '')).toBeLessThanOrEqual(200);
  });

  it('refuses a name of which nothing is left', () => {
    expect(() => renderName('{{ output }}', { ...fields, output: '' })).toThrow(NamingError);
    expect(() => renderName('{{ colour }}', fields)).toThrow(/colour/);
  });

  it('never leaves the folder, whatever the fields are', () => {
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

  it('gives two keys two names', () => {
    const part = fc.constantFrom('a', 'b', ':', '?', '.', '..', '\\', ' ', '-', 'A');
    const key = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => `k${parts.join('')}`);
    fc.assert(
      fc.property(key, key, (one, other) => {
        fc.pre(one !== other);
        const [first, second] = [one, other].map((each) =>
          renderName('{{ key }}.{{ ext }}', { ...fields, key: each }),
        );
        expect(first).not.toBe(second);
      }),
      { numRuns: 500 },
    );
  });
});

describe('what keeps the files of two keys apart', () => {
  const folders = ['{{ key }}/{{ output }}.{{ ext }}', 'a/{{ run }}-{{key}}/{{ index }}.{{ext}}'];

  it.each<[string, ReturnType<typeof apartBy>]>([
    ...folders.map((template) => [template, 'folder'] as [string, 'folder']),
    ['{{ key }}.{{ ext }}', 'name'],
    ['pictures/{{key}}.{{ext}}', 'name'],
    ['{{ key }}-{{ index }}.{{ ext }}', null],
    ['{{ key }}/{{ variant }}/{{ name }}.{{ ext }}', null],
    ['{{ variant }}/{{ key }}.{{ ext }}', null],
    ['{{ key }}/{{ output }}', null],
    ['{{ project }}.{{ ext }}', null],
  ])('%s: %s', (template, expected) => {
    expect(apartBy(template)).toBe(expected);
  });

  it('a folder of its own does so whatever the outputs are called', () => {
    const part = fc.constantFrom('a', 'b', '/', '.', '-', '2', ':', ' ', '~');
    const text = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    // As keys are made: no empty parts.
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

describe('templates are checked', () => {
  it.each([
    ['{{ kee }}.png', 0, 9, '{{ kee }} is not a field'],
    ['a/{{ }}', 2, 7, '{{ }} names no field'],
    ['{{ key.name }}', 0, 14, '{{ key.name }} is not a field'],
    ['/a/{{ key }}', 0, 1, 'must be a path below the connector, not an absolute one'],
    ['../{{ key }}', 0, 2, 'must not hold the path segment ..'],
    ['a/./{{ key }}', 2, 3, 'must not hold the path segment .'],
    ['{{ key', 0, 2, '{{ without its pair'],
    ['key }}', 4, 6, '}} without its pair'],
    ['{{ key }}:x', 9, 10, 'must not hold ":"'],
    ['a\\b', 1, 2, 'must not hold "\\\\"'],
  ])('%s: %i-%i %s', (template, start, end, message) => {
    expect(checkNaming(template)).toContainEqual(expect.objectContaining({ message, start, end }));
  });

  it.each(namingFields.map((field) => `{{ ${field} }}`))('%s is taken', (template) => {
    expect(checkNaming(template)).toEqual([]);
  });
});

/** Relative, below its folder, and a name that every usual file system takes. */
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
