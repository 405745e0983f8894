// Who started, paused, resumed, approved or ended a run, as its history in Temporal has it.
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

/** In the order of time. Empty where the server has forgotten the run. */
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

/** What somebody did with a run by this event; null where it is none of these. */
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
  // A continuation is no start.
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
  // The server does not say who.
  if (failed?.failure?.resetWorkflowFailureInfo) {
    return { what: 'reset', ...reasonIn({ reason: failed.failure.message }) };
  }
  const terminated = event.workflowExecutionTerminatedEventAttributes;
  // A reset ends what was open, and stands in the execution that goes on.
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
