// Counts the platform objects whose events an event trigger keeps while everything is paused.
import type { Client } from '@temporalio/client';
import { type TriggerEvent, workflowIds } from '../../plan/contract/contract.ts';
import { messages } from '../../plan/contract/messages.ts';
import { tryDecodeValue } from '../codec/decode-payload.ts';
import { hidesNames, temporalName } from '../private-names.ts';
import { eventTimeMs, readExecutionPages } from './read-history.ts';

/** Number of objects in the trigger's events since a time, each counted once. Events that arrive as a sweep are not known. */
export async function countHeldObjects(
  client: Client,
  pipeline: string,
  sinceMs: number,
): Promise<number> {
  const trigger = workflowIds.eventTrigger(temporalName(hidesNames(client), pipeline));
  const ids = new Set<string>();
  for await (const events of readExecutionPages(client, trigger, '')) {
    for (const event of events) {
      const signaled = event.workflowExecutionSignaledEventAttributes;
      if (signaled?.signalName !== messages.platformEvents || eventTimeMs(event) < sinceMs)
        continue;
      const [payload] = signaled.input?.payloads ?? [];
      const sent = await tryDecodeValue<TriggerEvent[]>(client.options, payload);
      for (const { objects } of sent ?? []) for (const { id } of objects) ids.add(id);
    }
  }
  return ids.size;
}
