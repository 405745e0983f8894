// The canary as a run reports it, before and while it waits for approval.
import { expect, it } from 'vitest';
import type { RunInput } from '../../src/plan/contract/contract.ts';
import { RunHold } from '../../workflows/run/run-hold.ts';
import { planOf, withNodes } from '../compile/_compile.ts';

const plan = planOf(withNodes('{ id: ready, type: model_ready, parentIds: [take], config: {} }'));
const grid = (pages: number, starts: number[]) => ({
  pages,
  total: 20,
  new: 20,
  changed: 0,
  unchanged: 0,
  refused: 0,
  starts,
});

function gateOf(canaryAssets: number, carried?: Partial<RunInput['carried']>): RunHold {
  const canary = { assets: canaryAssets, timeoutMs: 1 };
  return new RunHold({
    run: 'r-1',
    lineage: 'l',
    epoch: 1,
    searchable: false,
    plan: { ...plan, shardSize: 5, canary },
    // The gate reads nothing else of a carried state.
    ...(carried && { carried: carried as NonNullable<RunInput['carried']> }),
  });
}

it.each([
  ['a part of two models', 8, grid(4, [0, 5, 10, 15]), 10],
  ['a part of one model', 1, grid(4, [0, 5, 10, 15]), 5],
  ['whole models', 10, grid(4, [0, 5, 10, 15]), 10],
])('the canary of a grid contains all cells of its models: %s', (_what, planned, found, assets) => {
  const gate = gateOf(planned);
  gate.setDiscovery(found);
  expect(gate.canary()).toEqual({ assets, state: 'running', until: null });
  expect(gate.isBlocked(assets / 5 - 1)).toBe(false);
  expect(gate.isBlocked(assets / 5)).toBe(true);
});

it('no approval is needed if the canary contains all models', () => {
  const gate = gateOf(2);
  gate.setDiscovery(grid(1, [0]));
  expect(gate.canary()).toBeNull();
  expect(gate.isApprovalDue(1)).toBe(false);
});

it('the cause counts all cells of the models in the canary', () => {
  const gate = gateOf(8, { gate: { paused: false, cause: null, untilMs: 60_000 } });
  gate.setDiscovery(grid(4, [0, 5, 10, 15]));
  const totals = { total: 20, complete: 10, failed: 0, skipped: 0 };
  expect(gate.cause(totals)?.message).toBe(
    'the first 10 of 20 assets are done: 10 complete; the others are waiting for approval until 1970-01-01 00:01 UTC',
  );
});

it('a run that starts new records still does after another resume', () => {
  const gate = gateOf(2);
  gate.resume({ newRecords: true });
  gate.resume({});
  expect(gate.startsNewRecords).toBe(true);
});
