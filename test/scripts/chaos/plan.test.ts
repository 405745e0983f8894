// The plan of a round depends only on its seed.
import { describe, expect, test } from 'vitest';
import { callsOf } from '../../../scripts/chaos/creating-calls.ts';
import { chooseFault, planRateLimitBursts } from '../../../scripts/chaos/network-faults.ts';
import { pipelineText } from '../../../scripts/chaos/pipelines.ts';
import { faultKinds, pipelineKinds, planRound } from '../../../scripts/chaos/plan.ts';
import { createSeededRandom } from '../../../scripts/chaos/seeded-random.ts';
import { keysOf } from '../../../scripts/chaos/sources.ts';
import { compileText } from '../../../src/compile/compile.ts';

const seeds = Array.from({ length: 100 }, (_, index) => index + 1);

describe('the plan of a round', () => {
  test.each([1, 2, 77])('the plan is the same for the same seed %i', (seed) => {
    expect(planRound(seed)).toEqual(planRound(seed));
    expect(planRound(seed)).not.toEqual(planRound(seed + 1));
  });

  test('the plan stays within the limits of a round', () => {
    for (const seed of seeds) {
      const { workers, pipelines, actions, faultsEndAtMs } = planRound(seed);
      const files = new Set(pipelines.flatMap(keysOf));
      expect([seed, workers]).toEqual([seed, expect.toSatisfy((n: number) => n === 2 || n === 3)]);
      const ofModels = [...files].filter((key) => !key.includes('/'));
      expect(ofModels.length).toBeLessThanOrEqual(40);
      expect(new Set(pipelines.map(({ name }) => name)).size).toBe(pipelines.length);
      for (const { atMs } of actions) expect(atMs).toBeLessThan(faultsEndAtMs);
      for (const action of actions) {
        if ('worker' in action) expect(action.worker).toBeLessThan(workers);
        if ('pipeline' in action)
          expect(pipelines.map(({ name }) => name)).toContain(action.pipeline);
      }
    }
  });

  test('every kind of fault and pipeline appears in at least one plan', () => {
    const plans = seeds.map((seed) => planRound(seed));
    const seen = (of: readonly string[][]) => [...new Set(of.flat())].sort();
    expect(seen(plans.map(({ faults }) => faults))).toEqual([...faultKinds].sort());
    const kinds = plans.map(({ pipelines }) => pipelines.map(({ kind }) => kind));
    expect(seen(kinds)).toEqual([...pipelineKinds].sort());
    const acts = plans.map(({ actions }) => actions.map((action) => action.do));
    expect(seen(acts)).toEqual([
      'cancel',
      'freeze-worker',
      'kill-worker',
      'limit-worker',
      'pause',
      'replace-file',
      'reset',
      'restart-platform',
      'restart-temporal',
      'second-run',
      'terminate',
      'unmount',
      'unplug',
    ]);
  });

  test('the plans together hold every kind of call and contain every follow-up action', () => {
    const presses = seeds.flatMap((seed) =>
      planRound(seed).actions.flatMap((action) => ('heldCall' in action ? [action] : [])),
    );
    const seen = (what: (press: (typeof presses)[number]) => string) =>
      [...new Set(presses.map(what))].sort();
    const calls = [...new Set(Object.values(callsOf).flat())].sort();
    expect(seen(({ heldCall }) => heldCall)).toEqual(calls);
    expect(seen(({ followUp: next }) => next.join(' '))).toEqual(
      ['rerun', 'run', 'run rerun', 'run run', 'some', 'some run'].sort(),
    );
    expect(seen(({ target: of, heldAt: held }) => `${of} ${held}`)).toHaveLength(6);
  });

  test('the plan gives some pipelines limits, which are also in the file and in the dark twin', () => {
    const pipelines = seeds.flatMap((seed) => planRound(seed).pipelines);
    const limited = pipelines.filter(({ limits }) => limits);
    expect(limited.length).toBeGreaterThan(pipelines.length / 4);
    expect(limited.length).toBeLessThan((3 * pipelines.length) / 4);
    for (const plan of pipelines) {
      const { limits } = JSON.parse(pipelineText(plan)) as { limits?: object };
      expect(limits).toEqual(plan.limits);
    }
    for (const { pipelines } of seeds.map((seed) => planRound(seed))) {
      const dark = pipelines.filter(({ name }) => name.endsWith('-dark'));
      for (const { name, limits } of dark) {
        const light = pipelines.find((one) => `${one.name}-dark` === name);
        expect(light?.limits).toEqual(limits);
      }
    }
  });

  test('excluding a kind of fault changes nothing else in the plan', () => {
    const seed = seeds.find((one) => planRound(one).faults.includes('kills')) ?? 0;
    const whole = planRound(seed);
    const without = planRound(seed, { without: ['kills'] });
    expect(without).toEqual({
      ...whole,
      faults: whole.faults.filter((kind) => kind !== 'kills'),
      actions: whole.actions.filter((action) => action.do !== 'kill-worker'),
    });
  });

  test('the plan that is restricted to some kinds of faults contains them for every seed', () => {
    for (const seed of seeds) {
      expect(planRound(seed, { only: ['kills', 'lag'] }).faults).toEqual(['kills', 'lag']);
      expect(planRound(seed, { only: [] })).toMatchObject({ faults: [], actions: [] });
    }
  });

  test.each(pipelineKinds)('the plan contains a valid pipeline file of the kind %s', (kind) => {
    const [plan] = seeds.flatMap((seed) =>
      planRound(seed).pipelines.filter((pipeline) => pipeline.kind === kind),
    );
    if (!plan) throw new Error(`no round has ${kind}`);
    const place = {
      cwd: '/',
      fileFolder: '/',
      environment: {},
      parameters: { folder: '/m', out: '/o' },
    };
    const { problems } = compileText(pipelineText(plan), 'p.yaml', place);
    expect(problems.filter(({ severity }) => severity !== 'note')).toEqual([]);
  });
});

describe('the effect on a request', () => {
  const choice = (kinds: readonly (typeof faultKinds)[number][], faultShare = 0.5) => ({
    rng: createSeededRandom(1),
    kinds,
    faultShare,
  });
  const fates = (...args: Parameters<typeof choice>) => {
    const chosen = choice(...args);
    return seeds.map((count) => chooseFault(count, chosen));
  };

  test('the effect on a request is the same for the same seed', () => {
    expect(fates(faultKinds)).toEqual(fates(faultKinds));
  });

  test('a request is not affected without network faults, or before one is due', () => {
    const passes = new Set(seeds.map(() => 'pass'));
    expect(new Set(fates(['kills', 'lag', 'limits']).map((fate) => fate.do))).toEqual(passes);
    expect(new Set(fates(faultKinds, 0).map((fate) => fate.do))).toEqual(passes);
  });

  test.each([
    ['drops-before', ['drop-before']],
    ['drops-after', ['drop-after']],
    ['errors-before', ['respond-before']],
    ['errors-after', ['respond-after']],
    ['gateway', ['gateway']],
    ['pages', ['page']],
    ['slow', ['delay', 'trickle']],
    ['cuts', ['cut']],
  ] as const)('the effect of the kind %s is %j', (kind, expected) => {
    const met = new Set(fates([kind], 1).map((fate) => fate.do));
    expect([...met].sort()).toEqual([...expected]);
  });
});

test('bursts of 429 responses end while other faults continue', () => {
  expect(planRateLimitBursts(createSeededRandom(1), ['kills'], 8_000)).toEqual([]);
  for (const seed of seeds) {
    for (const { fromMs, toMs } of planRateLimitBursts(
      createSeededRandom(seed),
      ['limits'],
      8_000,
    )) {
      expect(fromMs).toBeLessThan(toMs);
      expect(toMs).toBeLessThanOrEqual(8_000);
    }
  }
});
