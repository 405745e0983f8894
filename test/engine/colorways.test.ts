// Colorways by swap rules, from the models to the rendered variants, with a test clock.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { classify } from '../../src/api/errors/retry.ts';
import { defaultFieldNames } from '../../src/api/requests/field-names.ts';
import type { Plan } from '../../src/plan/types.ts';
import { planOf, withNodes } from '../compile/_compile.ts';
import { SandboxRun } from './_sandbox-run.ts';

let run: SandboxRun;
beforeEach(async () => {
  run = await SandboxRun.start();
});
afterEach(() => run.stop());

const rule = '{ matchText: body, matchMode: contains, material: Oak }';

function plan(config = `{ swapRules: [${rule}] }`, ...more: string[]): Plan {
  return planOf(
    withNodes(
      '{ id: ready, type: model_ready, parentIds: [take] }',
      `{ id: v, type: variant, parentIds: [ready], retry: { max: 2 }, config: ${config} }`,
      ...more,
    ),
  );
}

const shots =
  '{ id: shots, type: render, parentIds: [v], config: { settings: { renderShots: false } } }';

describe('a colorway', () => {
  it('a colorway of many models is one batch, and each asset gets its new variant', async () => {
    await run.material('Oak');
    const assets = [await run.asset('a'), await run.asset('b', triangleGlb(['Red', 'Blue']))];
    run.requests();
    const ended = await run.runPlan(plan(), assets);
    expect(ended.map(({ outcome, platformIds }) => [outcome, platformIds.variantName])).toEqual([
      ['complete', 'Oak'],
      ['complete', 'Oak'],
    ]);
    expect(ended.map(({ platformIds }) => platformIds.variants?.length)).toEqual([1, 1]);
    expect(run.requests()).toMatchObject({
      listModelVariants: 4,
      listMaterials: 1,
      checkMaterialStatus: 1,
      createColorwayBatch: 1,
    });
  });

  it("only the colorway's variant is rendered", async () => {
    await run.material('Oak');
    const [settled] = await run.runPlan(plan(undefined, shots), [
      await run.asset('b', triangleGlb(['Red', 'Blue'])),
    ]);
    expect(settled).toMatchObject({ outcome: 'complete' });
    const { renders } = await run.client.listRenders({ query: {} });
    expect(renders).toHaveLength(1);
    expect(await run.variantsOf(settled ?? ({} as never))).toEqual(['Red', 'Blue', 'Oak']);
  });

  it('a colorway that an earlier run created needs no request', async () => {
    await run.material('Oak');
    const [first] = await run.runPlan(plan(), [await run.asset('a')]);
    run.requests();
    const again = await run.runPlan(plan(), [
      { ...first, platformIds: first?.platformIds ?? {} } as never,
    ]);
    expect(again[0]).toMatchObject({ outcome: 'complete', platformIds: first?.platformIds });
    expect(run.requests()).toEqual({});
  });

  it.each<[string, string]>([
    ['as the new variant', `{ swapRules: [${rule}] }`],
    ['by its name', `{ swapRules: [${rule}], choose: { names: [Oak] } }`],
    ['by an expression', `{ swapRules: [${rule}], choose: { where: variant.isNew } }`],
  ])(
    'an existing variant with the same materials is chosen %s, and no batch is sent',
    async (_how, config) => {
      await run.material('Oak');
      const asset = await run.asset('a');
      const [oak] = await run.runPlan(plan(), [asset]);
      run.requests();
      const [again] = await run.runPlan(plan(config), [asset]);
      expect(again?.platformIds).toMatchObject({
        variants: oak?.platformIds.variants,
        variantName: 'Oak',
      });
      const asked = run.requests();
      expect(asked).not.toHaveProperty('createColorwayBatch');
      expect(asked).toMatchObject({ listModelVariants: 2, listDecalSlots: 1 });
      expect(await run.variantsOf(again ?? ({} as never))).toEqual(['Default', 'Oak']);
    },
  );

  it('all variants from before the batch count as old, whatever was recorded earlier', async () => {
    await run.material('Oak');
    const asset = await run.asset('b', triangleGlb(['Red', 'Blue']));
    const noted = { ...asset, platformIds: { ...asset.platformIds, colorway: { before: '' } } };
    const [settled] = await run.runPlan(plan(), [noted]);
    expect(settled?.platformIds.variantName).toBe('Oak');
  });

  it('the asset keeps the id of its colorway job', async () => {
    await run.material('Oak');
    const [settled] = await run.runPlan(plan(), [await run.asset('a')]);
    const { batchId = '', jobId } = settled?.platformIds.colorway ?? {};
    const batch = await run.client.getColorwayBatch({ params: { batchId } });
    expect(batch.jobs?.map(({ id }) => id)).toEqual([jobId]);
  });

  it("the asset keeps the platform's warnings and continues", async () => {
    await run.material('Oak');
    await run.material('Ash');
    const same = '{ matchText: body, matchMode: exact, material: Ash }';
    const bytes = Buffer.from(
      triangleGlb().toString('latin1').replace('"other"', '"body" '),
      'latin1',
    );
    const [settled] = await run.runPlan(plan(`{ swapRules: [${same}] }`), [
      await run.asset('a', bytes),
    ]);
    expect(settled).toMatchObject({
      outcome: 'complete',
      warnings: [expect.stringContaining('Several slots')],
    });
  });
});

describe('a model without a matching slot', () => {
  it('only that model fails, and the message lists its slots', async () => {
    await run.material('Oak');
    const other = Buffer.from(
      triangleGlb().toString('latin1').replace('"body"', '"hull"'),
      'latin1',
    );
    const ended = await run.runPlan(plan(), [await run.asset('a'), await run.asset('b', other)]);
    expect(ended.find(({ key }) => key === 'a')?.outcome).toBe('complete');
    expect(ended.find(({ key }) => key === 'b')?.failure).toMatchObject({
      code: 'COLORWAY_NO_SLOT',
      message: expect.stringContaining('"hull", "other"'),
    });
  });
});

describe('a failed colorway job', () => {
  it('a failed job is retried as often as the node allows', async () => {
    await run.material('Oak');
    await run.control('faults', [{ colorway: 'a', times: 2, do: { failure: 'no UV set' } }]);
    const ended = await run.runPlan(plan(), [await run.asset('a'), await run.asset('b')]);
    expect(ended.map(({ outcome }) => outcome)).toEqual(['complete', 'complete']);
    expect(run.requests()).toMatchObject({ createColorwayBatch: 1, retryColorwayJob: 2 });
  });

  it("a failed job is reported with the platform's message once its retries are used up", async () => {
    await run.material('Oak');
    await run.control('faults', [{ colorway: 'a', do: { failure: 'no UV set' } }]);
    const ended = await run.runPlan(plan(), [await run.asset('a'), await run.asset('b')]);
    expect(ended.find(({ key }) => key === 'a')?.failure).toEqual({
      key: 'a',
      node: 'v',
      code: 'COLORWAY_FAILED',
      message: 'no UV set',
      attempts: 3,
    });
    expect(ended.find(({ key }) => key === 'b')?.outcome).toBe('complete');
  });

  it('a failed job is retried by the next run without another batch', async () => {
    await run.material('Oak');
    await run.control('faults', [{ colorway: 'a', times: 3, do: { failure: 'no UV set' } }]);
    const [failed] = await run.runPlan(plan(), [await run.asset('a')]);
    run.requests();
    const { retries: _retries, ...platformIds } = failed?.platformIds ?? {};
    const run2 = { ...run.context(null, { id: '', node: '', batch: 1, retry: null }).run };
    const [settled] = await run.runPlan(plan(), [{ ...failed, platformIds } as never], {
      run: { ...run2, run: 'run-2', lineage: 'lineage-2' },
    });
    expect(settled).toMatchObject({ outcome: 'complete', platformIds: { variantName: 'Oak' } });
    expect(run.requests()).toMatchObject({ retryColorwayJob: 1 });
    expect(run.requests()).not.toHaveProperty('createColorwayBatch');
  });
});

/** A material that is not confirmed yet. */
async function textured(): Promise<string> {
  const { client } = run;
  const textures = [{ channel: 'diffuse', fileType: 'png' }] as const;
  const { materialId, uploads } = await client.createMaterial({
    body: { name: 'Cloth', textures: [...textures] },
  });
  for (const { uploadUrl } of uploads ?? [])
    await fetch(uploadUrl, { method: 'PUT', body: 'no picture' });
  return materialId;
}

/** A material whose only texture is not a picture. */
async function broken(): Promise<string> {
  const materialId = await textured();
  const body = { uploadedTypes: ['diffuse.png'] };
  await run.client.confirmMaterial({ params: { materialId }, body });
  await run.sandbox.idle();
  run.pass(600);
  return materialId;
}

describe('uncertain references', () => {
  it.each([
    ['an unknown material name', ['Ash'], 'MATERIAL_NOT_FOUND', /no material is named "Oak"/],
    [
      'a name shared by two materials',
      ['Oak', 'Oak'],
      'MATERIAL_AMBIGUOUS',
      /2 materials are named "Oak": /,
    ],
    ['a name that differs in case', ['oak'], 'MATERIAL_NOT_FOUND', /did you mean "oak"\?/],
  ])('%s stops the run', async (_, names, code, message) => {
    for (const name of names) await run.material(name);
    const played = run.runPlan(plan(), [await run.asset('a')]);
    await expect(played).rejects.toMatchObject({
      runCause: { code, message: expect.stringMatching(message) },
    });
    expect(run.requests()).not.toHaveProperty('createColorwayBatch');
  });

  it.each([
    ['that is not in the library', async () => 'nobody', 'MATERIAL_NOT_FOUND', 'the id "nobody"'],
    ['that is not ready', () => textured(), 'MATERIAL_NOT_READY', 'Cloth'],
    ['that has failed', () => broken(), 'MATERIAL_FAILED', 'Cloth'],
  ])('the id of a material %s stops the run', async (_, make, code, message) => {
    const byId = rule.replace('material: Oak', `materialId: ${await make()}`);
    const played = run.runPlan(plan(`{ swapRules: [${byId}] }`), [await run.asset('a')]);
    await expect(played).rejects.toMatchObject({
      runCause: { code, message: expect.stringContaining(message) },
    });
    expect(run.requests()).not.toHaveProperty('createColorwayBatch');
  });

  it('an operation without a known path stops the run, and the message identifies the operation', async () => {
    await run.material('Oak');
    const asset = await run.asset('a');
    const body = JSON.stringify({ openapi: '3.1.0', info: {}, paths: {} });
    await run.control('faults', [
      { match: 'getOpenapi', do: { body, contentType: 'application/json' } },
    ]);
    const error = await run.runPlan(plan(), [asset]).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(classify(error)).toMatchObject({
      kind: 'run-cause',
      cause: {
        code: 'OPERATION_UNRESOLVED',
        message: expect.stringContaining('createColorwayBatch:'),
      },
    });
  });

  it('unknown field names stop the run, and the message lists the existing fields', async () => {
    const played = run.runPlan(plan(), [await run.asset('a')], {
      fields: {
        ...defaultFieldNames,
        variant: { ...defaultFieldNames.variant, id: 'id', name: 'name' },
      },
    });
    await expect(played).rejects.toMatchObject({
      runCause: { code: 'VARIANT_FIELDS', message: expect.stringContaining('variantId, name') },
    });
  });
});

describe('choosing variants', () => {
  const bytes = triangleGlb(['Red', 'Dark Red', 'Blue (matte)', 'Same', 'Same']);

  it.each([
    ['all', ['Red', 'Dark Red', 'Blue (matte)', 'Same', 'Same']],
    ['{ names: [Red] }', ['Red']],
    ['{ names: ["*red"] }', ['Red', 'Dark Red']],
    ['{ names: ["Blue (matte)"] }', ['Blue (matte)']],
    ['{ where: \'variant.name.startsWith("Dark")\' }', ['Dark Red']],
    [
      '{ where: \'asset.key == "a" && variant.name != "Same"\' }',
      ['Red', 'Dark Red', 'Blue (matte)'],
    ],
  ])('the choice %s selects %j', async (choose, names) => {
    const asset = await run.asset('a', bytes);
    const [settled] = await run.runPlan(plan(`{ choose: ${choose} }`), [asset]);
    const { variants } = await run.client.listModelVariants({
      params: { modelId: asset.platformIds.modelId ?? '' },
    });
    const nameOf = new Map(variants.map(({ variantId, name }) => [variantId, name]));
    expect(settled?.platformIds.variants?.map((id) => nameOf.get(id))).toEqual(names);
    expect(settled?.platformIds.variantName).toBe(names.length === 1 ? names[0] : undefined);
  });

  it.each([
    ['{ names: [Green] }', 'VARIANT_NOT_FOUND', 'the model has "Red", "Dark Red"'],
    ['{ names: [Same] }', 'VARIANT_AMBIGUOUS', '2 variants of its model are named "Same"'],
    ["{ where: 'variant.isNew' }", 'VARIANT_NOT_FOUND', 'no variant'],
    ['{ where: \'variant.name.split("-")[1] == "a"\' }', 'EXPRESSION_FAILED', 'failed'],
  ])('the choice %s fails the asset with %s', async (choose, code, text) => {
    const [settled] = await run.runPlan(plan(`{ choose: ${choose} }`), [
      await run.asset('a', bytes),
    ]);
    expect(settled?.failure).toMatchObject({ code, message: expect.stringContaining(text) });
  });

  it('a choice combined with swap rules can select both old and new variants', async () => {
    await run.material('Oak');
    const choose = '{ where: \'variant.isNew || variant.name == "Red"\' }';
    const [settled] = await run.runPlan(plan(`{ swapRules: [${rule}], choose: ${choose} }`), [
      await run.asset('a', bytes),
    ]);
    expect(settled?.platformIds.variants).toHaveLength(2);
  });

  it('models with a chosen variant share a render request, and each gets one render', async () => {
    const red = '{ choose: { names: [Red] } }';
    const [a, b] = [await run.asset('a', bytes), await run.asset('b', bytes)];
    run.requests();
    const ended = await run.runPlan(plan(red, shots), [a, b]);
    expect(run.requests()).toMatchObject({ createRenders: 1, createProjects: 1 });
    expect(ended.map(({ outcome }) => outcome)).toEqual(['complete', 'complete']);
    const { renders } = await run.client.listRenders({ query: {} });
    expect(renders.map(({ name }) => name)).toHaveLength(2);
  });
});

describe('file names of a variant', () => {
  const deliver = (naming: string) =>
    `{ id: e, type: export, parentIds: [shots], config: { connector: out, verify: { notBlank: false }, naming: "${naming}" } }`;
  const toFolder = (one: Plan): Plan => ({
    ...one,
    connectors: { ...one.connectors, out: { type: 'local', path: run.folder } },
  });

  it('file names contain the name of the variant', async () => {
    await run.material('Oak');
    const named = toFolder(plan(undefined, shots, deliver('{{ key }}-{{ variant }}.{{ ext }}')));
    const [settled] = await run.runPlan(named, [await run.asset('a')]);
    expect(settled?.failure).toBeNull();
    expect(settled?.files.map(({ path }) => path)).toEqual(['a-Oak.png']);
  });

  it('file names contain the requested bookmark', async () => {
    const one =
      '{ id: shots, type: render, parentIds: [v], config: { settings: { renderShots: false, bookmarksToRender: [main] } } }';
    const named = toFolder(
      plan('{ choose: { names: [Red] } }', one, deliver('{{ key }}/{{ bookmark }}.{{ ext }}')),
    );
    const [settled] = await run.runPlan(named, [
      await run.asset('a', triangleGlb(['Red', 'Blue'])),
    ]);
    expect(settled?.files.map(({ path }) => path)).toEqual(['a/main.png']);
  });

  it('the asset fails before any render if several variants would get the same file name', async () => {
    const named = toFolder(
      plan('{ choose: { names: ["*"] } }', shots, deliver('{{ key }}-{{ variant }}.{{ ext }}')),
    );
    const [settled] = await run.runPlan(named, [
      await run.asset('a', triangleGlb(['Red', 'Blue'])),
    ]);
    expect(settled?.failure).toMatchObject({ code: 'VARIANT_NOT_ONE' });
    expect(run.requests()).not.toHaveProperty('createRenders');
  });
});
