// Counts the platform objects whose events an event trigger keeps while everything is paused.
import type { Client } from '@temporalio/client';
import type { TriggerEvent } from '../../plan/contract/contract.ts';
import { messages } from '../../plan/contract/messages.ts';
import { tryDecodeValue } from '../codec/decode-payload.ts';
import { eventTimeMs, readExecutionPages } from './read-history.ts';

/**
 * Number of distinct objects in the events that a trigger's newest execution has received since a time. Objects that
 * only a sweep finds are not counted. @param trigger id of the workflow
 */
export async function countHeldObjects(
  client: Client,
  trigger: string,
  sinceMs: number,
): Promise<number> {
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
