// Parameters that another program sends. The error names each wrong parameter, and no parameter leads out of a folder.
import { describe, expect, test } from 'vitest';
import { checkParameters } from '../../../src/app/http-starts/start-by-http.ts';
import type { Parameter } from '../../../src/compile/pipeline.ts';

const declared: Record<string, Parameter> = {
  season: { type: 'enum', values: ['SS26', 'FW26'] },
  views: { type: 'integer', min: 1, max: 8, default: 4 },
  folder: { type: 'path', default: 'models' },
  label: { type: 'string', default: '' },
};

describe('parameters of a request', () => {
  test.each<[string, Record<string, string | number | boolean>, string[]]>([
    ['with all values', { season: 'SS26', views: 3, folder: 'in/shoes', label: 'a..b: c/d' }, []],
    ['with text for a number, as forms send it', { season: 'SS26', views: '3' }, []],
    ['without a required value', {}, ['season has no value']],
    [
      'with a name that the file lacks',
      { season: 'SS26', colour: 1 },
      ['colour the pipeline has no parameter with this name'],
    ],
    [
      'with the names of properties that every object has',
      { season: 'SS26', constructor: 1, toString: 'a' },
      [
        'constructor the pipeline has no parameter with this name',
        'toString the pipeline has no parameter with this name',
      ],
    ],
    [
      'with values of other types',
      { season: 'XX', views: 9, label: true },
      [
        'season "XX" is not one of SS26, FW26',
        'views 9 is above the maximum of 8',
        'label true is not text',
      ],
    ],
  ])('parameters are checked %s', (_what, given, expected) => {
    expect(
      checkParameters(declared, given).map(({ name, message }) => `${name} ${message}`),
    ).toEqual(expected);
  });
});

describe('text that leads out of a folder', () => {
  test.each([
    '/etc',
    '..',
    '../x',
    'a/../../x',
    'a\\..\\x',
    '\\\\host\\share',
    '\\x',
    '~',
    '~root/x',
    'C:\\x',
    'c:/x',
    'a/..',
  ])('the text %s is refused', (text) => {
    for (const name of ['folder', 'label']) {
      expect(checkParameters(declared, { season: 'SS26', [name]: text })).toMatchObject([{ name }]);
    }
  });
});
