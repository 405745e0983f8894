// `renderline find` without Temporal: it searches the records, which are kept longer than runs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FoundRunAsset } from '../../src/app/find/temporal-lookup.ts';
import type { Paint } from '../../src/cli/color.ts';
import { formatMatches } from '../../src/cli/find/format.ts';
import { openConnector } from '../../src/connectors/index.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { assetOf, manifestAsset, settledAs, storeOn, withManifest } from '../store/_store.ts';
import { folderWith } from './_folder.ts';
import { run } from './_run-cli.ts';

const plain: Paint = (_color, text) => text;
const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
const model = '0b8f6c1e-7a53-4f0e-9f5d-6f3e1c2d4b5a';

const shoes = (records: string) => `name: shoes
connectors: { m: { type: local, path: ${records} } }
records: m
nodes: [{ id: take, type: connector_poll, config: { connector: m } }]
`;
const withParameter = shoes('"${{ params.folder }}"').replace(
  'connectors',
  'parameters: { folder: { type: path, required: true } }\nconnectors',
);

let cwd: string;
let store: RunStore;

/** A run that created a model for `boot` and then failed. */
beforeEach(async () => {
  cwd = folderWith({ 'shoes.yaml': shoes('./kept'), 'notes.yaml': 'a: 1', 'kept/a.txt': '' });
  store = storeOn(openConnector({ type: 'local', path: join(cwd, 'kept') }), 'shoes-1');
  await withManifest(store, [manifestAsset('boot')]);
  const intents = store.intents(0, 'take');
  const createdAt = '2026-01-01T00:00:00.000Z';
  const wish = { operation: 'createJob', key: 'k', bodyText: '{}', assets: ['boot'], createdAt };
  await intents.open(wish);
  await intents.finish('k', { boot: { modelId: model } });
  const failure = { key: 'boot', node: 'shots', code: 'RENDER_FAILED', message: 'no', attempts: 4 };
  const settled = settledAs('failed', assetOf('boot', { modelId: model }), { failure });
  await store.results.write('shoes-1', 0, 0, [settled]);
  const claim = { key: 'boot', version: '1-1', shard: 0 };
  await store.claims.markFree(claim, 'failed', failure);
});

describe('find', () => {
  it('find prints run, asset, node, outcome and status as JSON', async () => {
    const ran = await run(['find', model, 'shoes.yaml', '--json'], { cwd, env });
    expect([ran.code, ran.json()]).toEqual([
      0,
      {
        schema: 'renderline/find/v1',
        id: model,
        kind: 'model',
        found: [
          {
            run: 'shoes-1',
            pipeline: 'shoes',
            state: null,
            temporalUi: null,
            count: 1,
            assets: [
              {
                key: 'boot',
                kind: 'model',
                via: 'created',
                node: 'take',
                step: 'take',
                operation: 'createJob',
                shard: 0,
                outcome: 'failed',
                failure: { node: 'shots', code: 'RENDER_FAILED', message: 'no' },
                record: null,
                claim: { run: 'shoes-1', state: 'failed' },
                shardUi: null,
              },
            ],
          },
        ],
        searched: [
          {
            pipeline: 'shoes',
            records: join(cwd, 'kept'),
            runs: 1,
            objects: 3,
            damaged: 0,
            problem: null,
          },
        ],
      },
    ]);
    expect(ran.stderr).toContain('Run states and UI links are unavailable');
  });

  it('find prints text that contains the command to show the object on the platform', async () => {
    const ran = await run(['find', model], { cwd, env });
    expect(ran.stdout).toContain(`${model}  model`);
    expect(ran.stdout).toContain('boot  RENDER_FAILED at shots');
    expect(ran.stdout).toContain('created at take (createJob); failed');
    expect(ran.stdout).toContain(`renderline api getModel --params modelId=${model}`);
  });

  it('find reports that another model has been delivered since', async () => {
    const { source } = assetOf('boot');
    const { recipe } = store.context;
    const delivered = { source, recipe, platformIds: { modelId: 'm2' }, files: [], run: 'shoes-2' };
    const finishedAt = '2026-01-02T00:00:00.000Z';
    await store.records.write({ key: 'boot', ...delivered, lineage: 'shoes-2', finishedAt });
    await store.claims.release('boot');
    const ran = await run(['find', model, 'shoes.yaml'], { cwd, env });
    expect(ran.stdout).toContain(
      'delivered 2026-01-02 00:00:00Z by shoes-2: 0 files, with another model',
    );
  });
});

describe('the search', () => {
  it('find searches all pipelines of the folder if no file is given', async () => {
    expect((await run(['find', model], { cwd, env })).code).toBe(0);
    expect((await run(['find', model, '--pipeline', 'shoes'], { cwd, env })).code).toBe(0);
    expect((await run(['find', model, '--pipeline', 'hats'], { cwd, env })).code).toBe(69);
  });

  it('find searches the records of a file with given parameters', async () => {
    writeFileSync(join(cwd, 'shoes.yaml'), withParameter);
    const found = ['find', model, 'shoes.yaml', '--param', 'folder=kept'];
    expect((await run(found, { cwd, env })).code).toBe(0);
    const without = await run(['find', model, 'shoes.yaml'], { cwd, env });
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('folder')]);
  });

  it('find fails with exit 69 without Temporal and without a file', async () => {
    const ran = await run(['find', model], { cwd: folderWith(), env });
    expect([ran.code, ran.stderr]).toEqual([69, expect.stringContaining('renderline dev')]);
  });
});

describe('an id that is not found', () => {
  it('find exits with 5 for an unknown id and lists what was searched', async () => {
    const ran = await run(['find', 'nowhere', 'shoes.yaml', '--json'], { cwd, env });
    expect([ran.code, ran.json()]).toMatchObject([
      5,
      {
        code: 'ID_NOT_FOUND',
        id: 'nowhere',
        searched: [{ pipeline: 'shoes', runs: 1, objects: 3 }],
      },
    ]);
    expect(ran.stderr).toContain(`shoes in ${join(cwd, 'kept')}: 1 run, 3 objects`);
  });

  it('find lists the files whose records are unknown, whatever the reason', async () => {
    const needy = withParameter.replace('shoes', 'needy');
    writeFileSync(join(cwd, 'needy shop.yaml'), needy);
    writeFileSync(
      join(cwd, 'wrong.yaml'),
      shoes('./kept').replace('type: connector_poll', 'type: poll'),
    );
    const { stderr } = await run(['find', 'nowhere'], { cwd, env });
    for (const [file, word] of [
      ['needy shop.yaml', "'needy shop.yaml'"],
      ['wrong.yaml', 'wrong.yaml'],
    ]) {
      expect(stderr).toContain(
        `The records of ${file} are unknown, because it needs parameters or is invalid: renderline find ID ${word} --param name=value`,
      );
    }
  });

  it('find reports a location that cannot be read, and does not exit with 5', async () => {
    writeFileSync(join(cwd, 'shoes.yaml'), shoes('./kept/a.txt'));
    const ran = await run(['find', model, 'shoes.yaml', '--json'], { cwd, env });
    expect(ran.code).not.toBe(5);
    const { searched } = ran.json<{ searched: { problem: string }[] }>();
    expect(searched[0]?.problem).toMatch(/./);
  });

  it.each([
    ['https://cdn/x.png', 'an address'],
    ['<model_id>', 'characters'],
    ["x' OR '1'='1", 'characters'],
    ['two words', 'characters'],
    ['a'.repeat(300), 'longer'],
  ])('find exits with 2 for %j, which is not an id', async (id, why) => {
    const ran = await run(['find', id, '--json'], { cwd, env });
    expect([ran.code, ran.json()]).toMatchObject([2, { code: 'NOT_AN_ID' }]);
    expect(ran.stderr).toContain(why);
  });

  it('find does not print a key that was pasted by mistake', async () => {
    const ran = await run(['find', 'svc_abcd_s3cr3t'], { cwd, env });
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('API key')]);
    expect(ran.stdout + ran.stderr).not.toContain('s3cr3t');
  });

  it('parameters without a file, or a pipeline with a file, are usage errors of find', async () => {
    for (const more of [
      ['--param', 'a=b'],
      ['shoes.yaml', '--pipeline', 'shoes'],
    ]) {
      expect((await run(['find', model, ...more], { cwd, env })).code).toBe(2);
    }
  });
});

describe('the text of find', () => {
  const asset: FoundRunAsset = {
    key: 'boot',
    kind: 'project',
    via: 'created',
    node: 'make',
    step: 'make',
    operation: 'createProjects',
    shard: 1,
    outcome: null,
    failure: null,
    record: null,
    claim: null,
    shardUi: null,
  };
  const claim = { run: 'r1', state: 'working' } as const;
  it.each<[string, string | null, Partial<FoundRunAsset>, string]>([
    [
      'a claim in progress',
      'running',
      { claim },
      'boot  in progress\n    created at make (createProjects); claimed by r1',
    ],
    ['a terminated run', 'terminated', {}, 'boot  unfinished'],
    ['a run that Temporal has deleted', 'gone', {}, 'r1  no longer in Temporal'],
    ['an unknown state without Temporal', null, {}, 'r1  state unknown'],
    ['a shard', 'complete', {}, '  shard 2\n'],
    [
      'an object of the platform',
      'complete',
      { via: 'listed', operation: null },
      'found on the platform at make',
    ],
    ['a request', 'complete', { via: 'sent' }, 'sent in a request at make (createProjects)'],
    ['an id in a result', 'complete', { via: 'received', operation: null }, 'received at make'],
    [
      'an earlier run',
      'complete',
      { via: 'received', node: null },
      'its project, from an earlier run',
    ],
    ['a later run', 'failed', { claim: { run: 'r2', state: 'failed' } }, 'failed in r2'],
  ])('the text of find contains %s', (_what, state, more, text) => {
    const run = { run: 'r1', pipeline: 'shoes', state, temporalUi: null, count: 1 };
    const found = [{ ...run, assets: [{ ...asset, ...more }] }];
    const said = formatMatches({ id: 'p1', kind: 'project', found }, plain);
    expect(said).toContain(text);
  });

  it.each([
    ['model', 'getModel --params modelId'],
    ['project', 'getProject --params projectId'],
    ['render-job', 'getRenderJob --params jobId'],
    ['render-batch', 'getRenderBatch --params batchId'],
    ['render', 'downloadRender --params renderId'],
    ['job', 'getJob --params jobId'],
    ['production-export', 'getProductionFileExport --params exportId'],
    ['colorway-batch', 'getColorwayBatch --params batchId'],
    ['prop', 'getProp --params propId'],
    ['decal', 'getDecal --params decalId'],
    ['material', 'getMaterial --params materialId'],
  ])('the text of find contains the command that shows a %s', (kind, command) => {
    const text = formatMatches({ id: 'x1', kind, found: [] }, plain);
    expect(text).toContain(`On the platform: renderline api ${command}=x1`);
  });

  it.each(['colorway-job', 'object', null])('the text of find has no command for %s', (kind) => {
    expect(formatMatches({ id: 'x1', kind, found: [] }, plain)).not.toContain('On the platform');
  });

  it('the text of find contains the first of many assets, and how many more there are', () => {
    const assets = Array.from({ length: 100 }, (_, index) => ({ ...asset, key: `k${index}` }));
    const run = { run: 'r1', pipeline: 'shoes', state: 'complete', temporalUi: null };
    const found = [{ ...run, count: 250, assets }];
    const said = formatMatches({ id: 't1', kind: 'template', found }, plain);
    expect(said).toContain('and 230 more');
    expect(said).not.toContain('k20 ');
  });

  it('the text of find contains a run that is known only from its search attributes', () => {
    const run = { run: 'r1', pipeline: 'shoes', state: 'failed', temporalUi: null, count: 0 };
    const found = [{ ...run, assets: [] }];
    const said = formatMatches({ id: 'm1', kind: 'model', found }, plain);
    expect(said).toContain('the model of a failed asset; the records of the run could not be read');
  });
});

it('without Temporal and known records, find prints only an error, without a note', async () => {
  const ran = await run(['find', '6651f0c2'], { env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } });
  expect([ran.code, ran.stderr]).toEqual([69, expect.not.stringContaining('not available')]);
});
