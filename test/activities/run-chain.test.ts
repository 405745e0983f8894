// An activity runs the steps that follow its own, and leaves slow and failed steps to the workflow.
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runStep } from '../../activities/shard/run-step.ts';
import { RunCauseError } from '../../src/engine/engine-errors.ts';
import type { StepType } from '../../src/engine/node-type.ts';
import { runFailures } from '../../src/failures/runs.ts';
import type { NextStep, StepInput, StepOutput } from '../../src/plan/shard/step-contract.ts';
import type { AssetResult, StepAsset } from '../../src/plan/types.ts';
import { stepEvents } from '../../src/telemetry/events.ts';
import { done, failed, pruned } from '../plan/_steps.ts';
import { ActivityFixture } from './_activity-fixture.ts';

let stage: ActivityFixture;
beforeEach(async () => {
  stage = await ActivityFixture.open();
});
afterEach(() => stage.close());

type Work = (assets: StepAsset[]) => AssetResult[];

/** A step type that appends its input to `seen`. */
function stepType(type: string, work: Work, seen: string[]): StepType {
  return {
    type,
    config: z.strictObject({}),
    mode: 'call',
    profile: { batch: 50, startToClose: '1m', timeout: '1h' },
    route: () => '',
    async run(_config, given) {
      seen.push(
        `${type}: ${given.map(({ key, platformIds }) => `${key}${platformIds.modelId ?? ''}`).join(' ')}`,
      );
      return work(given);
    },
  };
}

const all: Work = (given) => given.map(({ key }) => done(key));
const next = (activity: string, more: Partial<NextStep> = {}): NextStep => ({
  id: activity,
  node: activity,
  activity,
  when: null,
  config: {},
  batch: 50,
  retry: null,
  timeoutMs: 3_600_000,
  ...more,
});

interface Case {
  title: string;
  work?: Partial<Record<'first' | 'second' | 'third', Work>>;
  chain?: NextStep[];
  seen: string[];
  reports: { done: number[]; pruned?: number[]; failed?: number[] }[] | undefined;
}

const cases: Case[] = [
  {
    title: 'each step gets the finished assets of the previous one, with their platform ids',
    work: { first: (given) => given.map(({ key }) => done(key, { modelId: `/${key}` })) },
    seen: ['first: a b c', 'second: a/a b/b c/c', 'third: a/a b/b c/c'],
    reports: [{ done: [0, 1, 2] }, { done: [0, 1, 2] }],
  },
  {
    title: 'failed and skipped assets are not passed on',
    work: {
      first: () => [done('a'), failed('b'), done('c')],
      second: () => [done('a'), pruned('c')],
    },
    seen: ['first: a b c', 'second: a c', 'third: a'],
    reports: [{ done: [0], pruned: [2] }, { done: [0] }],
  },
  {
    title: 'the condition of a later step applies',
    chain: [next('second', { when: 'asset.key == "b"' }), next('third')],
    seen: ['first: a b c', 'second: b', 'third: b'],
    reports: [{ done: [1], pruned: [0, 2] }, { done: [1] }],
  },
  {
    title: 'a later step uses its own batch size',
    chain: [next('second', { batch: 2 }), next('third')],
    seen: ['first: a b c', 'second: a b', 'second: c', 'third: a b c'],
    reports: [{ done: [0, 1, 2] }, { done: [0, 1, 2] }],
  },
  {
    title:
      'a call that fails completely is left to the workflow, and the results of the others count',
    work: {
      second: (given) => {
        if (given.some(({ key }) => key === 'c')) throw new Error('the platform is away');
        return all(given);
      },
    },
    chain: [next('second', { batch: 2 }), next('third')],
    seen: ['first: a b c', 'second: a b', 'second: c', 'third: a b'],
    reports: [{ done: [0, 1] }, { done: [0, 1] }],
  },
  {
    title: 'no step starts after ten seconds',
    work: {
      second: (given) => {
        stage.nowMs += 10_000;
        return all(given);
      },
    },
    seen: ['first: a b c', 'second: a b c'],
    reports: [{ done: [0, 1, 2] }],
  },
  {
    title: 'a step of a plugin that this worker has not loaded is left to other workers',
    chain: [next('unknown'), next('third')],
    seen: ['first: a b c'],
    reports: undefined,
  },
  {
    title: 'the chain ends if no asset is left',
    work: { first: (given) => given.map(({ key }) => failed(key)) },
    seen: ['first: a b c'],
    reports: undefined,
  },
];

async function play({ work = {}, chain = [next('second'), next('third')] }: Case) {
  const seen: string[] = [];
  const types = (['first', 'second', 'third'] as const).map((name) =>
    stepType(name, work[name] ?? all, seen),
  );
  await stage.shardOf(['a', 'b', 'c']);
  const { activity: _, ...step } = next('first');
  const input: StepInput = {
    context: stage.context,
    shard: 0,
    step,
    chain,
    assets: [0, 1, 2],
    pages: [],
    wait: null,
  };
  const typeOf = (name: string) => types.find(({ type }) => type === name);
  const [first] = types;
  if (!first) throw new Error('no step');
  const output: StepOutput = await new MockActivityEnvironment().run(() =>
    runStep(first, input, stage.deps, typeOf),
  );
  return { seen, output };
}

describe('an activity that runs a chain', () => {
  for (const one of cases) {
    it(one.title, async () => {
      const { seen, output } = await play(one);
      // Batches of a step run at the same time. A step needs the results of the previous step.
      expect(seen.toSorted()).toEqual(one.seen);
      if (one.reports === undefined) expect(output.chain).toBeUndefined();
      else expect(output.chain).toMatchObject(one.reports);
    });
  }

  it('a cause that stops the whole run is reported immediately, and stops the chain', async () => {
    const message = 'the plan has no room';
    const { seen, output } = await play({
      title: '',
      seen: [],
      reports: [],
      work: {
        second: () => {
          throw new RunCauseError(runFailures.NODE_TYPE_UNKNOWN, message);
        },
      },
    });
    expect(seen).toEqual(['first: a b c', 'second: a b c']);
    expect(output).toMatchObject({ done: [0, 1, 2], chain: [{ done: [] }], stop: { message } });
  });

  it('the updates of each step are written to a separate page', async () => {
    const found: Work = (given) => given.map(({ key }) => done(key, { projectId: `p-${key}` }));
    const chain = [next('second', { batch: 2 }), next('third')];
    const { output } = await play({
      title: '',
      seen: [],
      reports: [],
      chain,
      work: {
        first: found,
        second: found,
        third: found,
      },
    });
    const names = [output, ...(output.chain ?? [])].flatMap((report) => report.pages);
    expect(new Set(names).size).toBe(4);
    const read = await stage.pages.read(names);
    expect(read.map(({ updates }) => updates.map(({ assetIndex: at }) => at))).toEqual([
      [0, 1, 2],
      [0, 1],
      [2],
      [0, 1, 2],
    ]);
  });

  it("each attempt of the activity's own step emits an event, even one that the workflow retries", async () => {
    const told: string[] = [];
    const stop = stepEvents.subscribe(({ step, type, assets, outcomes, code }) => {
      told.push(`${step} ${type} ${assets}: ${outcomes?.done ?? code}`);
    });
    try {
      await play({
        title: '',
        seen: [],
        reports: [],
        chain: [next('second', { id: 'shots.submit', batch: 2 }), next('third')],
        work: {
          second: (given) => {
            if (given.some(({ key }) => key === 'c')) throw new Error('the platform is away');
            return all(given);
          },
        },
      });
    } finally {
      stop();
    }
    expect(told.toSorted()).toEqual([
      'first first 3: 3',
      'shots.submit second 1: Error',
      'shots.submit second 2: 2',
      'third third 2: 2',
    ]);
  });
});
