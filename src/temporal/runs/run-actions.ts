// Reads from the history of a run who started, paused, resumed, approved, cancelled, reset or terminated it, and who
// decided about its assets.
import type { Client } from '@temporalio/client';
import { asRecord } from '../../api/unknown-values.ts';
import type { DecisionSignal, SignalNote } from '../../plan/contract/audit-contract.ts';
import { workflowIds } from '../../plan/contract/contract.ts';
import { messages } from '../../plan/contract/messages.ts';
import { runMemoField } from '../../plan/run/run-memo.ts';
import type { RunAction } from '../../plan/run/run-timeline.ts';
import { type ConverterOptions, tryDecodeValue } from '../codec/decode-payload.ts';
import { decryptText } from '../codec/encrypt-text.ts';
import { eventAtMsOf, type HistoryEvent, readHistoryPages } from './read-history.ts';

const signals: ReadonlyMap<string, RunAction['what']> = new Map([
  [messages.pause, 'paused'],
  [messages.resume, 'resumed'],
  [messages.approve, 'approved'],
  [messages.decide, 'decided'],
]);

/** Reads the actions in chronological order. Empty if the server has deleted the run. */
export async function readRunActions(client: Client, run: string): Promise<RunAction[]> {
  const actions: RunAction[] = [];
  for await (const events of readHistoryPages(client, workflowIds.run(run))) {
    for (const event of events) {
      const action = await readAction(client.options, event);
      if (action) actions.push(action);
    }
  }
  return actions.sort((a, b) => (a.at < b.at ? -1 : 1));
}

/** Returns the action that a history event records, or null if it records none. */
export async function readAction(
  converterOptions: ConverterOptions,
  event: HistoryEvent,
): Promise<RunAction | null> {
  const fields = await readActionFields(converterOptions, event);
  if (fields === null) return null;
  const { what, identity, ...note } = fields;
  return { at: new Date(eventAtMsOf(event)).toISOString(), what, by: identity ?? '', ...note };
}

/** Fields of the signals that people send to a run. */
type Note = SignalNote & Partial<Pick<DecisionSignal, 'approved' | 'rejected'>>;

interface ActionFields extends Note {
  what: RunAction['what'];
  identity?: string | null | undefined;
}

async function readActionFields(
  converterOptions: ConverterOptions,
  event: HistoryEvent,
): Promise<ActionFields | null> {
  const start = event.workflowExecutionStartedEventAttributes;
  // No person started an execution that continues a run as new.
  if (start && !start.continuedExecutionRunId) {
    const memo = await tryDecodeValue(converterOptions, start.memo?.fields?.[runMemoField]);
    return { what: 'started', identity: start.identity, ...parseReason(memo) };
  }
  const signal = event.workflowExecutionSignaledEventAttributes;
  const action = signals.get(signal?.signalName ?? '');
  if (signal && action) {
    const note = parseSignalNote(
      await tryDecodeValue(converterOptions, signal.input?.payloads?.at(-1)),
    );
    return { what: actionOfSignal(action, note), identity: signal.identity, ...note };
  }
  const cancelRequest = event.workflowExecutionCancelRequestedEventAttributes;
  if (cancelRequest) {
    return {
      what: 'cancelled',
      identity: cancelRequest.identity,
      ...parseReason({ reason: await decryptText(converterOptions, cancelRequest.cause ?? '') }),
    };
  }
  const taskFailure = event.workflowTaskFailedEventAttributes;
  // The action has no user, because the server does not record who reset a run.
  if (taskFailure?.failure?.resetWorkflowFailureInfo) {
    return { what: 'reset', ...parseReason({ reason: taskFailure.failure.message }) };
  }
  const termination = event.workflowExecutionTerminatedEventAttributes;
  // A reset terminates the old execution. It is recorded in the new execution, so it is skipped here.
  if (!termination || termination.identity === 'history-resetter') return null;
  return { what: 'terminated', identity: termination.identity, ...parseReason(termination) };
}

/** Returns what a signal did. A resume that rejects pictures is `decided`, and one that only approves is `approved`. */
function actionOfSignal(
  action: RunAction['what'],
  { pictures, rejected }: Note,
): RunAction['what'] {
  if (action === 'resumed' && rejected) return 'decided';
  return pictures ? 'approved' : action;
}

function parseSignalNote(value: unknown): Note {
  const note = asRecord(value);
  const counts = (['pictures', 'approved', 'rejected'] as const).flatMap((field) => {
    const count = note[field];
    return typeof count === 'number' && count > 0 ? [[field, count] as const] : [];
  });
  return { ...parseReason(value), ...Object.fromEntries(counts) };
}

function parseReason(value: unknown): SignalNote {
  const { reason } = asRecord(value);
  return typeof reason === 'string' && reason !== '' ? { reason } : {};
}
