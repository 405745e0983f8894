// Who started, paused, resumed, approved or ended a run, as its history in Temporal has it.
import type { Client } from '@temporalio/client';
import { workflowIds } from '../plan/contract.ts';
import { messages } from '../plan/messages.ts';
import type { Act } from '../plan/run-story.ts';
import { eachPage, type HistoryEvent, timeOf } from './read-history.ts';

const signals: ReadonlyMap<string, Act['what']> = new Map([
  [messages.pause, 'paused'],
  [messages.resume, 'resumed'],
  [messages.approve, 'approved'],
]);

/** In the order of time. Empty where the server has forgotten the run. */
export async function readPeople(client: Client, run: string): Promise<Act[]> {
  const acts: Act[] = [];
  for await (const events of eachPage(client, workflowIds.run(run))) {
    for (const event of events) {
      const act = actOf(event);
      if (act) acts.push({ at: new Date(timeOf(event)).toISOString(), ...act });
    }
  }
  return acts.sort((a, b) => (a.at < b.at ? -1 : 1));
}

function actOf(event: HistoryEvent): Omit<Act, 'at'> | null {
  const started = event.workflowExecutionStartedEventAttributes;
  // A continuation is no start.
  if (started && !started.continuedExecutionRunId) {
    return { what: 'started', by: started.identity ?? '' };
  }
  const signaled = event.workflowExecutionSignaledEventAttributes;
  const what = signals.get(signaled?.signalName ?? '');
  if (signaled && what) return { what, by: signaled.identity ?? '' };
  const cancelled = event.workflowExecutionCancelRequestedEventAttributes;
  if (cancelled) return { what: 'cancelled', by: cancelled.identity ?? '' };
  const terminated = event.workflowExecutionTerminatedEventAttributes;
  if (!terminated) return null;
  const { identity, reason } = terminated;
  return { what: 'terminated', by: identity ?? '', ...(reason ? { reason } : {}) };
}
