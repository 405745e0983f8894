// `renderline explain` reports the same verdict on an asset as discovery.
import { createHash } from 'node:crypto';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { formatReason, isProcessedNext } from '../../src/app/explain/asset-verdict.ts';
import { compileFile } from '../../src/compile/compile.ts';
import { openConnector } from '../../src/connectors/index.ts';
import type { AssetSource } from '../../src/plan/types.ts';
import type { Claim } from '../../src/store/claims/claims.ts';
import { sourceOf } from '../../src/store/records/source-version.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { alive, storeOn } from '../store/_store.ts';
import { folderWith } from './_folder.ts';
import { run } from './_run-cli.ts';

const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
const pipeline = `name: shoes
connectors: { m: { type: local, path: ./in } }
records: m
nodes: [{ id: take, type: connector_poll, config: { connector: m, stableFor: 10s } }]
`;
const longAgo = new Date('2026-01-01T00:00:00Z');

let cwd: string;
let recipe: string;
let store: RunStore;

beforeEach(async () => {
  cwd = folderWith({ 'shoes.yaml': pipeline, 'in/boot.glb': 'old boot' });
  old('boot.glb');
  recipe =
    (await compileFile('shoes.yaml', { cwd, environment: {}, parameters: {} })).plan?.recipe ?? '';
  const records = openConnector({ type: 'local', path: join(cwd, 'in') });
  store = storeOn(records, 'shoes-1', { recipe });
});

function old(name: string, at = longAgo): void {
  utimesSync(join(cwd, 'in', name), at, at);
}

async function deliver(key: string, more: { recipe?: string; sourceSha256?: string } = {}) {
  const entry = { path: `${key}.glb`, bytes: 8, mtimeMs: longAgo.getTime() };
  const source: AssetSource = sourceOf(entry);
  const made = {
    key,
    source,
    recipe,
    platformIds: {},
    files: [],
    run: 'shoes-1',
    lineage: 'shoes-1',
  };
  await store.records.write({ ...made, finishedAt: '2026-01-02T00:00:00.000Z', ...more });
}

async function explain(key: string) {
  const ran = await run(['explain', key, 'shoes.yaml', '--json'], { cwd, env });
  return { code: ran.code, ...ran.json<{ verdict: string; runs: boolean; why: string }>() };
}

const sha256OfOldBoot = createHash('sha256').update('old boot').digest('hex');

describe('the verdict', () => {
  it.each<[string, boolean, string, () => Promise<void> | void]>([
    ['new', true, 'The asset has never been delivered', () => undefined],
    ['unchanged', false, 'Neither the file nor the pipeline has changed', () => deliver('boot')],
    ['recipe', true, 'but the pipeline has', () => deliver('boot', { recipe: 'ffffffff' })],
    [
      'changed',
      true,
      'has changed since it was delivered',
      async () => {
        await deliver('boot');
        writeFileSync(join(cwd, 'in/boot.glb'), 'another boot');
        old('boot.glb');
      },
    ],
    [
      'changed',
      true,
      'has changed since it was delivered',
      async () => {
        await deliver('boot', { sourceSha256: '0'.repeat(64) });
        old('boot.glb', new Date('2026-01-03'));
      },
    ],
    [
      'touched',
      false,
      'not its content',
      async () => {
        await deliver('boot', { sourceSha256: sha256OfOldBoot });
        old('boot.glb', new Date('2026-01-03'));
      },
    ],
    [
      'refused',
      false,
      'KEY_CLASH',
      () => {
        writeFileSync(join(cwd, 'in/BOOT.glb'), 'boot again');
        old('BOOT.glb');
      },
    ],
    ['later', false, 'may still be written', () => old('boot.glb', new Date())],
    [
      'absent',
      false,
      'no longer has an asset',
      async () => {
        await deliver('boot');
        rmSync(join(cwd, 'in/boot.glb'));
      },
    ],
    [
      'retry',
      true,
      'a run has tried',
      async () => {
        const failure = { key: 'boot', node: 'take', code: 'X', message: 'no', attempts: 1 };
        await store.claims.markFree({ key: 'boot', version: '1', shard: 0 }, 'failed', failure);
      },
    ],
  ])(
    'the verdict is "%s", the asset will run: %s, and the reason contains "%s"',
    async (verdict, runs, why, arrange) => {
      await arrange();
      expect(await explain('boot')).toMatchObject({
        code: 0,
        schema: 'renderline/explain/v1',
        key: 'boot',
        verdict,
        runs,
        why: expect.stringContaining(why),
      });
    },
  );

  it('the verdict is the same for the path of the file', async () => {
    expect(await explain('boot.glb')).toMatchObject({ key: 'boot', verdict: 'new' });
  });

  it.each([
    ['in the source', 'botoo', 'boot'],
    ['only in the records, because its source is gone', 'sandla', 'sandal'],
  ])('a mistyped key is corrected to one that is %s', async (_where, typed, key) => {
    await deliver('sandal');
    const ran = await run(['explain', typed, 'shoes.yaml'], { cwd, env });
    expect(ran.stderr).toContain(`Did you mean "${key}"?`);
  });

  it('the verdict is the same for the path of any texture of a set', async () => {
    const config = '{ connector: m, stableFor: 0s, materials: { include: ["**/*.png"] } }';
    writeFileSync(
      join(cwd, 'shoes.yaml'),
      pipeline.replace(/type: connector_poll.*/, `type: library_import, config: ${config} }]`),
    );
    for (const name of ['oak_diffuse.png', 'oak_normal.png']) {
      writeFileSync(join(cwd, 'in', name), name);
      old(name);
    }
    for (const name of ['oak', 'oak_normal.png']) {
      expect(await explain(name)).toMatchObject({ key: 'oak', verdict: 'new' });
    }
  });
});

describe('the rows of an asset', () => {
  const where = 'table products \\(p\\.csv in .*\\)';
  it.each<[key: string, row: RegExp]>([
    ['A', new RegExp(`row +${where}, line 2: colour "Red", price null$`, 'm')],
    ['B', new RegExp(`row +${where}, lines 3, 4: colour "Oak", price 12.5$`, 'm')],
  ])('the rows of an asset are printed for a table that lists the assets: %s', async (key, row) => {
    writeFileSync(
      join(cwd, 'shoes.yaml'),
      pipeline
        .replace(
          'records: m',
          'records: m\ndata: { products: { connector: m, path: p.csv, key: SKU, columns: { price: { column: Price, type: number } } } }',
        )
        .replace('stableFor: 10s', 'list: { table: products, file: File }')
        .replace(
          '} }]',
          `} }, { id: ready, type: model_ready, parentIds: [take], when: "row.colour != '' || row.price > 1" }]`,
        ),
    );
    const lines = ['A,boot.glb,Red,', 'B,boot.glb,Oak,12.5', 'B,boot.glb,Oak,12.5'];
    writeFileSync(join(cwd, 'in/p.csv'), `SKU,File,Colour,Price\n${lines.join('\n')}\n`);
    const ran = await run(['explain', key, 'shoes.yaml'], { cwd, env });
    expect(ran.stdout).toMatch(row);
    expect(await explain(key)).toMatchObject({ rows: [{ values: { colour: expect.anything() } }] });
  });
});

describe('an asset that a run has claimed', () => {
  it('a claimed asset is reported with its run, and without Temporal it is unknown whether the run is open', async () => {
    await store.claims.claim({ key: 'boot', version: '1', shard: 0 }, alive);
    const ran = await run(['explain', 'boot', 'shoes.yaml'], { cwd, env });
    expect([ran.code, ran.stdout]).toEqual([
      0,
      expect.stringContaining('claim    by shoes-1 since'),
    ]);
    expect(ran.stdout).toContain('it is unknown whether the run is open');
    expect(ran.stderr).toContain('Temporal is not reachable');
  });

  it.each([
    [true, false, 'The run shoes-1 is processing it, so no other run processes it.'],
    [false, true, 'a run has tried'],
  ])('a claimed asset whose run is open (%s) will run: %s', async (isWorking, runs, why) => {
    const claimed = { key: 'boot', version: '1', shard: 0 };
    const { claim } = (await store.claims.claim(claimed, alive)) as { claim: Claim };
    const nothing = {
      source: null,
      startStage: null,
      movedFrom: null,
      movedTo: null,
      refusal: null,
    };
    const verdict = { key: 'boot', verdict: 'retry' as const, ...nothing };
    const records = { type: 'local', path: '/x' };
    const known = { ...verdict, record: null, claim, rows: [], isWorking, conditions: [] };
    const one = { ...known, recipe, records };
    expect(isProcessedNext(one)).toBe(runs);
    expect(formatReason(one)).toContain(why);
  });
});

describe('an unknown key', () => {
  it.each([
    ['boott', 'Did you mean "boot"?'],
    ['sandals', 'The root node finds 1 asset'],
  ])('the unknown key %s exits with 5 and a hint: %s', async (key, fix) => {
    const ran = await run(['explain', key, 'shoes.yaml', '--json'], { cwd, env });
    const error = { code: 'KEY_NOT_FOUND', fix: expect.stringContaining(fix) };
    expect([ran.code, ran.json()]).toMatchObject([5, error]);
  });

  it('the key of a model with colorways exits with 5 and the keys of its assets', async () => {
    const colorways = ['Oak', 'Navy'].map(
      (name) =>
        `{ name: ${name}, swapRules: [{ matchText: seat, matchMode: exact, material: ${name} }] }`,
    );
    writeFileSync(
      join(cwd, 'shoes.yaml'),
      `${pipeline.replace(' }]', ' },')}
  { id: ready, type: model_ready, parentIds: [take] },
  { id: grid, type: variant, parentIds: [ready], config: { colorways: [${colorways.join(', ')}] } }]
`,
    );
    const ran = await run(['explain', 'boot', 'shoes.yaml', '--json'], { cwd, env });
    const fix = 'It is a model. Explain one of its assets: boot@Oak, boot@Navy';
    expect([ran.code, ran.json()]).toMatchObject([5, { code: 'KEY_NOT_FOUND', fix }]);
  });

  it('an invalid file exits with 2', async () => {
    writeFileSync(join(cwd, 'shoes.yaml'), pipeline.replace('type: connector_poll', 'type: x'));
    expect((await run(['explain', 'boot', 'shoes.yaml'], { cwd, env })).code).toBe(2);
  });
});
