// Two assets with the same output file. `plan` and discovery refuse the second asset before anything is paid.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { LocalConnector } from '../../src/connectors/local.ts';
import { compileSelection } from '../../src/engine/discovery/compile-selection.ts';
import { toUnkeyedObject } from '../../src/engine/discovery/platform-objects.ts';
import {
  hasNamesToCompare,
  nameOutputs,
  predictPaths,
} from '../../src/features/delivery/file-names.ts';
import type { Delivery } from '../../src/plan/run/deliveries.ts';
import { deliveriesOf, otherDestinationsOf } from '../../src/plan/run/deliveries.ts';
import {
  type DiscoverySource,
  discoverRun,
  previewDiscovery,
} from '../../src/store/discovery/discover-run.ts';
import type { MissingSource } from '../../src/store/discovery/moves/missing-sources.ts';
import { RerunSelection } from '../../src/store/discovery/rerun-selection.ts';
import type { UnfinishedAsset } from '../../src/store/discovery/unfinished-assets.ts';
import { decodeKey } from '../../src/store/objects/object-name.ts';
import { createCellKey } from '../../src/store/records/cell-keys.ts';
import { keyPartOf } from '../../src/store/records/records.ts';
import type { WithdrawalState } from '../../src/store/records/withdrawal-state.ts';
import { collect, putFile } from '../connectors/_temp-folder.ts';
import { fileOf } from '../features/_withdrawal.ts';
import { appearanceOf, colorway, inCell } from '../plan/_cells.ts';
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
  appearanceOf,
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

it('a run reports warnings about the names of its files', async () => {
  const folder = await modelsFolder({ 'mug.glb': 'x' });
  const findNameWarnings: DiscoverySource['findNameWarnings'] = (assets) =>
    assets.map(({ key }) => ({ key, message: 'the name is odd' }));
  const source = { ...folder.source, findNameWarnings, parameters: {}, shardSize: 2 };
  const { warnings } = await discoverRun(folder.storeOf('first'), source);
  expect(warnings).toEqual([{ key: 'mug', message: 'the name is odd' }]);
});

describe('a colorway that was renamed', () => {
  const deliveries = [delivery('{{ row.sku }}_{{ index }}.{{ ext }}')];
  const naming = (sku: string) => `${sku}_1.png`;
  const withSku = (name: string): NonNullable<DiscoverySource['grid']> => {
    const { cellsOf, ...rest } = grid([name]);
    const row = { values: { sku: 'A1' } };
    return {
      ...rest,
      cellsOf: (model, source) =>
        cellsOf(model, source).map(({ key, source: of }) => ({ key, source: { ...of, row } })),
    };
  };

  async function renamed(
    more: Partial<DiscoverySource> = {},
    delivered = naming('A1'),
    state: WithdrawalState | null = null,
  ) {
    const folder = await modelsFolder({ 'mug.glb': 'x' });
    const made = (key: string) => ({
      platformIds: { modelId: 'm' },
      files: [{ ...fileOf(delivered, key), key }],
    });
    await folder.deliver('first', { grid: withSku('Navy'), made });
    const { records, pathOwners } = folder.storeOf('first');
    const destination = folder.connector.describe();
    await pathOwners.claim([{ destination, path: delivered, key: 'mug@Navy' }]);
    const record = await records.find('mug@Navy');
    if (record && state) {
      const withdrawn = { state, run: 'first', at: record.finishedAt, archived: 0, deleted: 1 };
      const names = await collect(records.names());
      await records.write({ ...record, withdrawn }, names);
    }
    return previewDiscovery(folder.storeOf('later'), {
      ...folder.source,
      planPaths: (one) => predictPaths(deliveries, connectors, one),
      comparesAllNames: true,
      grid: withSku('Navy blue'),
      ...more,
    });
  }

  /** A run that withdraws the assets with these keys. */
  const withdrawing = (...keys: string[]): Partial<DiscoverySource> => ({
    findMissingSources: async () => ({
      records: keys.map((key) => ({ entry: {}, record: { key } }) as MissingSource),
      warnings: [],
    }),
  });

  it.each<[string, Partial<DiscoverySource>, WithdrawalState?]>([
    ['nothing is withdrawn', {}],
    ['an earlier run has begun to withdraw the old colorway', {}, 'leaving'],
    ['the run withdraws other assets', withdrawing('mug@Red')],
    ['a person selects the new colorway', { selector: compileSelection({ only: ['mug*'] }) }],
  ])('the new colorway is refused before it is paid for if %s', async (_, more, state) => {
    const { assets, classified, refused, counts } = await renamed(more, naming('A1'), state);
    expect([assets, classified, refused, counts]).toMatchObject([
      [],
      [],
      [
        {
          key: 'mug.glb',
          code: 'OUTPUT_PATH_TAKEN',
          message: expect.stringMatching(
            /"A1_\{\{ index \}\}.\{\{ ext \}\}", which belongs to "mug@Navy"\. This row or cell no longer exists/,
          ),
        },
      ],
      { total: 1, new: 0, changed: 0, unchanged: 0 },
    ]);
  });

  it.each<[string, Partial<DiscoverySource>, string, WithdrawalState?]>([
    ['the run withdraws the old colorway', withdrawing('mug@Navy'), naming('A1')],
    ['the old colorway was withdrawn', {}, naming('A1'), 'withdrawn'],
    ['the files of the old colorway have other names', {}, 'old/A1_1.png'],
  ])('the new colorway is taken if %s', async (_, more, delivered, state) => {
    expect(keysOf(await renamed(more, delivered, state))).toEqual(['mug@Navy blue']);
  });

  it('the new colorway is taken if the old one was delivered to another destination', async () => {
    const elsewhere = new LocalConnector({ type: 'local', path: '/elsewhere' });
    const found = await renamed({ getConnector: () => elsewhere });
    expect(keysOf(found)).toEqual(['mug@Navy blue']);
  });

  it('a run of selected colorways reads only the records of their models', async () => {
    const folder = await modelsFolder({ 'mug.glb': 'x', 'cup.glb': 'y', 'jug.glb': 'z' });
    await folder.deliver('first', { grid: grid(['Navy']) });
    await rm(join(folder.folder, 'jug.glb'));
    const store = folder.storeOf('later');
    const read = vi.spyOn(store.records, 'read');
    const found = await previewDiscovery(store, {
      ...folder.source,
      planPaths: (one) => predictPaths([delivery('{{ key }}.{{ ext }}')], connectors, one),
      grid: grid(['Navy', 'Red']),
      selector: compileSelection({ only: ['mug@Red'] }),
    });
    expect(keysOf(found)).toEqual(['mug@Red']);
    const readKeys = read.mock.calls.map(([name]) => decodeKey(keyPartOf(name)));
    expect(new Set(readKeys)).toEqual(new Set(['mug@Navy']));
  });

  it('a colorway of a model that the run does not list is not reported as gone', async () => {
    const found = await renamed({ keyOf: () => 'cup' });
    expect(found.refused).toMatchObject([
      { message: expect.stringMatching(/"mug@Navy"\. This run does not list its source/) },
    ]);
  });

  it('a rerun finds the refused colorway of a platform model again', async () => {
    const source = { path: 'mug', id: 'model-1', bytes: 0, mtimeMs: 0, version: 'v1' };
    const sources = [{ unkeyed: toUnkeyedObject('model-1', 'mug'), source }];
    const lister = { list: async () => ({ sources, failures: [] }) };
    const { refused } = await renamed({ lister });
    const unfinished = refused.map(
      (failure): UnfinishedAsset => ({
        key: failure.key,
        asset: null,
        outcome: 'refused',
        failure,
        platformIds: {},
      }),
    );
    const rerunSelection = new RerunSelection('later', unfinished);
    const again = await renamed({ lister, rerunSelection });
    expect(again.refused).toEqual(refused);
    expect(refused).toMatchObject([{ key: 'model-1', code: 'OUTPUT_PATH_TAKEN' }]);
  });

  it('the new colorway reuses the uploaded model', async () => {
    const found = await renamed({}, 'old/A1_1.png');
    expect(found.assets).toMatchObject([{ platformIds: { modelId: 'm' } }]);
  });
});

describe('a new file whose file names belong to a delivered file', () => {
  /** `2025/chair` was delivered as chair.png, and a run lists `2026/chair`, which wants the name. */
  async function chairs({
    isGone = true,
    keepsOldFiles,
    more = {},
  }: {
    isGone?: boolean;
    keepsOldFiles?: true;
    more?: Partial<DiscoverySource>;
  }) {
    const folder = await modelsFolder({ '2025/chair.glb': 'x' });
    const made = (key: string) => ({ files: [{ ...fileOf('chair.png', key), key }] });
    await folder.deliver('first', { made });
    const { pathOwners } = folder.storeOf('first');
    const destination = folder.connector.describe();
    await pathOwners.claim([{ destination, path: 'chair.png', key: '2025/chair' }]);
    if (isGone) await rm(join(folder.folder, '2025'), { recursive: true });
    await putFile(folder.folder, '2026/chair.glb', 'yy', 1_700_000_000_000);
    const deliveries = [
      delivery('{{ name }}.{{ ext }}', keepsOldFiles === undefined ? {} : { keepsOldFiles }),
    ];
    return previewDiscovery(folder.storeOf('later'), {
      ...folder.source,
      sources: 'models',
      keyOf: ({ path }) => path.replace('.glb', ''),
      planPaths: (one) => predictPaths(deliveries, connectors, one),
      comparesAllNames: true,
      ...more,
    });
  }

  it('takes the name over if the other file no longer exists', async () => {
    expect(keysOf(await chairs({}))).toEqual(['2026/chair']);
  });

  it.each<[string, Parameters<typeof chairs>[0], RegExp]>([
    [
      'the export keeps old files',
      { keepsOldFiles: true },
      /Its source no longer exists, but its files keep/,
    ],
    [
      'the run listed another folder',
      { more: { location: 'elsewhere' } },
      /does not list its source/,
    ],
  ])('is refused before it is paid for if %s', async (_, given, message) => {
    const { assets, refused, counts } = await chairs(given);
    expect(assets).toEqual([]);
    const failure = { key: '2026/chair.glb', code: 'OUTPUT_PATH_TAKEN' };
    expect(refused).toMatchObject([{ ...failure, message: expect.stringMatching(message) }]);
    expect(counts).toMatchObject({ total: 1, new: 0 });
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
    ];
    expect(deliveriesOf(steps)).toEqual([
      { ...config, isUnconditional: true },
      { ...config, isUnconditional: false },
      { ...config, isUnconditional: true, isPerModel: true },
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

  it('exports have the same paths if two connectors are the same place', () => {
    const to = [delivery('{{ key }}'), delivery('{{ key }}', { connector: 'same' })];
    const [one, other] = predictPaths(to, connectors, asset('a'));
    expect(one).toEqual({ ...other, connector: 'pictures' });
  });
});
