// The progress of a run.
import type { RunProgress } from '../../src/plan/contract/contract.ts';

/** A run of eight assets that waits for no approval. */
export const runningProgress: RunProgress = {
  run: 'r-1',
  pipeline: 'p',
  state: 'running',
  cause: null,
  discovery: { pages: 1, total: 8, new: 8, changed: 0, unchanged: 0, refused: 0 },
  totals: { total: 8, complete: 3, failed: 0, skipped: 0 },
  inFlight: { assets: 0, max: 9, heldBy: 'nothing' },
  openShards: [],
  shardsDone: 0,
  failures: [],
  requests: {},
  historyEvents: 0,
  steps: {},
};
