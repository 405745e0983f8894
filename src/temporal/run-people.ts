// Reads from the history of a run who started, paused, resumed, approved, cancelled, reset or terminated it.
import type { Client } from '@temporalio/client';
import { looseFields } from '../api/loose-fields.ts';
import type { SignalNote } from '../plan/audit-contract.ts';
import { workflowIds } from '../plan/contract.ts';
import { messages } from '../plan/messages.ts';
import { runMemoField } from '../plan/run-memo.ts';
import type { Act } from '../plan/run-story.ts';
import { type Converting, readableValue } from './codec/decoded.ts';
import { openedText } from './codec/sealed-text.ts';
import { eachPage, type HistoryEvent, timeOf } from './read-history.ts';

const signals: ReadonlyMap<string, Act['what']> = new Map([
  [messages.pause, 'paused'],
  [messages.resume, 'resumed'],
  [messages.approve, 'approved'],
]);

/** The acts in chronological order. Empty if the server has deleted the run. */
export async function readPeople(client: Client, run: string): Promise<Act[]> {
  const acts: Act[] = [];
  for await (const events of eachPage(client, workflowIds.run(run))) {
    for (const event of events) {
      const act = await actOf(client.options, event);
      if (act) acts.push(act);
    }
  }
  return acts.sort((a, b) => (a.at < b.at ? -1 : 1));
}

/** The act that a history event records; null if it records none. */
export async function actOf(converting: Converting, event: HistoryEvent): Promise<Act | null> {
  const given = await whatAndWho(converting, event);
  if (given === null) return null;
  const { what, identity, reason, pictures } = given;
  return {
    at: new Date(timeOf(event)).toISOString(),
    what,
    by: identity ?? '',
    ...(reason ? { reason } : {}),
    ...(pictures ? { pictures } : {}),
  };
}

interface Given extends SignalNote {
  what: Act['what'];
  identity?: string | null | undefined;
}

async function whatAndWho(converting: Converting, event: HistoryEvent): Promise<Given | null> {
  const started = event.workflowExecutionStartedEventAttributes;
  // A run that continues as new was not started by a person.
  if (started && !started.continuedExecutionRunId) {
    const memo = await readableValue(converting, started.memo?.fields?.[runMemoField]);
    return { what: 'started', identity: started.identity, ...reasonIn(memo) };
  }
  const signaled = event.workflowExecutionSignaledEventAttributes;
  const what = signals.get(signaled?.signalName ?? '');
  if (signaled && what) {
    const note = noteOf(await readableValue(converting, signaled.input?.payloads?.at(-1)));
    return { what: note.pictures ? 'approved' : what, identity: signaled.identity, ...note };
  }
  const cancelled = event.workflowExecutionCancelRequestedEventAttributes;
  if (cancelled) {
    return {
      what: 'cancelled',
      identity: cancelled.identity,
      ...reasonIn({ reason: await openedText(converting, cancelled.cause ?? '') }),
    };
  }
  const failed = event.workflowTaskFailedEventAttributes;
  // The server does not record who reset a run.
  if (failed?.failure?.resetWorkflowFailureInfo) {
    return { what: 'reset', ...reasonIn({ reason: failed.failure.message }) };
  }
  const terminated = event.workflowExecutionTerminatedEventAttributes;
  // A reset terminates the old execution. It is recorded in the new execution, so it is skipped here.
  if (!terminated || terminated.identity === 'history-resetter') return null;
  return { what: 'terminated', identity: terminated.identity, ...reasonIn(terminated) };
}

function noteOf(value: unknown): SignalNote {
  const { pictures } = looseFields(value);
  return { ...reasonIn(value), ...(typeof pictures === 'number' ? { pictures } : {}) };
}

function reasonIn(value: unknown): SignalNote {
  const { reason } = looseFields(value);
  return typeof reason === 'string' && reason !== '' ? { reason } : {};
}
