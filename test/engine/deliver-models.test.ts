// Files of models are delivered to a folder: one link request for each model. The files are checked, and the next run
// knows them.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { NodeContext } from '../../src/engine/node-context.ts';
import type { ModelFormat } from '../../src/features/delivery/models/model-output.ts';
import { removeRenamed } from '../../src/features/delivery/remove-renamed.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type { AssetResult, DeliveredFile, StepAsset } from '../../src/plan/types.ts';
import { createObjectSource } from '../../src/store/records/source-version.ts';
import { makeGlb } from '../glb/_make-glb.ts';
import { zipOf } from '../glb/_zip.ts';
import { colorway, inCell } from '../plan/_cells.ts';
import { asset } from '../plan/_steps.ts';
import { sourceOf, withManifest } from '../store/_store.ts';
import { runContext } from './_context.ts';
import { codes, paths, useDelivery } from './_delivery.ts';
import type { Serving } from './_platform.ts';

const delivery = useDelivery();
const glb = Buffer.from(makeGlb({ asset: { version: '2.0' } }));
const usdz = zipOf({ 'model.usda': '#usda 1.0' });
const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const naming = '{{ key }}/{{ output }}.{{ ext }}';
const delivered = 'marks000';
const stages = {
  source: 's',
  composition: 'c',
  render: 'r',
  sheet: 'h',
  deliveries: { step: { fingerprint: delivered, connector: 'out' } },
};

/** Files of a model on the platform, by format. */
let had: Record<string, Buffer>;
const links: string[] = [];
const signed = '?signature=secret-of-the-link';

beforeEach(() => {
  had = { glb, usdz, source: glb };
  links.length = 0;
  delivery.platform.intercept = (request, url) => {
    const modelId = /^GET \/models\/([^/]+)\/download$/.exec(request)?.[1];
    if (modelId === undefined) return undefined;
    const format = url.searchParams.get('format') ?? '';
    links.push(`${modelId} ${format}`);
    const gone = modelId === 'm-gone' && { code: 'MODEL_NOT_FOUND', message: `no ${modelId}` };
    const lacks = had[format] === undefined && { code: 'NO_FILE', message: `no ${format} here` };
    const error = gone || lacks;
    if (error) return { status: 404, body: { error } };
    const name = `${modelId}.${format}`;
    delivery.platform.pictures.set(name, had[format] ?? glb);
    const location = delivery.platform.urlOf(name) + signed;
    return { status: 302, body: {}, headers: { location } };
  };
});

const refused: Serving = (response) => {
  response.writeHead(403);
  response.end();
};

interface More extends Partial<NodeContext> {
  naming?: string;
}

/** Runs like an export of models with a known delivery. */
async function run(
  assets: StepAsset[],
  formats: readonly ModelFormat[] = ['glb', 'usdz'],
  { naming: by = naming, ...more }: More = {},
): Promise<AssetResult[]> {
  const connectors = { out: { type: 'local', path: delivery.folder } };
  const store = openRunStore(delivery.records, runContext({ connectors }));
  if ((await store.runAssets.head()) === null) {
    const found = assets.flatMap((one) => one.cells ?? [one]);
    await withManifest(
      store,
      found.map((one) => ({ ...one, reason: 'new' })),
    );
  }
  await store.recipes.write('r', stages);
  const step = { id: 'step', node: 'step', batch: 50, retry: null, delivery: delivered };
  const context = { store, run: runContext({ connectors }), step, ...more };
  return delivery.run(by, assets, { what: ['models'], formats, ...context });
}

const model = (key: string) => asset(key, { modelId: `m-${key}` });
const filesOf = (results: readonly AssetResult[]): readonly DeliveredFile[] =>
  results.flatMap((result) =>
    'platformIds' in result ? (result.platformIds?.modelFiles ?? []) : [],
  );

describe('delivering the files of a model', () => {
  it('a model is delivered in each format with one request, completely and with its hash', async () => {
    const results = await run([model('a'), model('b')], ['glb', 'usdz', 'source']);
    expect(codes(results)).toEqual(['done', 'done']);
    expect(paths(results)).toEqual([
      'a/glb.glb',
      'a/usdz.usdz',
      'a/source.glb',
      'b/glb.glb',
      'b/usdz.usdz',
      'b/source.glb',
    ]);
    expect(links.toSorted()).toEqual([
      'm-a glb',
      'm-a source',
      'm-a usdz',
      'm-b glb',
      'm-b source',
      'm-b usdz',
    ]);
    expect(await readFile(join(delivery.folder, 'a/usdz.usdz'))).toEqual(usdz);
    expect(filesOf(results)[0]).toEqual({
      key: 'a',
      path: 'a/glb.glb',
      bytes: glb.length,
      sha256: sha256Of(glb),
      width: 0,
      height: 0,
      output: 'm-a.glb',
      delivery: delivered,
    });
    expect(JSON.stringify(results)).not.toContain('secret-of-the-link');
  });

  it('for a model with known files, only the missing formats are requested', async () => {
    const first = await run([model('a')], ['glb']);
    const known = asset('a', { modelId: 'm-a', modelFiles: [...filesOf(first)] });
    links.length = 0;
    const again = await run([known], ['glb', 'usdz']);
    expect(links).toEqual(['m-a usdz']);
    expect(paths(again)).toEqual(['a/glb.glb', 'a/usdz.usdz']);
    // Another model has none of these files.
    links.length = 0;
    await run([asset('a', { modelId: 'm-new', modelFiles: [...filesOf(first)] })], ['glb']);
    expect(links).toEqual(['m-new glb']);
  });

  it('a model whose known file was replaced is requested again', async () => {
    const first = await run([model('a')], ['glb']);
    const known = asset('a', { modelId: 'm-a', modelFiles: [...filesOf(first)] });
    links.length = 0;
    await writeFile(join(delivery.folder, 'a/glb.glb'), 'somebody else’s');
    expect(codes(await run([known], ['glb']))).toEqual(['done']);
    expect(links).toEqual(['m-a glb']);
    expect(await readFile(join(delivery.folder, 'a/glb.glb'))).toEqual(glb);
  });

  it('a format that the platform lacks fails, and the files of other formats are kept', async () => {
    delete had['usdz'];
    const results = await run([model('a')]);
    expect(results).toMatchObject([
      {
        outcome: 'failed',
        code: 'NO_MODEL_FILE',
        message: 'the platform has no usdz of model m-a: no usdz here',
      },
    ]);
    expect(results[0]).not.toHaveProperty('missing');
    expect(filesOf(results)).toMatchObject([{ path: 'a/glb.glb' }]);
    expect(links.toSorted()).toEqual(['m-a glb', 'm-a usdz']);
    links.length = 0;
    const known = asset('a', { modelId: 'm-a', modelFiles: [...filesOf(results)] });
    await run([known]);
    expect(links).toEqual(['m-a usdz']);
  });

  it('a model that is missing on the platform fails alone and is marked as missing', async () => {
    const results = await run([model('a'), asset('b', { modelId: 'm-gone' })], ['glb']);
    expect(results).toMatchObject([
      { outcome: 'done' },
      { outcome: 'failed', code: 'MODEL_NOT_FOUND', missing: true },
    ]);
  });

  it('a model whose links are refused fails alone, and the message contains no link', async () => {
    delivery.platform.servings.set('m-a.glb', Array(6).fill(refused));
    const results = await run([model('a'), model('b')], ['glb']);
    expect(codes(results)).toEqual(['OUTPUT_REFUSED', 'done']);
    expect(JSON.stringify(results)).not.toContain('secret-of-the-link');
  });

  it('an expired link is replaced with a new one', async () => {
    delivery.platform.servings.set('m-a.glb', [refused]);
    expect(codes(await run([model('a')], ['glb']))).toEqual(['done']);
    expect(links).toEqual(['m-a glb', 'm-a glb']);
  });
});

describe('a downloaded file', () => {
  const cut = (bytes: Buffer) => bytes.subarray(0, bytes.length - 1);
  it.each<[string, ModelFormat, () => Buffer, string]>([
    ['a truncated GLB', 'glb', () => cut(glb), 'OUTPUT_UNREADABLE'],
    ['a web page instead of a GLB', 'glb', () => Buffer.from('<html>no'), 'OUTPUT_UNREADABLE'],
    ['a GLB without JSON', 'glb', () => Buffer.from(makeGlb('no json')), 'OUTPUT_UNREADABLE'],
    ['an empty GLB', 'glb', () => Buffer.alloc(0), 'OUTPUT_UNREADABLE'],
    ['a truncated USDZ', 'usdz', () => cut(usdz), 'OUTPUT_UNREADABLE'],
    ['an archive without a stage', 'usdz', () => zipOf({ 'a.txt': 'a' }), 'OUTPUT_UNREADABLE'],
    ['a truncated source', 'source', () => cut(glb), 'OUTPUT_UNREADABLE'],
  ])('%s is not delivered', async (_name, format, bytes, code) => {
    had = { [format]: bytes() };
    expect(codes(await run([model('a')], [format]))).toEqual([code]);
    expect(await delivery.files()).toEqual([]);
  });

  it('a downloaded file that differs from the uploaded source is not delivered', async () => {
    const store = openRunStore(delivery.records, runContext());
    store.sourceHashes.set('a', 'v1', sha256Of(Buffer.from('what was uploaded')));
    expect(codes(await run([model('a')], ['source']))).toEqual(['MODEL_FILE_OTHER']);
    store.sourceHashes.set('a', 'v1', sha256Of(glb));
    expect(codes(await run([model('a')], ['source']))).toEqual(['done']);
  });

  it('the source file of a selected model gets the extension that the platform reports', async () => {
    had['source'] = Buffer.from('v 0 0 0\n');
    const one = {
      ...asset('chair', { modelId: 'm-1', fileType: 'obj' }),
      source: createObjectSource('m-1', 'Chair 2.0', [], 8),
    };
    expect(paths(await run([one], ['source'], { naming: '{{ key }}.{{ ext }}' }))).toEqual([
      'chair.obj',
    ]);
  });
});

describe('model files in a grid', () => {
  const cell = (name: string, modelFiles?: readonly DeliveredFile[]) => ({
    ...asset(`a@${name}`, { modelId: 'm-a', ...(modelFiles ? { modelFiles } : {}) }),
    source: inCell(asset('a').source, 'a', colorway(name)),
  });
  const modelOf = (...cells: ReturnType<typeof cell>[]): StepAsset => ({
    ...asset('a', { modelId: 'm-a' }),
    cells,
  });

  it('one cell owns the file, all cells refer to it, and a later cell needs no request', async () => {
    const first = await run([modelOf(cell('Oak'), cell('Navy'))], ['glb'], {
      naming: 'ar/{{ key }}.{{ ext }}',
    });
    expect(first).toMatchObject([
      {
        key: 'a',
        outcome: 'done',
        platformIds: { modelFiles: [{ key: 'a@Oak', path: 'ar/a.glb' }] },
      },
      { key: 'a@Oak', outcome: 'done', files: [{ key: 'a@Oak', path: 'ar/a.glb' }] },
    ]);
    expect(first[0]).not.toHaveProperty('files');
    expect(links).toEqual(['m-a glb']);

    const late = await run([modelOf(cell('Moss'))], ['glb'], { naming: 'ar/{{ key }}.{{ ext }}' });
    expect(links).toEqual(['m-a glb']);
    expect(late).toMatchObject([{ key: 'a', platformIds: { modelFiles: [{ key: 'a@Oak' }] } }]);
    expect(paths(late)).toEqual([]);
  });

  it('a cell that took over a file from a withdrawn cell keeps the file', async () => {
    const naming = 'ar/{{ key }}.{{ ext }}';
    const [file] = filesOf(await run([modelOf(cell('Oak'))], ['glb'], { naming }));
    if (!file) throw new Error('nothing was delivered');
    const cells = [cell('Navy', [{ ...file, key: 'a@Navy' }]), cell('Moss', [file])];
    expect(await run([modelOf(...cells)], ['glb'], { naming })).toMatchObject([
      { key: 'a', platformIds: { modelFiles: [{ key: 'a@Navy' }] } },
      { key: 'a@Navy', files: [{ key: 'a@Navy', path: 'ar/a.glb' }] },
    ]);
    expect(links).toEqual(['m-a glb']);
  });

  it('if a model moves, its file moves too', async () => {
    await writeFile(join(delivery.folder, 'old.glb'), glb);
    const size = { bytes: glb.length, sha256: sha256Of(glb), width: 0, height: 0 };
    const of = { key: 'old@Oak', output: 'm-a.glb', delivery: delivered };
    const file = { ...of, path: 'old.glb', ...size };
    const store = openRunStore(delivery.records, runContext());
    const record = await store.records.write({
      key: 'old@Oak',
      source: inCell(asset('old').source, 'old', colorway('Oak')),
      recipe: 'r',
      platformIds: { modelFiles: [file] },
      files: [file],
      run: 'before',
      lineage: 'before',
      finishedAt: '2026-01-01T00:00:00Z',
    });
    const destination = delivery.connector.describe();
    await store.pathOwners.claim([{ destination, path: 'old.glb', key: 'old' }]);
    const moved = { key: 'old@Oak', record, isKeyUnused: true };
    const oak = { ...cell('Oak', [file]), moved };
    const results = await run([modelOf(oak)], ['glb'], { naming: '{{ key }}.{{ ext }}' });
    expect(results).toMatchObject([
      { key: 'a' },
      { key: 'a@Oak', files: [{ key: 'a@Oak', path: 'a.glb', previousPath: 'old.glb' }] },
    ]);
    expect(links).toEqual([]);
    const files = results.flatMap((result) => ('files' in result ? (result.files ?? []) : []));
    const context = {
      store,
      getConnector: () => delivery.connector,
      signal: new AbortController().signal,
      assertLease: async () => undefined,
    };
    expect(await removeRenamed({ ...oak, files, moved }, context)).toEqual([]);
    expect(await delivery.files()).toEqual(['a.glb']);
  });
});

it('two models can swap the names of their files', async () => {
  const named = (key: string, sku: string): StepAsset => {
    const { platformIds, ...one } = model(key);
    return { ...one, platformIds: { ...platformIds, projectId: sku } };
  };
  const naming = '{{ project }}.{{ ext }}';
  const store = openRunStore(delivery.records, runContext());
  const first = await run([named('a', 'one'), named('b', 'two')], ['glb'], { naming });
  const records = ['a', 'b'].map((key, index) =>
    store.records.write({
      key,
      source: sourceOf(key),
      recipe: 'r',
      platformIds: {},
      files: [...filesOf(first.slice(index, index + 1))],
      run: 'first',
      lineage: 'first',
      finishedAt: '2026-01-01T00:00:00Z',
    }),
  );
  const previous = await Promise.all(records);
  const later = openRunStore(delivery.records, runContext({ run: 'second' }));
  await withManifest(
    later,
    ['a', 'b'].map((key, index) => ({
      key,
      source: sourceOf(key),
      reason: 'changed',
      previous: [previous[index] ?? ''],
    })),
  );
  const again = await run([named('a', 'two'), named('b', 'one')], ['glb'], {
    naming,
    store: later,
  });
  expect(paths(again)).toEqual(['two.glb', 'one.glb']);
});
