// Reads the audit log. The log is a workflow that only receives signals; its history contains the actions.
import { asRecord } from '../../api/unknown-values.ts';
import type { AuditEntry, RecordedAction } from '../../plan/contract/audit-contract.ts';
import { messages } from '../../plan/contract/messages.ts';
import { type ConverterOptions, tryDecodeValue } from '../codec/decode-payload.ts';
import { parseIdentity } from '../connection/client-identity.ts';
import { eventTimeMs, type HistoryEvent } from '../runs/read-history.ts';

/** Collects the recorded actions in the order of the history. An action and its failure may be in different executions. */
export class LogEntries {
  readonly #entries = new Map<string, AuditEntry>();
  readonly #failed = new Map<string, string>();

  async addEvent(converterOptions: ConverterOptions, event: HistoryEvent): Promise<void> {
    const signaled = event.workflowExecutionSignaledEventAttributes;
    if (signaled?.signalName !== messages.action) return;
    const act = await tryDecodeValue(converterOptions, signaled.input?.payloads?.[0]);
    const { id, failed, ...fields } = asRecord(act);
    if (typeof id === 'string' && typeof failed === 'string') {
      this.#failed.set(id, failed);
      return;
    }
    const { user, host, via } = parseIdentity(signaled.identity ?? '');
    const at = new Date(eventTimeMs(event)).toISOString();
    const known = typeof id === 'string' && isAction(fields) ? fields : null;
    // A foreign or encrypted action has no readable id, so its time and event id identify the entry.
    this.#entries.set(known === null ? `${at} ${String(event.eventId)}` : String(id), {
      at,
      what: known?.what ?? unreadable,
      subject: known?.subject ?? 'pipeline',
      name: known?.name ?? '',
      pipeline: known?.pipeline ?? null,
      by: user,
      host,
      via: via ?? 'command',
      reason: known?.reason ?? null,
      failed: null,
      details: asRecord(known?.details),
    });
  }

  *entries(): Generator<AuditEntry> {
    for (const [id, entry] of this.#entries) {
      yield { ...entry, failed: this.#failed.get(id) ?? null };
    }
  }
}

function isAction(
  fields: Record<string, unknown>,
): fields is Omit<RecordedAction, 'id'> & typeof fields {
  const { what, subject, name, pipeline, reason = '' } = fields;
  const texts = [what, subject, name, pipeline ?? '', reason];
  return texts.every((text) => typeof text === 'string');
}

/** `what` of an action that this process cannot read: its key is not set here, or a foreign client has written it. */
export const unreadable = 'unreadable';
