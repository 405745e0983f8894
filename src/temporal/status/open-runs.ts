// Reads the open runs of a task queue for metrics, in few requests however many runs there are.
import type { Client } from '@temporalio/client';
import { workflowNames } from '../../plan/contract/contract.ts';
import { parseRunMemo } from '../../plan/run/run-memo.ts';
import { pausedOutcome, searchAttributeNames } from '../../plan/search-attributes.ts';
import type { OpenRun } from '../../telemetry/events.ts';
import { listWorkflows } from '../codec/tolerant-reader.ts';
import { openAtQueue } from '../runs/open-workflows.ts';
import { findStartTime, readStartTime } from '../runs/run-start-time.ts';
import { attributesOf, findPinnedVersion } from './listed-run-fields.ts';

/** A queue with more open runs has no metrics about them. */
const maxRuns = 10_000;
/** Maximum number of start times that are looked up per reading. The others follow in the next readings. */
const maxLookUps = 100;
/** Label of runs whose memo cannot be decrypted and which have no search attribute. */
const unknownPipeline = 'other';

/**
 * Returns the open runs, or null if there are more than `maxRuns`.
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
  for await (const run of listWorkflows(client, { query, pageSize: 1_000 })) {
    if (runs.length === maxRuns) return null;
    const { runId, startTime, memo } = run;
    let startedAtMs = findStartTime(run) ?? earlierStartTimes.get(runId);
    if (startedAtMs === undefined && lookUps < maxLookUps) {
      lookUps += 1;
      startedAtMs = await readStartTime(client, run);
    }
    if (startedAtMs !== undefined) startTimes.set(runId, startedAtMs);
    const attributes = attributesOf(run);
    const pipeline = parseRunMemo(memo)?.pipeline ?? attributes.get(searchAttributeNames.pipeline);
    runs.push({
      pipeline: typeof pipeline === 'string' ? pipeline : unknownPipeline,
      state: stateOf(attributes),
      startedAtMs: startedAtMs ?? startTime.getTime(),
      pinnedTo: findPinnedVersion(run),
    });
  }
  return runs;
}

function stateOf(attributes: ReadonlyMap<string, unknown>): OpenRun['state'] {
  if (!attributes.has(searchAttributeNames.pipeline)) return 'unknown';
  return attributes.get(searchAttributeNames.outcome) === pausedOutcome ? 'paused' : 'working';
}
