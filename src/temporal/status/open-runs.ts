// Reads the open runs of a task queue for metrics, in few requests however many runs there are.
import type { Client } from '@temporalio/client';
import { workflowNames } from '../../plan/contract/contract.ts';
import { pausedOutcome, searchAttributeNames } from '../../plan/search-attributes.ts';
import type { OpenRun } from '../../telemetry/events.ts';
import { atMsOf } from '../at-ms-of.ts';
import { listExecutionPages, openAtQueue } from '../runs/list-executions.ts';
import { findStartTime, readStartTime } from '../runs/run-start-time.ts';
import { attributesOf, readRunMemo } from './listed-run-fields.ts';

/** Maximum number of list pages, with a thousand runs each. A queue with more open runs has no metrics about them. */
const maxPages = 10;
/** Maximum number of start times that are looked up per reading. The others follow in the next readings. */
const maxLookUps = 100;
/** Label of runs whose memo cannot be decrypted and which have no search attribute. */
const unknownPipeline = 'other';

/**
 * Returns the open runs, or null if there are more than `maxPages` pages.
 * @param startTimes cache of start times by execution, updated by each call
 */
export async function readOpenRuns(
  client: Client,
  taskQueue: string,
  startTimes: Map<string, number> = new Map(),
): Promise<OpenRun[] | null> {
  const query = openAtQueue(workflowNames.run, taskQueue);
  const runs: OpenRun[] = [];
  const earlierStartTimes = new Map(startTimes);
  startTimes.clear();
  let lookUps = 0;
  let pages = 0;
  for await (const page of listExecutionPages(client, query)) {
    pages += 1;
    if (pages > maxPages) return null;
    for (const run of page) {
      const workflowId = run.execution?.workflowId ?? '';
      const runId = run.execution?.runId ?? '';
      const memo = await readRunMemo(client, run);
      const attributes = attributesOf(run);
      const latestExecution = { workflowId, runId, startTime: new Date(atMsOf(run.startTime)) };
      let startedAtMs = findStartTime(latestExecution) ?? earlierStartTimes.get(runId);
      if (startedAtMs === undefined && lookUps < maxLookUps) {
        lookUps += 1;
        startedAtMs = await readStartTime(client, latestExecution);
      }
      if (startedAtMs !== undefined) startTimes.set(runId, startedAtMs);
      const pipelineName = attributes.get(searchAttributeNames.pipeline);
      runs.push({
        pipeline:
          memo?.pipeline ?? (typeof pipelineName === 'string' ? pipelineName : unknownPipeline),
        state: stateOf(attributes),
        startedAtMs: startedAtMs ?? latestExecution.startTime.getTime(),
        pinnedTo: findPinnedVersion(attributes),
      });
    }
  }
  return runs;
}

function stateOf(attributes: ReadonlyMap<string, unknown>): OpenRun['state'] {
  if (!attributes.has(searchAttributeNames.pipeline)) return 'unknown';
  return attributes.get(searchAttributeNames.outcome) === pausedOutcome ? 'paused' : 'working';
}

/** Finds the version that a run is pinned to, as `deployment:build`. Returns null if it is not pinned. */
function findPinnedVersion(attributes: ReadonlyMap<string, unknown>): string | null {
  const version = attributes.get('TemporalWorkerDeploymentVersion');
  const isPinned = attributes.get('TemporalWorkflowVersioningBehavior') === 'Pinned';
  return isPinned && typeof version === 'string' ? version : null;
}
