// Decisions about assets on the page: only about assets that it has shown, and only with access to the records.
import { describe, expect, test } from 'vitest';
import { decideByName, listWaitingAssets, markOfAsset } from '../../../src/app/approvals/review.ts';
import type { ApprovalVerdict } from '../../../src/app/approvals/verdicts.ts';
import { nameOfWaiting } from '../../../src/app/runs/waiting-assets.ts';
import { decisionOf, pausedRun, run, waitsForDecisions } from './_paused-run.ts';

const named = (key: string) => ({ node: 'judge', key });

/** A run in which these assets wait. */
async function waitingFor(...keys: string[]) {
  const paused = pausedRun(waitsForDecisions);
  const { approvals } = paused.store;
  const review = { type: 'local', path: '/review' };
  const assets = keys.map((key) => ({ key, pictures: [] }));
  await approvals.show({ shard: 0, node: 'judge', review, assets });
  const decideFirst = (outcome: 'approved' | 'rejected', ...decided: string[]) => {
    const { by, at } = decisionOf(outcome);
    const page = { shard: 0, node: 'judge', by, at, approved: [], rejected: [] };
    return approvals.decide({ ...page, [outcome]: decided });
  };
  return { ...paused, approvals, decideFirst };
}

const decisions = (
  seen: readonly string[],
  rest: ApprovalVerdict,
  verdicts: Record<string, ApprovalVerdict> = {},
) => ({
  verdicts: new Map(
    Object.entries(verdicts).map(([key, verdict]) => [nameOfWaiting(named(key)), verdict] as const),
  ),
  rest,
  seen: new Set(seen.map((key) => markOfAsset(named(key)))),
  reason: 'too blue',
});

describe('approving all other assets', () => {
  test.each<[string, string[], string[]]>([
    ['approves all assets that the page has shown', ['a', 'b'], ['a', 'b']],
    ['approves the waiting assets if the page has shown more', ['a', 'b'], ['a', 'b', 'c']],
  ])('the page %s', async (_what, waiting, seen) => {
    const { app, approvals } = await waitingFor(...waiting);
    await decideByName(app, run, decisions(seen, 'approve'));
    expect([...(await approvals.decisions('judge')).keys()]).toEqual(waiting);
  });

  test('the page approves no asset if an asset is waiting that the page has not shown', async () => {
    const { app, approvals, decideFirst, signals } = await waitingFor('a', 'b', 'c');
    await decideFirst('approved', 'a');
    const decided = decideByName(app, run, decisions(['a', 'b'], 'approve'));
    await expect(decided).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
      message:
        'Since the page was loaded, 1 more picture or asset needs a decision. Nothing was decided.',
    });
    expect((await approvals.decisions('judge')).size).toBe(1);
    expect(signals).toEqual([]);
  });
});

test('decisions about single assets do not require that others were shown', async () => {
  const { app, approvals } = await waitingFor('a', 'b');
  await decideByName(app, run, decisions(['a'], 'wait', { a: 'approve' }));
  expect([...(await approvals.decisions('judge')).keys()]).toEqual(['a']);
});

test('an approval does not contain the reason for a rejection that came too late', async () => {
  const { app, approvals, decideFirst } = await waitingFor('a', 'b');
  await decideFirst('approved', 'a');
  const sent = decisions(['a', 'b'], 'approve', { a: 'reject' });
  expect(await decideByName(app, run, sent)).toMatchObject([{ key: 'a', outcome: 'approved' }]);
  const decision = (await approvals.decisions('judge')).get('b');
  expect(decision).toEqual({ outcome: 'approved', by: 'ann@studio', at: expect.any(String) });
});

describe('the list of waiting assets', () => {
  test('the list fails without access to the records of the run', async () => {
    const { app } = pausedRun(waitsForDecisions);
    await expect(listWaitingAssets(app, run, undefined)).rejects.toMatchObject({
      code: 'RECORDS_UNREADABLE',
      message: expect.stringContaining('Assets of r-1 are waiting for a decision'),
    });
  });

  test.each<[string, () => Promise<Pick<ReturnType<typeof pausedRun>, 'app'>>]>([
    ['for a run without approval nodes', async () => pausedRun({})],
    [
      'once all assets are decided',
      async () => {
        const { app, decideFirst } = await waitingFor('a');
        await decideFirst('approved', 'a');
        return { app };
      },
    ],
  ])('the list is empty %s', async (_what, prepare) => {
    const { app } = await prepare();
    expect(await listWaitingAssets(app, run, undefined)).toEqual([]);
  });
});
