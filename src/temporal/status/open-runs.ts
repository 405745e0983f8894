// Reads the open runs of a task queue for metrics, in few requests however many runs there are.
import type { Client } from '@temporalio/client';
import { workflowNames } from '../../plan/contract/contract.ts';
import { pausedOutcome, searchAttributeNames } from '../../plan/search-attributes.ts';
import type { OpenRun } from '../../telemetry/events.ts';
import { listExecutionPages, openAtQueue } from '../runs/list-executions.ts';
import { startTimeOfRun } from '../runs/run-start-time.ts';
import { attributesOf, msOf, readRunMemo } from './listed-run-fields.ts';

/** Maximum number of list pages, of a thousand runs each. A queue with more open runs has no metrics of them. */
const maxPages = 10;
/** Label of runs whose memo cannot be decrypted and which have no search attribute. */
const unknownPipeline = 'other';

/** The open runs; null if there are more than `maxPages` pages. */
export async function readOpenRuns(client: Client, taskQueue: string): Promise<OpenRun[] | null> {
  const query = openAtQueue(workflowNames.run, taskQueue);
  const runs: OpenRun[] = [];
  let pages = 0;
  for await (const page of listExecutionPages(client, query)) {
    pages += 1;
    if (pages > maxPages) return null;
    for (const run of page) {
      const id = run.execution?.workflowId ?? '';
      const memo = await readRunMemo(client, run);
      const attributes = attributesOf(run);
      const listedAtMs = msOf(run.startTime);
      const searched = attributes.get(searchAttributeNames.pipeline);
      runs.push({
        pipeline: memo?.pipeline ?? (typeof searched === 'string' ? searched : unknownPipeline),
        state: stateOf(attributes),
        startedAtMs: startTimeOfRun(id, listedAtMs),
        pinnedTo: pinnedTo(attributes),
      });
    }
  }
  return runs;
}

function stateOf(attributes: ReadonlyMap<string, unknown>): OpenRun['state'] {
  if (!attributes.has(searchAttributeNames.pipeline)) return 'unknown';
  return attributes.get(searchAttributeNames.outcome) === pausedOutcome ? 'paused' : 'working';
}

/** The version that a run is pinned to, as `deployment:build`; null if it is not pinned. */
function pinnedTo(attributes: ReadonlyMap<string, unknown>): string | null {
  const version = attributes.get('TemporalWorkerDeploymentVersion');
  const isPinned = attributes.get('TemporalWorkflowVersioningBehavior') === 'Pinned';
  return isPinned && typeof version === 'string' ? version : null;
}
