// What Temporal knows of a run beside its result.
import type { Client } from '@temporalio/client';
import type { RunStory } from '../plan/run-story.ts';
import { readPeople } from './run-people.ts';
import { startedWith } from './started-with.ts';
import { readStepTimes } from './step-times.ts';

/** @param shards of the run. Empty where the server has forgotten it. */
export async function readStory(client: Client, run: string, shards: number): Promise<RunStory> {
  const [start, people] = await Promise.all([
    startedWith(client, client.options.namespace, run),
    readPeople(client, run),
  ]);
  if (start === null) return { plan: null, people, times: null };
  return { plan: start.plan, people, times: await readStepTimes(client, run, shards) };
}
