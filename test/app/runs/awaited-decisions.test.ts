// When a command that follows a run ends because only a person can advance the run.
import { expect, test } from 'vitest';
import { findAwaitedDecision } from '../../../src/app/runs/run-waits.ts';
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
  ['ends if all remaining assets wait', waiting(2), true],
  ['continues if another asset is in progress', waiting(1), false],
  ['continues if the assets wait for the platform', waiting(2, 'render_complete'), false],
  ['continues if nothing waits', {}, false],
  [
    'continues while the source is being listed',
    { ...waiting(2), discovery: { ...found, nextDiscoveryPage: 1 } },
    false,
  ],
  [
    'ends if no more assets may be in flight, and all of them wait',
    { ...waiting(1), inFlight: { assets: 1, max: 1, heldBy: 'limit' } },
    true,
  ],
  [
    'continues if no more assets may be in flight, and some are in progress',
    { ...waiting(1), inFlight: { assets: 2, max: 2, heldBy: 'limit' } },
    false,
  ],
  ['continues if nothing is listed yet', { ...waiting(2), discovery: null }, false],
  [
    'ends if the other assets wait for the canary',
    { ...waiting(1), canary: { assets: 4, state: 'running', until: null } },
    true,
  ],
])('a command that follows a run %s: %j', (_what, more, ends) => {
  const cause = findAwaitedDecision(progress(more));
  expect(cause?.code ?? null).toBe(ends ? 'APPROVAL_WAITING' : null);
});

test('the cause contains the number of waiting assets and the command to decide about them', () => {
  expect(findAwaitedDecision(progress(waiting(2)))).toMatchObject({
    message:
      '2 assets are waiting for a decision on their pictures, and nothing else is left to do',
    fix: expect.stringContaining('renderline approve r-1'),
    kind: 'later',
  });
});
