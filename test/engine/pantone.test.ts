// Pantone materials. They are adopted or created by name, once per run, and never twice.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RequestCounter } from '../../src/api/request-counter.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { createPollerContext } from '../../src/engine/polling/poller-context.ts';
import { lookUpNames } from '../../src/features/look-up-names.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type { Plan } from '../../src/plan/types.ts';
import { findOrphans } from '../../src/store/search/find-orphans.ts';
import { planOf, told, withNodes } from '../compile/_compile.ts';
import { hasSharedData, sharedRows } from '../glb/_shared-data.ts';
import { manifestAsset, withManifest } from '../store/_store.ts';
import { runContext } from './_context.ts';
import { SandboxRun } from './_sandbox-run.ts';

let run: SandboxRun;
beforeEach(async () => {
  run = await SandboxRun.start();
});
afterEach(() => run.stop());

const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
const navy = (code = '289 C', more = '') =>
  `{ id: colours, type: pantone, parentIds: [ready], config: { materials: [{ name: Club navy, code: ${code}, hex: "#0C2340" }]${more} } }`;
const table = (more = '') =>
  `{ id: colours, type: pantone, parentIds: [ready], config: { table: { connector: out, path: colours.csv${more} } } }`;
const oak =
  '{ id: v, type: variant, parentIds: [colours], config: { swapRules: [{ matchText: body, matchMode: exact, material: Club navy }] } }';

function plan(...nodes: string[]): Plan {
  const one = planOf(withNodes(ready, ...nodes));
  return { ...one, connectors: { ...one.connectors, out: { type: 'local', path: run.folder } } };
}

/** The context of another run, with its own records of what it has sent. */
function inRun(name: string) {
  const records = { type: 'local', path: run.folder };
  const context = runContext({ run: name, lineage: name, records });
  const store = openRunStore(openConnector(records), context, { now: () => run.nowMs });
  return { run: context, store };
}

async function materials(): Promise<string[]> {
  const { materials: all } = await run.client.listMaterials();
  return all.map(({ name = '' }) => name).sort();
}

describe('a Pantone material', () => {
  it('a material is created once for all assets and shards, and the next run sends only one read', async () => {
    const assets = [await run.asset('a'), await run.asset('b')];
    const settled = await run.runPlan(planOf(`batchSize: 1\n${withNodes(ready, navy())}`), assets);
    expect(settled.map(({ failure }) => failure)).toEqual([null, null]);
    // One search by name, and one check whether lists already contain the new material.
    expect(run.requests()).toEqual({ listMaterials: 2, createPantoneMaterial: 1 });
    // Another worker of the run processes another shard.
    await run.runPlan(plan(navy()), assets, { shard: 1 });
    expect(await materials()).toEqual(['Club navy']);
    run.requests();
    run.pass(3_600);
    await run.runPlan(plan(navy()), assets, inRun('run-2'));
    expect(run.requests()).toEqual({ checkMaterialStatus: 1 });
  });

  it('a variant node of the same pipeline finds a material, even in its lookup before the run', async () => {
    const one = plan(navy(), oak);
    const context = {
      pollerContext: createPollerContext(run.client),
      run: { run: 'run-1' },
      requests: new RequestCounter(),
      signal: new AbortController().signal,
      getConnector: () => openConnector({ type: 'local', path: run.folder }),
    };
    const lookUps = one.discovery.lookUps ?? [];
    await lookUpNames(lookUps, { ...context, promisedMaterials: new Set() });
    await expect(lookUpNames(lookUps, context)).rejects.toThrow('no material is named "Club navy"');
    const [settled] = await run.runPlan(one, [await run.asset('shirt')]);
    expect(settled?.failure).toBeNull();
    expect(settled?.platformIds.variants).toHaveLength(1);
  });

  it('a material with the same name is adopted with a warning, and updated only if the file says so', async () => {
    const id = await run.material('Club navy');
    const asset = await run.asset('shirt');
    const [settled] = await run.runPlan(plan(navy()), [asset]);
    expect(settled?.warnings).toEqual([
      `material "Club navy" (${id}) has no Pantone, or one that the platform does not show, but the pipeline specifies 289 C #0c2340; nothing was changed. To change the material, set \`update: true\``,
    ]);
    const [updated] = await run.runPlan(plan(navy('289 C', ', update: true')), [asset], inRun('2'));
    expect(updated?.warnings).toEqual([]);
    run.requests();
    const [changed] = await run.runPlan(plan(navy('186 C')), [asset], inRun('3'));
    expect(changed?.warnings[0]).toContain(
      'has 289 C #0c2340, but the pipeline specifies 186 C #0c2340; nothing was changed',
    );
    expect(run.requests()).toEqual({ checkMaterialStatus: 1 });
    expect(await materials()).toEqual(['Club navy']);
  });

  it('if the response about a material is lost, the material is adopted and not created again', async () => {
    await run.control('faults', [
      { match: 'createPantoneMaterial', nth: 1, do: { commitThenStatus: 503 } },
    ]);
    const asset = await run.asset('shirt');
    await expect(run.runPlan(plan(navy()), [asset])).rejects.toThrow();
    const [settled] = await run.runPlan(plan(navy()), [asset]);
    expect(settled?.failure).toBeNull();
    expect(settled?.warnings).toEqual([]);
    expect(await materials()).toEqual(['Club navy']);
    expect(run.requests()['createPantoneMaterial']).toBe(1);
  });

  it('a material with an ambiguous name pauses the run', async () => {
    await run.material('Club navy');
    await run.material('Club navy');
    await expect(run.runPlan(plan(navy()), [await run.asset('shirt')])).rejects.toThrow(
      '2 materials are named "Club navy"',
    );
  });
});

describe('running `clean` with Pantone materials', () => {
  const orphans = async () => {
    const found = await findOrphans({
      pipeline: 'test',
      connectors: [openConnector({ type: 'local', path: run.folder })],
      openRuns: async () => new Set(),
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    return {
      orphans: found.orphans.map(({ kind, key }) => `${kind} of ${key}`),
      made: found.created,
    };
  };

  it('`clean` keeps a material as long as it is in the pipeline, and lists it afterwards', async () => {
    const asset = await run.asset('shirt');
    const first = inRun('run-1');
    await withManifest(first.store, [manifestAsset('shirt')]);
    await first.store.writeLastRun({
      parameters: {},
      counts: { total: 1, new: 1, changed: 0, unchanged: 0 },
    });
    await run.runPlan(plan(navy()), [asset], first);
    expect(await orphans()).toEqual({ orphans: [], made: 1 });
    const other = navy().replace('Club navy', 'Away red');
    await run.runPlan(plan(other), [asset], inRun('run-2'));
    expect((await orphans()).orphans).toEqual(['material of material Club navy (289 C #0c2340)']);
  });
});

describe('a table of Pantone materials', () => {
  it('a table can have columns with other names and another delimiter', async () => {
    const text =
      '\uFEFFFarbe;Pantone;RGB;Notiz\nClub navy;pms 289;#0C2340;x\nAway red;186 c;#C8102E;\n';
    await writeFile(join(run.folder, 'colours.csv'), text);
    const columns = ', columns: { name: farbe, code: pantone, hex: rgb }';
    await run.runPlan(plan(table(columns)), [await run.asset('shirt')]);
    expect(await materials()).toEqual(['Away red', 'Club navy']);
  });

  it.each([
    ['name,code\nNavy,289 C\n', 'has no column hex; its columns are name, code'],
    [
      'name,code,hex,Code\nNavy,289 C,#0c2340,290 C\n',
      'line 1: has two columns with the heading "code"; rename one of the two',
    ],
    ['name,code,hex\nNavy,reddish,#0c2340\n', 'line 2: the code "reddish" is not a Pantone code'],
    ['name,code,hex\nNavy,289 C,navy\n', 'line 2: the hex "navy" must be a colour as #RRGGBB'],
    ['name,code,hex\nNavy,289 C,#0c2340\nNavy,186 C,#c8102e\n', 'two rows are named "Navy"'],
    [
      'name,code,hex\n#N/A,289 C,#0c2340\n',
      'line 2: the name contains a formula with the error #N/A',
    ],
    ['name,code,hex\n', 'has no rows'],
  ])('the table %j pauses the run before anything is created', async (text, message) => {
    await writeFile(join(run.folder, 'colours.csv'), text);
    const work = run.runPlan(plan(table()), [await run.asset('shirt')]);
    await expect(work).rejects.toThrow(`colours.csv of out: ${message}`);
    expect(run.requests()).toEqual({});
  });
});

describe('an invalid Pantone node', () => {
  it.each([
    [navy('reddish'), 'is not a Pantone code'],
    [
      navy().replace(
        'materials: [',
        'materials: [{ name: Club navy, code: 186 C, hex: "#c8102e" }, ',
      ),
      'two materials are named "Club navy"',
    ],
    ['{ id: c, type: pantone, parentIds: [ready] }', 'must have either materials or table'],
  ])('the node %s is refused', (node, message) => {
    expect(told(withNodes(ready, node)).join('\n')).toContain(message);
  });
});

interface CodeRow {
  raw: string;
  expect: { valid: boolean };
}

it.skipIf(!hasSharedData)(
  'code spellings from real orders are accepted, and invalid codes are refused',
  () => {
    for (const { raw, expect: wanted } of sharedRows<CodeRow>('pantone-codes.jsonl')) {
      const problems = told(withNodes(ready, navy(JSON.stringify(raw))));
      expect([raw, problems.length === 0]).toEqual([raw, wanted.valid]);
    }
  },
);
