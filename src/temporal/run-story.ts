// Reads the timeline of a run from Temporal: its plan, the acts of people, and the times of its steps.
import type { Client } from '@temporalio/client';
import type { RunStory } from '../plan/run-story.ts';
import { readPeople } from './run-people.ts';
import { startedWith } from './started-with.ts';
import { readStepTimes } from './step-times.ts';

/** The timeline; mostly empty if the server has deleted the run. @param shards number of shards of the run */
export async function readStory(client: Client, run: string, shards: number): Promise<RunStory> {
  const [start, people] = await Promise.all([
    startedWith(client, client.options.namespace, run),
    readPeople(client, run),
  ]);
  if (start === null) return { plan: null, people, times: null };
  return { plan: start.plan, people, times: await readStepTimes(client, run, shards) };
}
