// Images of an export. Invalid options are refused at their position, with a fix. Also which stage images belong to.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { estimateFileCount } from '../../src/features/delivery/export-steps.ts';
import { deliveriesOf } from '../../src/plan/run/deliveries.ts';
import { compareStages } from '../../src/plan/stages.ts';
import { planOf, told } from './_compile.ts';

/** The options are on line 10, from column 29. */
const pipeline = (options: string, settings = '{}', naming = '{{ key }}.{{ ext }}') =>
  [
    'name: test',
    'connectors:',
    '  models: { type: local, path: models }',
    '  out: { type: local, path: out }',
    'nodes:',
    '  - { id: take, type: connector_poll, config: { connector: models } }',
    '  - { id: ready, type: model_ready, parentIds: [take] }',
    `  - { id: shots, type: render, parentIds: [ready], config: { settings: ${settings} } }`,
    '  - { id: deliver, type: export, parentIds: [shots], config: {',
    `        ${options}${options === '' ? '' : ','}`,
    `        connector: out, naming: "${naming}" } }`,
  ].join('\n');

const tiff = '{ imageFormat: TIFF }';

describe('valid options', () => {
  it.each([
    ['images: [{ format: JPEG }]'],
    ['images: [{ format: JPEG, maxBytes: 60KB, background: white }]'],
    ['images: [{ format: JPEG, quality: 70, maxBytes: 200000, background: "#f0f0f0" }]'],
    ['images: [{ format: WEBP, width: 600, height: 600, fit: contain, padding: 20 }]'],
    ['images: [{ format: AVIF, height: 600, fit: inside, background: transparent }]'],
    ['images: [{ format: PNG, width: 600, naming: "{{ key }}-600.{{ ext }}" }]'],
    ['images: [{ format: PNG }], original: false'],
    ['images: [{ format: TIFF, bits: 8 }], original: true'],
    ['what: [renders, production_files], images: [{ format: JPEG }]'],
    ['images: [{ format: JPEG }], accept: { change: "<10%" }'],
    ['original: true'],
  ])('the option %s is valid', (options) => {
    expect(told(pipeline(options))).toEqual([]);
  });

  it('16 bits are valid for a 16-bit render', () => {
    const own = '{{ key }}-print.{{ ext }}';
    const options = `images: [{ format: TIFF, bits: 16, naming: "${own}" }, { format: JPEG }]`;
    expect(told(pipeline(options, tiff))).toEqual([]);
  });
});

it('the example in the how-to guide is valid', async () => {
  const page = await readFile('docs/how-to/web-and-print.md', 'utf8');
  const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  expect(told(example)).toEqual([]);
  expect(planOf(example, { folder: 'models', out: 'out' }).steps).toHaveLength(6);
});

describe('the position of an invalid option', () => {
  const at = 'nodes[3].config';
  it.each([
    [
      'images: [{ format: PNG, quality: 80 }]',
      `10:42 RL204 ${at}.images[0].quality applies only to JPEG, WEBP and AVIF; a PNG has no quality: remove the field`,
    ],
    [
      'images: [{ format: TIFF, maxBytes: 80 }]',
      `10:44 RL204 ${at}.images[0].maxBytes applies only to JPEG, WEBP and AVIF; a TIFF has no quality: remove the field`,
    ],
    [
      'images: [{ format: JPEG, background: transparent }]',
      `10:46 RL204 ${at}.images[0].background cannot be transparent in a JPEG: set a colour, or another \`format\``,
    ],
    [
      'images: [{ format: JPEG, background: snow }]',
      `10:46 RL204 ${at}.images[0].background must be a colour such as "#ffffff", or white, black or transparent`,
    ],
    [
      'images: [{ format: WEBP, bits: 16 }]',
      `10:40 RL204 ${at}.images[0].bits 16 bits require a TIFF, not a WEBP: set format: TIFF or bits: 8`,
    ],
    [
      'images: [{ format: JPEG, width: 600, fit: cover }]',
      `10:51 RL204 ${at}.images[0].fit cover needs both width and height`,
    ],
    [
      'images: [{ format: JPEG, fit: inside }]',
      `10:39 RL204 ${at}.images[0].fit needs a size: set width, height or both`,
    ],
    [
      'images: [{ format: JPEG, width: 600, padding: 9 }]',
      `10:55 RL204 ${at}.images[0].padding needs \`fit: contain\`: only this fit adds padding around the picture`,
    ],
    [
      'images: [{ format: JPEG, width: 60, height: 40, fit: contain, padding: 20 }]',
      `10:80 RL204 ${at}.images[0].padding is too large: twice the padding must be less than width and height`,
    ],
    [
      'images: [{ format: JPEG, width: 16000, height: 16000, fit: contain }]',
      `10:41 RL204 ${at}.images[0].width times the height must be at most 67108864 pixels`,
    ],
    [
      'images: [{ format: JPEG, width: 20000 }]',
      `10:41 RL204 ${at}.images[0].width must be at most 16383`,
    ],
    [
      'images: [{ format: JPEG }, { format: JPEG, width: 600 }]',
      `10:36 RL204 ${at}.images[1] has the same names as images[0]: set a separate naming, such as "{{ key }}-600.{{ ext }}"`,
    ],
    [
      'original: false',
      `10:19 RL204 ${at}.original cannot be false without \`images\`: nothing would be delivered`,
    ],
    [
      'images: [{ format: JPEG }], original: false, accept: { change: "<10%" }',
      `10:62 RL204 ${at}.accept compares original pictures, so it needs original: true`,
    ],
    [
      'what: [production_files], images: [{ format: JPEG }]',
      `10:43 RL204 ${at}.images are made from pictures, so they need \`what: [renders]\``,
    ],
  ])('invalid options are refused at their position: %s', (options, problem) => {
    expect(told(pipeline(options))).toEqual([problem]);
  });

  it('an unknown format is refused at its position', () => {
    const [problem] = told(pipeline('images: [{ format: JPG }]'));
    expect(problem).toContain(`${at}.images[0].format must be`);
  });

  it('a file name with an unknown field is refused at its position', () => {
    const options = 'images: [{ format: JPEG, naming: "{{ key }}/{{ size }}.{{ ext }}" }]';
    expect(told(pipeline(options))[0]).toContain('RL521');
  });
});

describe('options that do not fit the render', () => {
  it.each([
    [
      '16 bits from an 8-bit render',
      'images: [{ format: TIFF, bits: 16 }]',
      '{}',
      '10:40 RL418 nodes[3].config.images[0].bits 16 requires a TIFF render, but this render is a PNG with 8 bits per channel | Set `imageFormat: TIFF` in the settings of the render, or remove `bits`.',
    ],
    [
      '16 bits from a JPEG',
      'images: [{ format: TIFF, bits: 16 }]',
      '{ imageFormat: JPEG }',
      '10:40 RL418 nodes[3].config.images[0].bits 16 requires a TIFF render, but this render is a JPEG with 8 bits per channel | Set `imageFormat: TIFF` in the settings of the render, or remove `bits`.',
    ],
    [
      'videos',
      'images: [{ format: JPEG }]',
      '{ renderBookmarks: false }',
      '10:17 RL418 nodes[3].config.images are made from pictures, but only videos are rendered (renderBookmarks: false) | Remove `images`, or render bookmarks.',
    ],
    [
      'the name of the original',
      'images: [{ format: PNG, width: 600 }]',
      '{}',
      '10:18 RL418 nodes[3].config.images[0] has the same name as its original | Set a separate naming, such as "{{ key }}-600.{{ ext }}", or set `original: false`.',
    ],
    [
      'a size larger than that of the render',
      'images: [{ format: JPEG, width: 2000 }]',
      '{}',
      '10:41 RL418 nodes[3].config.images[0].width is larger than the requested render (1920 x 1080): images are not enlarged, so this image fails unless the platform delivers a larger picture | Lower the size of the image, or request a larger render: `imageQuality: 2`, or a custom size.',
    ],
  ])(
    'an option that does not fit the render is refused or reported as a warning: %s',
    (_, options, settings, problem) => {
      expect(told(pipeline(options, settings))).toEqual([problem]);
    },
  );

  it.each([
    ['images: [{ format: JPEG, width: 3000 }]', '{ imageQuality: 2 }'],
    ['images: [{ format: JPEG, width: 1900, height: 2000 }]', '{}'],
    ['images: [{ format: JPEG, width: 2000, height: 1000 }]', '{}'],
    ['images: [{ format: PNG }], original: false', '{}'],
  ])('the options %s of %s fit the render', (options, settings) => {
    expect(told(pipeline(options, settings))).toEqual([]);
  });
});

describe('the stage of images', () => {
  const stagesOf = (options: string) => {
    const { stages, recipe } = planOf(pipeline(options));
    return { stages: stages ?? null, recipe };
  };

  it('the stage of images is the delivery, and earlier stages stay the same', () => {
    const [then, now] = [stagesOf(''), stagesOf('images: [{ format: JPEG }]')];
    expect(compareStages(then.stages, now.stages)).toEqual([
      'source',
      'composition',
      'render',
      'sheet',
    ]);
    expect(then.recipe).not.toBe(now.recipe);
  });

  it.each([
    ['images: [{ format: JPEG, quality: 70 }]'],
    ['images: [{ format: JPEG, naming: "{{ key }}/web.{{ ext }}" }]'],
    ['images: [{ format: JPEG }, { format: TIFF }]'],
    ['images: [{ format: JPEG }], original: false'],
  ])('the stage of images differs with %s', (options) => {
    expect(stagesOf(options).recipe).not.toBe(stagesOf('images: [{ format: JPEG }]').recipe);
  });

  it.each([['images: [{ format: JPEG }], original: true'], ['images: [{ format: "JPEG" }]']])(
    'the stage of images is the same with %s',
    (options) => {
      expect(stagesOf(options)).toEqual(stagesOf('images: [{ format: JPEG }]'));
    },
  );

  it('the recipe of files without images stays unchanged', () => {
    expect(stagesOf('original: true')).toEqual(stagesOf(''));
    expect(stagesOf('').recipe).toBe('060c4677f61932d9');
  });
});

it('the file names of images and of the originals are known before a run', () => {
  const own = '{{ key }}/web.{{ ext }}';
  const namings = (options: string) =>
    deliveriesOf(planOf(pipeline(options)).steps).map(({ naming }) => naming);
  const images = `images: [{ format: JPEG }, { format: WEBP, naming: "${own}" }]`;
  expect(namings(images)).toEqual(['{{ key }}.{{ ext }}', own]);
  expect(namings(`original: false, images: [{ format: WEBP, naming: "${own}" }]`)).toEqual([own]);
});

describe('the estimate of files', () => {
  const source = { path: 'a.glb', bytes: 1, mtimeMs: 1, version: '1' };
  const asset = { key: 'a', source };
  const known = { ...asset, outputs: { pictures: 2, videos: 1 } };
  const images = [{ format: 'JPEG' }, { format: 'TIFF' }];
  it.each([
    [{}, [asset], { total: 1, min: true }],
    [{}, [known], { total: 3, min: false }],
    [{ images }, [asset, asset], { total: 6, min: true }],
    [{ images }, [known], { total: 7, min: false }],
    [{ images, original: false }, [known], { total: 5, min: false }],
    [{ what: ['production_files'] }, [asset, asset], { total: 2, min: false }],
    [{ what: ['renders', 'production_files'], images }, [known], { total: 8, min: false }],
    [{ images }, [], { total: 0, min: false }],
  ])(
    'the number of files is estimated for an export %j with assets %j',
    (config, found, expected) => {
      expect(estimateFileCount({ config, found })).toEqual(expected);
    },
  );
});
