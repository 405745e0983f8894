// A run with records in a folder, on a server that keeps its signals.
import { WorkflowNotFoundError } from '@temporalio/client';
import { App } from '../../../src/app/app.ts';
import { openConnector } from '../../../src/connectors/index.ts';
import { openRunStore } from '../../../src/features/run-store.ts';
import { type RunProgress, workflowNames } from '../../../src/plan/contract/contract.ts';
import { runMemoField } from '../../../src/plan/run/run-memo.ts';
import type { HeldPicture } from '../../../src/store/runs/pictures/held-pictures.ts';
import { folderWith } from '../../cli/_folder.ts';
import { runningProgress } from '../../plan/_run-progress.ts';

export const run = 'r-1';

const later = { kind: 'later', message: '', fix: '' } as const;
export const waitsForPictures: Partial<RunProgress> = {
  state: 'paused',
  cause: { code: 'PICTURES_CHANGED', ...later },
};
export const waitsForCanary: Partial<RunProgress> = {
  state: 'paused',
  cause: { code: 'CANARY_WAITING', ...later },
  canary: { assets: 4, state: 'waiting', until: '2026-11-28T22:40:59.000Z' },
};
export const approvedBefore: Partial<RunProgress> = {
  canary: { assets: 4, state: 'approved', until: null },
};
export const waitsForDecisions: Partial<RunProgress> = {
  waits: { judge: { activity: 'approval', assets: 1, sinceMs: 0 } },
};

/** @param bounds the only folders that the app may read. Without bounds the app may read all folders. */
export function pausedRun(
  progress: Partial<RunProgress>,
  by = 'ann@studio',
  bounds: { folders?: readonly string[] } = {},
) {
  const records = { type: 'local', path: folderWith() };
  const context = { run, lineage: run, pipeline: 'shop', recipe: '' };
  const store = openRunStore(openConnector(records), context);
  const signals: unknown[][] = [];
  const state = { progress: { ...runningProgress, ...progress }, isAway: false };
  const described = {
    workflowId: run,
    runId: 'e-1',
    type: workflowNames.run,
    taskQueue: 'q',
    status: { name: 'RUNNING' },
    startTime: new Date(0),
    historyLength: 9,
    memo: { [runMemoField]: { pipeline: 'shop', records, destination: null, steps: [] } },
    raw: {},
  };
  const handle = {
    describe: async () => described,
    query: async () => state.progress,
    /** After a resume or an approval the run no longer waits. */
    signal: async (...signal: unknown[]) => {
      if (state.isAway) throw new Error('Temporal is away');
      signals.push(signal);
      state.progress = { ...runningProgress, ...(signal[0] === 'approve' ? approvedBefore : {}) };
    },
  };
  const missing = { describe: () => Promise.reject(new WorkflowNotFoundError('', 'q', undefined)) };
  const client = {
    options: { namespace: 'n', identity: by, loadedDataConverter: { payloadCodecs: [] } },
    workflow: { getHandle: (id: string) => (id === run ? handle : missing) },
    workflowService: {
      getWorkflowExecutionHistory: () => Promise.reject(Object.assign(new Error(), { code: 5 })),
    },
    withDeadline: (_at: number, work: () => unknown) => work(),
  };
  const app = new App({ env: {}, cwd: folderWith(), ...bounds });
  // The use cases read only these fields of a connection.
  app.temporal = { client, namespace: 'n' } as never;
  return { app, store, signals, state };
}

/** @param after small copy of the new picture */
export function heldPicture(key: string, after = `new ${key}`): HeldPicture {
  const about = { shard: 0, node: 'deliver', share: 0.3, before: `old ${key}` };
  return { key, path: `${key}.png`, sha256: after, after, ...about };
}

/** A decision of another person. */
export function decisionOf(outcome: 'approved' | 'rejected') {
  const note = outcome === 'rejected' ? { reason: 'too dark' } : {};
  return { outcome, by: 'bob@studio', at: '2026-11-28T20:00:00.000Z', ...note };
}
