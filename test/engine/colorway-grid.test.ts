// Cells of a colorway grid on the platform: which batches are made, and which variant each cell is.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { defaultFieldNames } from '../../src/api/requests/field-names.ts';
import type { SwapRule } from '../../src/features/slots/swap-rule.ts';
import type { FinalizedAsset } from '../../src/plan/contract/contract.ts';
import type { Asset, Plan } from '../../src/plan/types.ts';
import { planOf, withNodes } from '../compile/_compile.ts';
import { colorway, inCell, view } from '../plan/_cells.ts';
import { SandboxRun } from './_sandbox-run.ts';

let run: SandboxRun;
beforeEach(async () => {
  run = await SandboxRun.start();
  for (const name of ['Oak', 'Ash', 'Elm']) await run.material(name);
});
afterEach(() => run.stop());

const shots =
  '{ id: shots, type: render, parentIds: [v], config: { settings: { renderShots: false } } }';
const colorways =
  '{ colorways: [{ name: any, swapRules: [{ matchText: body, matchMode: exact, material: Oak }] }] }';
const plan = (...more: string[]): Plan =>
  planOf(
    withNodes(
      '{ id: ready, type: model_ready, parentIds: [take] }',
      `{ id: v, type: variant, parentIds: [ready], config: ${colorways} }`,
      ...more,
    ),
  );

const on = (slots: Record<string, string>): SwapRule[] =>
  Object.entries(slots).map(([matchText, material]) => ({
    matchText,
    matchMode: 'exact',
    material,
  }));

/** The cells of a model, by the names of its colorways. */
function cells(model: Asset, all: Record<string, SwapRule[]>): Asset[] {
  return Object.entries(all).map(([name, rules]) => ({
    ...model,
    key: `${model.key}@${name}`,
    source: inCell(model.source, model.key, colorway(name, rules)),
  }));
}

const three = { Oak: on({ body: 'Oak' }), Ash: on({ body: 'Ash' }), Elm: on({ body: 'Elm' }) };
const named = (ended: readonly FinalizedAsset[]) =>
  Object.fromEntries(
    ended.map(({ key, platformIds, failure }) => [key, failure?.code ?? platformIds.variantName]),
  );
const ids = (ended: readonly FinalizedAsset[]) =>
  ended.map(({ platformIds }) => platformIds.variants?.[0]);

describe('cells of a grid', () => {
  it('cells of one colorway share a batch, and cells of one model share the reads of its variants', async () => {
    const models = [await run.asset('a'), await run.asset('b')];
    run.requests();
    const ended = await run.runPlan(
      plan(),
      models.flatMap((model) => cells(model, three)),
    );
    expect(named(ended)).toEqual({
      'a@Oak': 'Oak',
      'a@Ash': 'Ash',
      'a@Elm': 'Elm',
      'b@Oak': 'Oak',
      'b@Ash': 'Ash',
      'b@Elm': 'Elm',
    });
    expect(new Set(ids(ended)).size).toBe(6);
    expect(run.requests()).toMatchObject({ createColorwayBatch: 3, listModelVariants: 4 });
    expect(run.requests()).not.toHaveProperty('listDecalSlots');
  });

  it('cells are rendered separately, with one request per colorway for all models', async () => {
    const models = [await run.asset('a', triangleGlb(['Red'])), await run.asset('b')];
    run.requests();
    const ended = await run.runPlan(
      plan(shots),
      models.flatMap((model) => cells(model, three)),
    );
    expect(ended.map(({ outcome }) => outcome)).toEqual(Array(6).fill('complete'));
    expect(run.requests()).toMatchObject({ createProjects: 3, createRenders: 3 });
    expect((await run.client.listRenders({ query: {} })).renders).toHaveLength(6);
  });

  it('cells with the same materials on different slots are distinguished', async () => {
    const swapped = {
      one: on({ body: 'Oak', other: 'Ash' }),
      two: on({ body: 'Ash', other: 'Oak' }),
      half: on({ body: 'Oak' }),
    };
    const ended = await run.runPlan(plan(), cells(await run.asset('a'), swapped));
    expect(named(ended)).toEqual({ 'a@one': 'Oak + Ash', 'a@two': 'Ash + Oak', 'a@half': 'Oak' });
  });
});

describe('a slot whose accents are encoded differently', () => {
  const [composed, decomposed] = ['x\u00e9', 'xe\u0301'];
  /** The new name has as many bytes as the old one. */
  const glb = () => {
    const bytes = triangleGlb();
    bytes.write(decomposed, bytes.indexOf('"body"') + 1);
    return bytes;
  };

  it.each([composed, decomposed])(
    'the slot gets its material if the rule spells it in %j form',
    async (slot) => {
      const [ended] = await run.runPlan(
        plan(),
        cells(await run.asset('a', glb()), { Oak: on({ [slot]: 'Oak' }) }),
      );
      expect(ended).toMatchObject({ outcome: 'complete', platformIds: { variantName: 'Oak' } });
    },
  );
});

describe('a variant that already exists', () => {
  it('an existing variant is adopted if its materials are on the same slots', async () => {
    const model = await run.asset('a');
    const first = await run.runPlan(plan(), cells(model, three));
    run.requests();
    const four = { ...three, other: on({ other: 'Oak' }) };
    const again = await run.runPlan(plan(), cells(model, four));
    expect(ids(again).slice(0, 3)).toEqual(ids(first));
    expect(named(again)).toMatchObject({ 'a@other': 'Oak' });
    expect(ids(first)).not.toContain(ids(again)[3]);
    expect(run.requests()).toMatchObject({ createColorwayBatch: 1, listDecalSlots: 1 });
  });
});

describe('a platform that does not list the materials of variants', () => {
  const fields = {
    ...defaultFieldNames,
    variant: { ...defaultFieldNames.variant, materials: 'unheard' },
  };

  it('one colorway is allowed and recognized by its new variant', async () => {
    const model = await run.asset('a', triangleGlb(['Red']));
    const [first] = await run.runPlan(plan(), cells(model, { Oak: three.Oak }), { fields });
    const [second] = await run.runPlan(plan(), cells(model, { Ash: three.Ash }), { fields });
    expect([first?.platformIds.variantName, second?.platformIds.variantName]).toEqual([
      'Oak',
      'Ash',
    ]);
  });

  it('one colorway that is rendered from several views is allowed', async () => {
    const model = await run.asset('a', triangleGlb(['Red']));
    const ofViews = ['front', 'back'].map((name) => ({
      ...model,
      key: `a@Oak@${name}`,
      source: inCell(model.source, model.key, colorway('Oak', three.Oak), view(name)),
    }));
    const ended = await run.runPlan(plan(), ofViews, { fields });
    expect(named(ended)).toEqual({ 'a@Oak@front': 'Oak', 'a@Oak@back': 'Oak' });
  });

  it('several colorways fail as ambiguous, and the message contains the fix', async () => {
    const ended = await run.runPlan(plan(), cells(await run.asset('a'), three), { fields });
    expect(new Set(Object.values(named(ended)))).toEqual(new Set(['COLORWAY_AMBIGUOUS']));
    expect(ended[0]?.failure?.message).toContain('fields: { variant: { materials: NAME');
  });
});
