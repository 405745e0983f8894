// Assets at an approval node wait with their pictures in the review folder, unless an earlier run has a decision.
import { describe, expect, it } from 'vitest';
import type { NodeContext } from '../../src/engine/node-context.ts';
import { awaitDecisions } from '../../src/features/approvals/approval.ts';
import type { AssetDecision } from '../../src/features/approvals/platform-ids.ts';
import { showPictures } from '../../src/features/approvals/show-pictures.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type { AssetResult, StepAsset } from '../../src/plan/types.ts';
import { pipelineSlugOf } from '../../src/store/objects/object-name.ts';
import type { DecisionPage } from '../../src/store/runs/pictures/approvals.ts';
import { contextOn, runContext } from './_context.ts';
import { codes, useDelivery } from './_delivery.ts';

const delivery = useDelivery();
const config = { review: 'review' };
const place = `${pipelineSlugOf(runContext().pipeline)}/look`;
const minuteMs = 60_000;
const enteredAtMs = Date.parse('2026-11-27T20:00:00Z');

function context(more: Partial<NodeContext> = {}): NodeContext {
  const { platform, connector, records } = delivery;
  const run = runContext({ connectors: { review: { type: 'local', path: delivery.folder } } });
  return contextOn(platform, {
    run,
    getConnector: () => connector,
    store: openRunStore(records, run),
    step: { id: 'look', node: 'look', batch: 50, retry: null },
    attempt: { number: 1, firstAtMs: 0, retryUntilAtMs: 1e9 },
    now: () => enteredAtMs + minuteMs,
    ...more,
  });
}

const rendered = (key: string, output = key): StepAsset => ({
  ...delivery.rendered(key, delivery.output(output, 'Front')),
  enteredAtMs,
  deadlineMs: enteredAtMs + 60 * minuteMs,
});

const show = (assets: StepAsset[], more: Partial<NodeContext> = {}) =>
  showPictures(config, assets, context(more), async () => undefined);
const read = (assets: StepAsset[], more: Partial<NodeContext> = {}) =>
  awaitDecisions(config, assets, context(more));

const anna = { shard: 0, node: 'look', by: 'anna@studio', at: '2026-11-27T20:00:30.000Z' };
function decide(decision: Partial<DecisionPage>): Promise<void> {
  const page = { ...anna, approved: [], rejected: [], ...decision };
  return context().store.approvals.decide(page);
}

const decisionsOf = (result: AssetResult | undefined): readonly AssetDecision[] =>
  (result && 'platformIds' in result && result.platformIds?.decisions) || [];

describe('pictures at an approval node', () => {
  it('pictures are copied to the review folder by pipeline, node and key, and their assets wait', async () => {
    const assets = [rendered('chairs/oslo'), rendered('table')];
    expect(codes(await show(assets))).toEqual(['done', 'done']);
    expect(await delivery.files()).toEqual([
      `${place}/chairs/oslo/Front.png`,
      `${place}/table/Front.png`,
    ]);
    expect(await read(assets)).toEqual([]);
  });

  it('a picture that cannot be copied fails only its own asset', async () => {
    const broken = rendered('broken');
    delivery.job('broken', ...(broken.platformIds.outputs ?? []));
    delivery.platform.pictures.delete('broken.png');
    expect(codes(await show([broken, rendered('table')]))).toEqual(['OUTPUT_REFUSED', 'done']);
    const [page, ...others] = await context().store.approvals.shown();
    expect(page?.assets).toEqual([
      { key: 'table', pictures: [{ path: `${place}/table/Front.png`, width: 32, height: 18 }] },
    ]);
    expect(others).toEqual([]);
  });

  it('pictures are listed only once, however often the step is repeated', async () => {
    const assets = [rendered('a'), rendered('b')];
    await show(assets);
    await show(assets.toReversed());
    expect(await context().store.approvals.shown()).toHaveLength(1);
  });
});

describe('decisions at an approval node', () => {
  it('an approved asset continues, a rejected one fails, and the others keep waiting', async () => {
    const assets = ['good', 'bad', 'later'].map((key) => rendered(key));
    await show(assets);
    await decide({ approved: ['good'], rejected: ['bad'], reason: 'too dark' });
    const results = await read(assets);
    expect(codes(results)).toEqual(['done', 'APPROVAL_REJECTED']);
    expect(results[1]).toMatchObject({
      key: 'bad',
      message: 'anna@studio rejected its pictures on 2026-11-27 20:00 UTC: too dark',
      // The next run renders it again.
      forgetIds: expect.arrayContaining(['jobId', 'outputs']),
    });
    const { by, at } = anna;
    const decision = { node: 'look', by, at, reason: 'too dark', outputs: expect.any(String) };
    expect(decisionsOf(results[0])).toEqual([
      { ...decision, reason: undefined, outcome: 'approved' },
    ]);
    expect(decisionsOf(results[1])).toEqual([{ ...decision, outcome: 'rejected' }]);
    expect(await delivery.files()).toEqual([`${place}/later/Front.png`]);
    expect(await context().store.failedImages.read('bad')).toMatchObject({
      path: `${place}/bad/Front.png`,
    });
  });

  it.each<[string, Partial<DecisionPage>[], string[]]>([
    ['made at another node does not count', [{ node: 'other', approved: ['a'] }], []],
    ['about another shard does not count', [{ shard: 1, approved: ['a'] }], []],
    [
      'is final, and a later one changes nothing',
      [{ rejected: ['a'] }, { approved: ['a'], at: '2026-11-27T20:00:31.000Z' }],
      ['APPROVAL_REJECTED'],
    ],
    [
      'that both approves and rejects an asset counts as a rejection',
      [{ approved: ['a'], rejected: ['a'] }],
      ['APPROVAL_REJECTED'],
    ],
    ['about an unknown asset has no effect', [{ approved: ['b'] }], []],
  ])('a decision %s', async (_what, decisions, expected) => {
    const assets = [rendered('a')];
    await show(assets);
    for (const decision of decisions) await decide(decision);
    expect(codes(await read(assets))).toEqual(expected);
  });

  it('a decision can be read again by an attempt that replaces a killed one', async () => {
    const assets = [rendered('a')];
    await show(assets);
    await decide({ approved: ['a'] });
    const first = await read(assets);
    expect(await read(assets)).toEqual(first);
    expect(await delivery.files()).toEqual([]);
  });

  it('an asset without a timely decision fails, and its picture is removed from the folder', async () => {
    const assets = [rendered('a')];
    await show(assets);
    const late = { now: () => enteredAtMs + 60 * minuteMs };
    const [result] = await read(assets, late);
    expect(result).toMatchObject({
      code: 'APPROVAL_TIMEOUT',
      message: 'nobody approved or rejected its pictures within 1h',
    });
    // A rerun asks about the same pictures again.
    expect(result).not.toHaveProperty('forgetIds');
    expect(await delivery.files()).toEqual([]);
  });
});

describe('approvals in another run', () => {
  it.each<[string, outcome: 'approved' | 'rejected', output: string, waits: boolean]>([
    ['does not ask again about approved pictures', 'approved', 'a', false],
    ['asks about a different render', 'approved', 'a2', true],
    ['asks again about rejected pictures', 'rejected', 'a', true],
  ])('another run %s', async (_what, outcome, output, waits) => {
    const asset = rendered('a');
    await show([asset]);
    await decide({ [outcome]: ['a'] });
    const decisions = decisionsOf((await read([asset]))[0]);
    const next = { store: openRunStore(delivery.records, runContext({ run: 'run-2' })) };
    const again = rendered('a', output);
    const known = { ...again, platformIds: { ...again.platformIds, decisions } };
    expect(codes(await show([known], next))).toEqual(['done']);
    expect(await delivery.files()).toEqual(waits ? [`${place}/a/Front.png`] : []);
    expect(codes(await read([known], next))).toEqual(waits ? [] : ['done']);
  });

  it.each<[string, job: string, isStored: boolean, waits: boolean]>([
    ['does not ask again about the same job', 'a', false, false],
    ['does not ask again if it knows the outputs of the same job', 'a', true, false],
    ['asks about another job', 'b', false, true],
  ])(
    'after the approval of TIFFs, which the wait does not store, another run %s',
    async (_what, job, isStored, waits) => {
      const renderedBy = (name: string, isKnown = false): StepAsset => {
        const output = delivery.output(name, 'Front');
        delivery.job(name, output);
        const outputs = isKnown ? { outputs: [output] } : {};
        return { ...rendered('a'), platformIds: { jobId: `job-${name}`, ...outputs } };
      };
      const asset = renderedBy('a');
      await show([asset]);
      await decide({ approved: ['a'] });
      const decisions = decisionsOf((await read([asset]))[0]);
      const next = { store: openRunStore(delivery.records, runContext({ run: 'run-2' })) };
      const again = renderedBy(job, isStored);
      const known = { ...again, platformIds: { ...again.platformIds, decisions } };
      expect(codes(await show([known], next))).toEqual(['done']);
      expect(codes(await read([known], next))).toEqual(waits ? [] : ['done']);
    },
  );
});
