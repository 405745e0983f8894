// An activity goes on with the steps that follow its own, and leaves to the workflow what takes time or fails as a whole.
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDeps, type Deps } from '../../activities/deps.ts';
import { runStep } from '../../activities/run-step.ts';
import { runFailures } from '../../src/failures/runs.ts';
import { RunCauseError } from '../../src/machinery/engine-errors.ts';
import type { StepType } from '../../src/machinery/node-type.ts';
import type { NextStep, StepInput, StepOutput } from '../../src/plan/step-contract.ts';
import type { AssetResult, StepAsset } from '../../src/plan/types.ts';
import { tempFolder } from '../connectors/_temp-folder.ts';
import { noWorkflows, runContext } from '../engine/_context.ts';
import { Platform } from '../engine/_platform.ts';
import { done, failed, pruned } from '../plan/_steps.ts';
import { manifestAsset, withManifest } from '../store/_store.ts';

let platform: Platform;
let deps: Deps;
let nowMs: number;
let folder: string;
beforeEach(async () => {
  platform = await Platform.start();
  nowMs = 1_000_000;
  folder = await tempFolder();
  const now = () => nowMs;
  deps = createDeps({ client: platform.client, workflows: noWorkflows, secrets: [], now });
});
afterEach(() => platform.stop());

type Work = (assets: StepAsset[]) => AssetResult[];

/** A step type that notes in `seen` what it was given. */
function stepType(type: string, work: Work, seen: string[]): StepType {
  return {
    type,
    config: z.strictObject({}),
    mode: 'call',
    profile: { batch: 50, startToClose: '1m', timeout: '1h' },
    route: () => '',
    async run(_config, given) {
      seen.push(
        `${type}: ${given.map(({ key, refs }) => `${key}${refs.modelId ?? ''}`).join(' ')}`,
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
  redo: null,
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
    title: 'each step takes what was done in the one before, with what it has found',
    work: { first: (given) => given.map(({ key }) => done(key, { modelId: `/${key}` })) },
    seen: ['first: a b c', 'second: a/a b/b c/c', 'third: a/a b/b c/c'],
    reports: [{ done: [0, 1, 2] }, { done: [0, 1, 2] }],
  },
  {
    title: 'assets that fail or are passed over stay behind',
    work: {
      first: () => [done('a'), failed('b'), done('c')],
      second: () => [done('a'), pruned('c')],
    },
    seen: ['first: a b c', 'second: a c', 'third: a'],
    reports: [{ done: [0], pruned: [2] }, { done: [0] }],
  },
  {
    title: 'a condition of a later step holds',
    chain: [next('second', { when: 'asset.key == "b"' }), next('third')],
    seen: ['first: a b c', 'second: b', 'third: b'],
    reports: [{ done: [1], pruned: [0, 2] }, { done: [1] }],
  },
  {
    title: 'a later step keeps to its own batch',
    chain: [next('second', { batch: 2 }), next('third')],
    seen: ['first: a b c', 'second: a b', 'second: c', 'third: a b c'],
    reports: [{ done: [0, 1, 2] }, { done: [0, 1, 2] }],
  },
  {
    title: 'a call that fails as a whole is left to the workflow, the others count',
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
    title: 'after ten seconds nothing more is begun',
    work: {
      second: (given) => {
        nowMs += 10_000;
        return all(given);
      },
    },
    seen: ['first: a b c', 'second: a b c'],
    reports: [{ done: [0, 1, 2] }],
  },
  {
    title: 'a step of a plugin that this worker has not loaded is left to others',
    chain: [next('unknown'), next('third')],
    seen: ['first: a b c'],
    reports: undefined,
  },
  {
    title: 'nothing is left to go on with',
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
  const context = runContext({ records: { type: 'local', path: folder } });
  const keys = ['a', 'b', 'c'];
  await withManifest(
    deps.store(context),
    keys.map((key) => manifestAsset(key)),
  );
  const { activity: _, ...step } = next('first');
  const input: StepInput = {
    context,
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
    runStep(first, input, deps, typeOf),
  );
  return { seen, output, pages: deps.store(context).pages(0) };
}

describe('an activity that goes on', () => {
  for (const one of cases) {
    it(one.title, async () => {
      const { seen, output } = await play(one);
      expect(seen).toEqual(one.seen);
      if (one.reports === undefined) expect(output.chain).toBeUndefined();
      else expect(output.chain).toMatchObject(one.reports);
    });
  }

  it('tells at once of what stops the whole run, and goes on no more', async () => {
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

  it('writes what each step has found to a page of its own', async () => {
    const found: Work = (given) => given.map(({ key }) => done(key, { projectId: `p-${key}` }));
    const chain = [next('second', { batch: 2 }), next('third')];
    const { output, pages } = await play({
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
    const read = await pages.read(names);
    expect(read.map(({ patches }) => patches.map(({ at }) => at))).toEqual([
      [0, 1, 2],
      [0, 1],
      [2],
      [0, 1, 2],
    ]);
  });
});
