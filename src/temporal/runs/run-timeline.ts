// Reads the timeline of a run from Temporal: its plan, the actions of people, and the times of its steps.
import type { Client } from '@temporalio/client';
import type { RunTimeline } from '../../plan/run/run-timeline.ts';
import { readRunInput } from './read-run-input.ts';
import { readRunActions } from './run-actions.ts';
import { readStepTimes } from './step-times.ts';

/**
 * Reads the timeline, mostly empty if the server has deleted the run.
 * @param shards number of shards of the run @param knownActions actions that the caller has already read
 */
export async function readTimeline(
  client: Client,
  run: string,
  shards: number,
  knownActions: RunTimeline['actions'] | null = null,
): Promise<RunTimeline> {
  const [start, people] = await Promise.all([
    readRunInput(client, run),
    knownActions ?? readRunActions(client, run),
  ]);
  if (start === null) return { plan: null, actions: people, times: null };
  return { plan: start.plan, actions: people, times: await readStepTimes(client, run, shards) };
}
