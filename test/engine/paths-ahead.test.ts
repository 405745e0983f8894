// Two assets with the same output file. `plan` and discovery refuse the second asset before anything is paid.
import { describe, expect, it } from 'vitest';
import {
  hasNamesToCompare,
  nameOutputs,
  predictPaths,
} from '../../src/features/delivery/file-names.ts';
import type { Delivery } from '../../src/plan/run/deliveries.ts';
import { deliveriesOf, otherDestinationsOf } from '../../src/plan/run/deliveries.ts';
import { type DiscoverySource, previewDiscovery } from '../../src/store/discovery/discover-run.ts';
import { RerunSelection } from '../../src/store/discovery/rerun-selection.ts';
import type { UnfinishedAsset } from '../../src/store/discovery/unfinished-assets.ts';
import { createCellKey } from '../../src/store/records/cell-keys.ts';
import { putFile } from '../connectors/_temp-folder.ts';
import { colorway, inCell } from '../plan/_cells.ts';
import { asset, step } from '../plan/_steps.ts';
import { modelsFolder } from '../store/_models-folder.ts';

const connectors = {
  pictures: { type: 'local', path: '/out' },
  same: { type: 'local', path: '/out' },
  other: { type: 'local', path: '/elsewhere' },
};

const delivery = (naming: string, more: Partial<Delivery> = {}): Delivery => ({
  connector: 'pictures',
  naming,
  isUnconditional: true,
  ...more,
});

interface Case {
  files: string[];
  deliveries?: Delivery[];
  more?: Partial<DiscoverySource>;
  done?: string[];
}

async function look({ files, deliveries, more = {}, done = [] }: Case) {
  const folder = await modelsFolder(Object.fromEntries(done.map((file) => [file, 'x'])));
  if (done.length > 0) await folder.deliver('first');
  for (const file of files) await putFile(folder.folder, file, 'y', 1_700_000_000_000);
  const to = deliveries ?? [delivery('{{ key }}.{{ ext }}')];
  return previewDiscovery(folder.storeOf('later'), {
    ...folder.source,
    planPaths: (one) => predictPaths(to, connectors, one),
    ...more,
  });
}

const keysOf = ({ assets }: Awaited<ReturnType<typeof look>>) => assets.map(({ key }) => key);
const grid = (colorways: readonly string[]): NonNullable<DiscoverySource['grid']> => ({
  keysOf: (model) => colorways.map((name) => `${model}@${name}`),
  cellsOf: (model, source) =>
    colorways.map((name) => ({
      key: `${model}@${name}`,
      source: inCell(source, model, colorway(name)),
    })),
  failuresOf: () => [],
  locate: () => '',
});

describe('two assets with different file names', () => {
  it.each([
    [['lead.glb', ' lead.glb']],
    [['chairs/oslo.glb', 'chairs /oslo.glb']],
    [['_v1/x.glb', '_v1./x.glb']],
    [['y.glb', ' /y.glb']],
    [['k/a-b.glb', 'k/a:b.glb', 'k/a?b.glb']],
    [['a/b/x.glb', 'a/b /x.glb', 'a/b./x.glb', 'a/b. /x.glb']],
  ])('the file names %j produce one file per asset', async (files) => {
    const found = await look({ files });
    expect(found.refused).toEqual([]);
    const paths = found.assets.flatMap((one) =>
      nameOutputs(
        { ...one, platformIds: {} },
        [{ id: 'o', name: 'o', fileType: 'PNG', isVideo: false, isPreview: false }],
        { naming: '{{ key }}.{{ ext }}', run: 'r' },
      ).map(({ path }) => path.toLowerCase()),
    );
    expect(new Set(paths).size).toBe(files.length);
  });

  /** The first names belong to paid renders and must never change. */
  it.each([
    ['Oak + Brass', 'chairs/oslo/Oak + Brass.png', 'oslo-Oak + Brass.png'],
    ['Say "x"', 'chairs/oslo/Say -x-~18h9kqw.png', 'oslo-Say -x-~18h9kqw.png'],
    ['White/Navy', 'chairs/oslo/White-Navy~0osmh0y.png', 'oslo-White-Navy~0osmh0y.png'],
    ['a @ b', 'chairs/oslo/a @ b.png', 'oslo-a @ b.png'],
  ])('the colorway %s appears in its file names', (name, byKey, byName) => {
    const one = { ...asset(''), key: createCellKey('chairs/oslo', name) };
    const cell = { ...one, source: inCell(one.source, 'chairs/oslo', colorway(name)) };
    const output = { id: 'o', name: 'o', fileType: 'PNG', isVideo: false, isPreview: false };
    const named = (naming: string) => nameOutputs(cell, [output], { naming, run: 'r' })[0]?.path;
    expect(named('{{ key }}.{{ ext }}')).toBe(byKey);
    expect(named('{{ name }}-{{ colorway }}.{{ ext }}')).toBe(byName);
  });

  it.each([
    ['their keys differ', [delivery('{{ name }}/{{ key }}.png', { isUnconditional: false })]],
    ['a field is not yet known', [delivery('{{ model }}-{{ output }}.{{ ext }}')]],
    [
      'a condition may exclude one of the assets',
      [delivery('{{ model }}.{{ ext }}', { isUnconditional: false })],
    ],
    ['their projects differ', [delivery('{{ project }}.{{ ext }}')]],
  ])('file names are not refused if %s', async (_, deliveries) => {
    const more = { grid: grid(['Oak', 'Ash']) };
    const found = await look({ files: ['a.glb', 'b/a.glb'], deliveries, more });
    expect([found.refused, found.assets.length]).toEqual([[], 4]);
  });
});

describe('files of models in a grid', () => {
  const models = delivery('{{ key }}.{{ ext }}', { isPerModel: true });
  const more = { grid: grid(['Oak', 'Ash']) };

  it('all colorways of a model share its files', async () => {
    const found = await look({ files: ['a.glb', 'b/a.glb'], deliveries: [models], more });
    expect([found.refused, found.assets.length]).toEqual([[], 4]);
  });

  it('files of two models are refused if some disks would not distinguish them', async () => {
    const found = await look({ files: ['ma/ss.glb', 'ma/ß.glb'], deliveries: [models], more });
    expect(keysOf(found)).toEqual(['ma/ss@Oak', 'ma/ss@Ash']);
    expect(found.refused).toMatchObject([{ code: 'OUTPUT_PATH_TAKEN' }, {}]);
  });
});

describe('file names without {{ key }}', () => {
  it.each([
    ['{{ name }}.{{ ext }}', ['a/oslo.glb', 'b/turin.glb'], []],
    ['{{ name }}_{{ output }}_{{ index | pad(2) }}.{{ ext }}', ['a/oslo.glb', 'b/turin.glb'], []],
    ['{{ name }}_{{ output }}.{{ ext }}', ['a/oslo.glb', 'b/oslo.glb'], ['b/oslo.glb']],
    ['{{ name | slug }}.{{ ext }}', ['a b.glb', 'a-b.glb'], ['a-b.glb']],
    ['{{ name }}-{{ variant }}.{{ ext }}', ['a/oslo.glb', 'b/oslo.glb'], ['b/oslo.glb']],
  ])('with the template %s for %j, the refused files are %j', async (naming, files, refused) => {
    for (const isUnconditional of [true, false]) {
      const found = await look({ files, deliveries: [delivery(naming, { isUnconditional })] });
      expect(found.refused.map(({ key }) => key)).toEqual(refused);
    }
  });

  it('checking file names needs the whole listing only if they contain the name or a row', () => {
    const namings = ['{{ key }}.png', '{{ model }}.png', '{{ name }}.png', '{{ row.sku }}.png'];
    const whole = namings.map((naming) =>
      hasNamesToCompare([delivery('{{ key }}.tif'), delivery(naming)]),
    );
    expect(whole).toEqual([false, false, true, true]);
  });
});

describe('two assets whose files some disks do not distinguish', () => {
  it.each([
    ['{{ key }}.{{ ext }}', ['ma/ss.glb', 'ma/ß.glb'], 'ma/ss', 'ma/ß', 'ma/ß.{{ ext }}'],
    [
      '{{ key }}/{{ output }}.{{ ext }}',
      ['ας.glb', 'ασ.glb'],
      'ας',
      'ασ',
      'ασ/{{ output }}.{{ ext }}',
    ],
  ])(
    'with the template %s, the second of %j is refused',
    async (naming, files, first, second, path) => {
      const found = await look({ files, deliveries: [delivery(naming)] });
      expect(keysOf(found)[0]).toBe(first);
      expect(found.refused).toMatchObject([
        {
          key: files[1],
          node: 'take',
          code: 'OUTPUT_PATH_TAKEN',
          message: expect.stringContaining(`"${second}" would write the file "${path}"`),
        },
      ]);
      expect(found.refused[0]?.message).toContain(`"${first}"`);
      expect(found.counts).toMatchObject({ total: 2, new: 1 });
    },
  );

  it('the assets are refused if their keys differ only in empty parts', async () => {
    const keyOf: DiscoverySource['keyOf'] = ({ path }) => path.replace('-', '//');
    const found = await look({ files: ['a/b', 'a-b'].map((one) => `${one}.glb`), more: { keyOf } });
    expect(found.refused.map(({ code }) => code)).toEqual(['OUTPUT_PATH_TAKEN']);
  });

  it.each([
    ['whose names differ only in case', '{{ key }}.{{ ext }}', ['Oak', 'OAK']],
    ['that no field distinguishes', '{{ model }}.{{ ext }}', ['Oak', 'Ash']],
    ['that the index does not distinguish', 'x/{{ model }}/{{ index }}.{{ ext }}', ['Oak', 'Ash']],
  ])('the assets are refused if they are colorways %s', async (_, naming, colorways) => {
    const more = { grid: grid(colorways) };
    const found = await look({ files: ['a.glb'], deliveries: [delivery(naming)], more });
    expect(keysOf(found)).toEqual([`a@${colorways[0]}`]);
    expect(found.refused).toMatchObject([
      { code: 'OUTPUT_PATH_TAKEN', message: expect.stringContaining(`"a@${colorways[1]}"`) },
    ]);
  });

  it('an asset that was delivered before gets the name, even if it comes second', async () => {
    const found = await look({ done: ['ß.glb'], files: ['SS.glb'] });
    expect(keysOf(found)).toEqual([]);
    expect(found.refused).toMatchObject([
      { key: 'SS.glb', message: expect.stringContaining('"ß"') },
    ]);
  });

  it('the assets are accepted if both were delivered before', async () => {
    const found = await look({ done: ['ß.glb', 'SS.glb'], files: ['ß.glb', 'SS.glb'] });
    expect([found.refused, keysOf(found).length]).toEqual([[], 2]);
  });

  it('a rerun of the second asset refuses it, even if the rerun does not select the first one', async () => {
    const done = ['SS.glb'];
    const failure = { key: 'ß.glb', node: 'take', code: 'OUTPUT_PATH_TAKEN', message: '' };
    const undone: UnfinishedAsset = {
      key: 'ß.glb',
      asset: null,
      outcome: 'refused',
      failure: { ...failure, attempts: 0 },
      platformIds: {},
    };
    const again = new RerunSelection('first', [undone]);
    const found = await look({ done, files: ['ß.glb'], more: { rerunSelection: again } });
    expect(keysOf(found)).toEqual([]);
    expect(found.refused).toMatchObject([{ key: 'ß.glb', code: 'OUTPUT_PATH_TAKEN' }]);
  });
});

describe('the exports of a plan', () => {
  const config = { connector: 'pictures', naming: '{{ key }}' };
  it('exports are unconditional if no step before them has a condition', () => {
    const steps = [
      step('take', []),
      step('some', ['take'], { when: 'true' }),
      step('one', ['take'], { activity: 'export', config }),
      step('two', ['some'], { activity: 'export', config }),
      step('ar', ['take'], { activity: 'export', config: { ...config, what: ['models'] } }),
      step('old', ['take'], { activity: 'export', config: { ...config, supersede: 'keep' } }),
    ];
    expect(deliveriesOf(steps)).toEqual([
      { ...config, isUnconditional: true },
      { ...config, isUnconditional: false },
      { ...config, isUnconditional: true, isPerModel: true },
      { ...config, isUnconditional: true, keepsOldFiles: true },
    ]);
  });

  it('exports list each further destination once', () => {
    const to = (connector: string) => ({ activity: 'export', config: { connector, naming: 'x' } });
    const steps = ['pictures', 'other', 'same', 'other'].map((name, at) =>
      step(String(at), [], to(name)),
    );
    const plan = { steps, connectors, destination: connectors.pictures };
    expect(otherDestinationsOf(plan)).toEqual([connectors.other]);
    const one = { ...plan, steps: steps.slice(0, 1) };
    expect([
      otherDestinationsOf(one),
      otherDestinationsOf({ ...one, steps: [], destination: null }),
    ]).toEqual([[], []]);
  });

  it('exports have the same paths if two connectors share a location', () => {
    const to = [delivery('{{ key }}'), delivery('{{ key }}', { connector: 'same' })];
    const [one, other] = predictPaths(to, connectors, asset('a'));
    expect(one).toEqual({ ...other, connector: 'pictures' });
  });
});
