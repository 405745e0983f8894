// Reads the audit log. The log is a workflow that only receives signals, and its history contains the actions.
import { asRecord } from '../../api/unknown-values.ts';
import type { AuditEntry, RecordedAction } from '../../plan/contract/audit-contract.ts';
import { messages } from '../../plan/contract/messages.ts';
import { type ConverterOptions, tryDecodeValue } from '../codec/decode-payload.ts';
import { parseIdentity } from '../connection/client-identity.ts';
import { eventAtMsOf, type HistoryEvent } from '../runs/read-history.ts';

/**
 * Collects the recorded actions in the order of the history. An action and its failure may be in different executions.
 */
export class LogEntries {
  readonly #entries = new Map<string, AuditEntry>();
  readonly #failureById = new Map<string, string>();

  async addEvent(converterOptions: ConverterOptions, event: HistoryEvent): Promise<void> {
    const signal = event.workflowExecutionSignaledEventAttributes;
    if (signal?.signalName !== messages.action) return;
    const act = await tryDecodeValue(converterOptions, signal.input?.payloads?.[0]);
    const { id, failed, ...fields } = asRecord(act);
    if (typeof id === 'string' && typeof failed === 'string') {
      this.#failureById.set(id, failed);
      return;
    }
    const { user, host, via } = parseIdentity(signal.identity ?? '');
    const time = new Date(eventAtMsOf(event)).toISOString();
    const action = typeof id === 'string' && isRecordedAction(fields) ? fields : null;
    // A foreign or encrypted action has no readable id, so its time and event id identify the entry.
    this.#entries.set(action === null ? `${time} ${String(event.eventId)}` : String(id), {
      at: time,
      what: action?.what ?? unreadable,
      subject: action?.subject ?? 'pipeline',
      name: action?.name ?? '',
      pipeline: action?.pipeline ?? null,
      by: user,
      host,
      via: via ?? 'command',
      reason: action?.reason ?? null,
      failed: null,
      details: asRecord(action?.details),
    });
  }

  *entries(): Generator<AuditEntry> {
    for (const [id, entry] of this.#entries) {
      yield { ...entry, failed: this.#failureById.get(id) ?? null };
    }
  }
}

function isRecordedAction(
  fields: Record<string, unknown>,
): fields is Omit<RecordedAction, 'id'> & typeof fields {
  const { what, subject, name, pipeline, reason = '' } = fields;
  const texts = [what, subject, name, pipeline ?? '', reason];
  return texts.every((text) => typeof text === 'string');
}

/** `what` of an action that this process cannot read: its key is not set here, or a foreign client has written it. */
export const unreadable = 'unreadable';
