// Counts the platform objects whose events an event trigger keeps during a general pause.
import type { Client } from '@temporalio/client';
import type { TriggerEvent } from '../../plan/contract/contract.ts';
import { messages } from '../../plan/contract/messages.ts';
import { tryDecodeValue } from '../codec/decode-payload.ts';
import { eventAtMsOf, readHistoryPages } from './read-history.ts';

/**
 * Counts the distinct objects in the events that a trigger has received since `sinceMs`, in all of its executions.
 * Objects that only a sweep finds are not counted. @param trigger id of the workflow
 */
export async function countHeldObjects(
  client: Client,
  trigger: string,
  sinceMs: number,
): Promise<number> {
  const ids = new Set<string>();
  let isOlder = false;
  for await (const events of readHistoryPages(client, trigger)) {
    const [first] = events;
    if (first?.workflowExecutionStartedEventAttributes) {
      // Executions come newest first. The previous one began before `sinceMs`, so this one ended before `sinceMs`.
      if (isOlder) break;
      isOlder = eventAtMsOf(first) < sinceMs;
    }
    for (const event of events) {
      const signal = event.workflowExecutionSignaledEventAttributes;
      if (signal?.signalName !== messages.platformEvents || eventAtMsOf(event) < sinceMs) continue;
      const [payload] = signal.input?.payloads ?? [];
      const triggerEvents = await tryDecodeValue<TriggerEvent[]>(client.options, payload);
      for (const { objects } of triggerEvents ?? []) for (const { id } of objects) ids.add(id);
    }
  }
  return ids.size;
}
