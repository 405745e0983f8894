// When a command that follows a run ends because only people can advance the run.
import { expect, test } from 'vitest';
import { awaitedDecisions } from '../../../src/app/runs/run-waits.ts';
import type { RunProgress } from '../../../src/plan/contract/contract.ts';

const found = { pages: 1, total: 5, new: 5, changed: 0, unchanged: 0, refused: 0 };
const waiting = (assets: number, activity = 'approval') => ({
  waits: { look: { activity, assets, sinceMs: 1 } },
});

function progress(more: Partial<RunProgress>): RunProgress {
  const totals = { total: 5, complete: 2, failed: 1, skipped: 0 };
  const inFlight = { assets: 2, max: 9, heldBy: 'nothing' };
  return { run: 'r-1', discovery: found, totals, inFlight, ...more } as RunProgress;
}

test.each<[string, Partial<RunProgress>, boolean]>([
  ['all assets that are left wait', waiting(2), true],
  ['another asset is in progress', waiting(1), false],
  ['they wait for the platform', waiting(2, 'render_complete'), false],
  ['nothing waits', {}, false],
  [
    'the source is still being listed',
    { ...waiting(2), discovery: { ...found, nextDiscoveryPage: 1 } },
    false,
  ],
  [
    'the run may have no more in flight, and all of that waits',
    { ...waiting(1), inFlight: { assets: 1, max: 1, heldBy: 'limit' } },
    true,
  ],
  [
    'the run may have no more in flight, and some of that is in progress',
    { ...waiting(1), inFlight: { assets: 2, max: 2, heldBy: 'limit' } },
    false,
  ],
  ['nothing is listed yet', { ...waiting(2), discovery: null }, false],
  [
    'the others wait for the canary',
    { ...waiting(1), canary: { assets: 4, state: 'running', until: null } },
    true,
  ],
])('%s: %j', (_what, more, ends) => {
  const cause = awaitedDecisions(progress(more));
  expect(cause?.code ?? null).toBe(ends ? 'APPROVAL_WAITING' : null);
});

test('the cause names what waits, and how to decide', () => {
  expect(awaitedDecisions(progress(waiting(2)))).toMatchObject({
    message: '2 assets wait for a decision about their pictures, and nothing else is left to do',
    fix: expect.stringContaining('renderline approve r-1'),
    kind: 'later',
  });
});
