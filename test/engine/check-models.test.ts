// The rules of `check` nodes. The run and the plan refuse a model that breaks a rule, before any request.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openConnector } from '../../src/connectors/index.ts';
import { inspectFiles } from '../../src/features/inspect-files.ts';
import type { Asset } from '../../src/plan/types.ts';
import { makeGlb, triangle } from '../glb/_make-glb.ts';
import { runAttempts } from './_attempts.ts';
import { fileAsset, filesPlan, modelNames, takeModels, writeSource } from './_creating-calls.ts';
import { SandboxRun } from './_sandbox-run.ts';

let at: SandboxRun;
beforeEach(async () => {
  at = await SandboxRun.start();
});
afterEach(() => at.stop());

const check = (config: string, when = '', id = 'small') =>
  `{ id: ${id}, type: check, parentIds: [take]${when === '' ? '' : `, when: '${when}'`}, config: { ${config} } }`;
const ready = '{ id: ready, type: model_ready, parentIds: [small] }';
const chair = () => {
  const { json, bin } = triangle((whole) => ({ ...whole, materials: [{ name: 'seat' }] }));
  return makeGlb(json, bin);
};

interface Outcome {
  /** Outcome, or code and message of the failure. */
  run: string;
  warnings: readonly string[];
  requests: number;
  models: string[];
}

async function take(
  nodes: readonly string[],
  platformIds: Asset['platformIds'] = {},
  path = 'chair.glb',
): Promise<Outcome> {
  await writeSource(at, path, path.endsWith('.glb') ? chair() : Buffer.from('v 0 0 0\np 1\n'));
  const asset = { ...(await fileAsset(at, path)), platformIds };
  const plan = filesPlan(at, takeModels, ...nodes);
  const { results, requests } = await runAttempts(at, plan, 'connector_poll', [asset]);
  const result = results.get(asset.key);
  const where = { open: openConnector, signal: new AbortController().signal };
  const { refused, warnings } = await inspectFiles(plan, [asset], where);
  const isFailed = result?.outcome === 'failed';
  // The plan shows what the run does.
  expect(refused.map(({ key, code, message }) => ({ key, code, message }))).toEqual(
    isFailed ? [{ key: asset.key, code: result.code, message: result.message }] : [],
  );
  const ofRun = result?.outcome === 'done' ? (result.warnings ?? []) : [];
  if (!isFailed && platformIds.modelId === undefined)
    expect(warnings.map(({ message }) => message)).toEqual(ofRun);
  return {
    run: isFailed ? `${result.code}: ${result.message}` : (result?.outcome ?? 'none'),
    warnings: ofRun,
    requests: Object.values(requests).reduce((sum, count) => sum + count, 0),
    models: await modelNames(at),
  };
}

describe('a model that breaks a rule', () => {
  it('a model is refused with all the rules that it breaks, before any request', async () => {
    const rules = 'triangles: { max: 0 }, slots: { required: [legs] }, size: { width: { max: 2 } }';
    expect(await take([check(rules), ready])).toEqual({
      run: 'MODEL_RULE_BROKEN: 2 rules are broken. small: slots: the file has no slot "legs", it has "seat"; rename the material in the model. small: triangles: the model draws 1 triangle, but at most 0 are allowed; reduce the meshes',
      warnings: [],
      requests: 0,
      models: [],
    });
  });

  it('a model that breaks a rule at level warn is uploaded with a warning', async () => {
    const { run, warnings, models } = await take([
      check('triangles: { max: 0, level: warn }'),
      ready,
    ]);
    expect({ run, models }).toEqual({ run: 'done', models: ['chair'] });
    expect(warnings).toEqual([
      expect.stringContaining('small: triangles: the model draws 1 triangle'),
    ]);
  });

  it("a model that breaks a rule of Khronos' validator is refused", async () => {
    const { json, bin } = triangle((whole) => ({
      ...whole,
      nodes: [{ mesh: 0, rotation: [2, 0, 0, 0] }],
    }));
    await writeSource(at, 'turned.glb', makeGlb(json, bin));
    const plan = filesPlan(at, takeModels, check('khronos: fail'));
    const asset = await fileAsset(at, 'turned.glb');
    const { results } = await runAttempts(at, plan, 'connector_poll', [asset]);
    expect(results.get('turned')).toMatchObject({
      code: 'MODEL_RULE_BROKEN',
      message: expect.stringContaining('VALUE_NOT_IN_RANGE at /nodes/0/rotation/0'),
    });
    expect(await modelNames(at)).toEqual([]);
  });
});

it('a model that follows all rules is uploaded without a warning', async () => {
  const rules =
    'triangles: { max: 1 }, slots: { required: [seat] }, size: { width: { min: 1, max: 1 } }, khronos: fail';
  const { run, warnings, models } = await take([check(rules), ready]);
  expect({ run, warnings, models }).toEqual({ run: 'done', warnings: [], models: ['chair'] });
});

it('an OBJ whose triangles cannot be counted is uploaded with a warning', async () => {
  const { run, warnings } = await take([check('triangles: { max: 0 }')], {}, 'chair.obj');
  expect(run).toBe('done');
  expect(warnings).toEqual([expect.stringContaining('small: not checked: triangles, because')]);
});

describe('the condition of a check', () => {
  const rule = 'triangles: { max: 0 }';
  it.each<[string, string, string, string[]]>([
    [
      'refused if the condition of the check is true',
      'asset.name == "chair"',
      'MODEL_RULE_BROKEN',
      [],
    ],
    ['uploaded if the condition of the check is false', 'asset.name == "table"', 'done', []],
    [
      'uploaded with a warning if the condition of the check depends on the run',
      'model.id != ""',
      'done',
      [expect.stringContaining('small: not checked')],
    ],
  ])('a model that breaks a rule is %s', async (_, when, expected, warned) => {
    const { run, warnings } = await take([check(rule, when), ready]);
    expect(run).toContain(expected);
    expect(warnings).toEqual(warned);
  });

  it('each of two checks uses its own condition', async () => {
    const nodes = [check(rule, 'asset.name == "table"'), check(rule, 'true', 'other')];
    expect((await take(nodes)).run).toContain('1 rule is broken. other: triangles');
  });
});

describe('a rule that was added after a model was uploaded', () => {
  const nodes = [check('triangles: { max: 0 }'), ready];
  it.each<[string, Asset['platformIds'], string]>([
    ['refuses the model if it has only been uploaded', { modelId: 'm' }, 'MODEL_RULE_BROKEN'],
    ['accepts the model if it already has a project', { modelId: 'm', projectId: 'p' }, 'done'],
    [
      'accepts the model if it already has a colorway',
      { modelId: 'm', colorway: { before: '', batchId: 'b' } },
      'done',
    ],
  ])('the run %s', async (_, platformIds, expected) => {
    expect((await take(nodes, platformIds)).run).toContain(expected);
  });
});
