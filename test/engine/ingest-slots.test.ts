// Slots that colorways and swap rules name but a file lacks. They are found before the file is uploaded.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SwapRule } from '../../src/features/slots/swap-rule.ts';
import type { Asset } from '../../src/plan/types.ts';
import { type Json, makeGlb, triangle } from '../glb/_make-glb.ts';
import { colorway, inCell } from '../plan/_cells.ts';
import { runAttempts } from './_attempts.ts';
import { fileAsset, filesPlan, modelNames, takeModels, writeSource } from './_creating-calls.ts';
import { SandboxRun } from './_sandbox-run.ts';

let at: SandboxRun;
beforeEach(async () => {
  at = await SandboxRun.start();
});
afterEach(() => at.stop());

const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
const rule = (matchText: string, matchMode: SwapRule['matchMode'] = 'exact'): SwapRule => ({
  matchText,
  matchMode,
  material: 'Oak',
});
const glbOf = (slots: readonly (string | null)[]) => {
  const materials = slots.map((name) => (name === null ? {} : { name }));
  const { json, bin } = triangle((whole: Json) => ({ ...whole, materials }));
  return makeGlb(json, bin);
};

/** Outcome by key, with the message of a failure. */
async function taken(
  nodes: readonly string[],
  assetsOf: (asset: Asset) => Asset[],
  slots: readonly (string | null)[],
): Promise<Record<string, string>> {
  await writeSource(at, 'oslo.glb', glbOf(slots));
  const assets = assetsOf(await fileAsset(at, 'oslo.glb'));
  const { results } = await runAttempts(
    at,
    filesPlan(at, takeModels, ready, ...nodes),
    'connector_poll',
    assets,
  );
  return Object.fromEntries(
    [...results.values()].map((result) => [
      result.key,
      result.outcome === 'failed' ? `${result.code}: ${result.message}` : result.outcome,
    ]),
  );
}

describe('colorways whose slots a file lacks', () => {
  const grid =
    '{ id: v, type: variant, parentIds: [ready], config: { colorways: [{ name: Any, swapRules: [{ matchText: a, matchMode: exact, material: Oak }] }] } }';
  const cells =
    (rulesOf: Record<string, SwapRule[]>, platformIds: Asset['platformIds'] = {}) =>
    ({ source }: Asset): Asset[] =>
      Object.entries(rulesOf).map(([name, rules]) => ({
        key: `oslo@${name}`,
        source: inCell(source, 'oslo', colorway(name, rules)),
        platformIds,
      }));
  const nut = { Nut: [rule('Fabric')], Red: [rule('Fabric')] };

  it('colorways are refused before the upload if the file has none of their slots', async () => {
    const failure =
      'COLORWAY_NO_SLOT: no slot "Fabric"; the model has "Fabric.001": 3D programs can change the number at the end of a slot name on export; rename the slot, or correct matchText';
    expect(await taken([grid], cells(nut), ['Fabric.001', 'Wood'])).toEqual({
      'oslo@Nut': failure,
      'oslo@Red': failure,
    });
    expect(await modelNames(at)).toEqual([]);
  });

  it('colorways are refused individually if the file has the slots of only some', async () => {
    const some = { Nut: [rule('Fabric')], Oak: [rule('Wood')], Both: [rule('Wood'), rule('Seam')] };
    expect(await taken([grid], cells(some), ['Fabric.001', 'Wood'])).toEqual({
      'oslo@Nut': expect.stringContaining('COLORWAY_NO_SLOT'),
      'oslo@Oak': 'done',
      'oslo@Both': 'COLORWAY_NO_SLOT: no slot "Seam"; its slots are "Fabric.001", "Wood"',
    });
    expect(await modelNames(at)).toEqual(['oslo']);
  });

  it.each<[string, Asset['platformIds'], string]>([
    ['fail before their batch if they have not been started', {}, 'COLORWAY_NO_SLOT'],
    ['continue if they have been started', { colorway: { before: '', batchId: 'b' } }, 'done'],
    ['continue if they already exist', { variants: ['v'] }, 'done'],
  ])('colorways of an uploaded model %s', async (_, platformIds, expected) => {
    const ended = await taken([grid], cells(nut, { modelId: 'm', ...platformIds }), ['Fabric.001']);
    expect(Object.values(ended)).toEqual([
      expect.stringContaining(expected),
      expect.stringContaining(expected),
    ]);
  });

  it.each<[string, (string | null)[]]>([
    ['a slot without a name, which the platform will name', ['Wood', null]],
    ['no slots at all', []],
  ])('colorways are left to the run if the file has %s', async (_, slots) => {
    expect(Object.values(await taken([grid], cells(nut), slots))).toEqual(['done', 'done']);
  });
});

describe('swap rules whose slots a file lacks', () => {
  const node = (rules: string, when = '') =>
    `{ id: v, type: variant, parentIds: [ready]${when}, config: { swapRules: [${rules}] } }`;
  const fabric = '{ matchText: Fabric, matchMode: exact, material: Oak }';
  const wood = '{ matchText: wood, matchMode: contains, material: Oak }';
  const one = (asset: Asset) => [asset];

  it.each<[string, string, string[], string]>([
    ['accept a file if one rule matches', `${fabric}, ${wood}`, ['Wood'], 'done'],
    ['accept a match with part of a name', wood, ['Oakwood.001'], 'done'],
    [
      'refuse a file without a match',
      fabric,
      ['Fabric_2', 'Leg'],
      'COLORWAY_NO_SLOT: no slot matches a swap rule; the model has "Fabric_2": 3D programs can change the number at the end of a slot name on export; rename the slot, or correct matchText; its slots are "Fabric_2", "Leg"',
    ],
    [
      'refuse an exact name that differs in case',
      fabric,
      ['fabric'],
      'COLORWAY_NO_SLOT: no slot matches a swap rule; its slots are "fabric"',
    ],
  ])('swap rules %s', async (_, rules, slots, expected) => {
    expect(await taken([node(rules)], one, slots)).toEqual({ oslo: expected });
    expect(await modelNames(at)).toEqual(expected === 'done' ? ['oslo'] : []);
  });

  it.each([
    ['is true are checked', 'asset.name == "oslo"', 'COLORWAY_NO_SLOT'],
    ['is false are not checked', 'asset.name == "rio"', 'done'],
    ['depends on the run are not checked', 'model.id != ""', 'done'],
  ])('swap rules with a condition that %s', async (_, when, expected) => {
    const ended = await taken([node(fabric, `, when: '${when}'`)], one, ['Leg']);
    expect(ended['oslo']).toContain(expected);
  });
});
