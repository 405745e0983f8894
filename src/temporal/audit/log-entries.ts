// Reads the audit log. The log is a workflow that only receives signals; its history is the record.
import { looseFields } from '../../api/loose-fields.ts';
import type { AuditEntry, RecordedAct } from '../../plan/audit-contract.ts';
import { messages } from '../../plan/messages.ts';
import { type Converting, readableValue } from '../codec/decoded.ts';
import { personOf } from '../person.ts';
import { type HistoryEvent, timeOf } from '../read-history.ts';

/** Collects the recorded acts in the order of the history. The failure of an act may be recorded in the next execution. */
export class LogEntries {
  readonly #entries = new Map<string, AuditEntry>();
  readonly #failed = new Map<string, string>();

  async take(converting: Converting, event: HistoryEvent): Promise<void> {
    const signaled = event.workflowExecutionSignaledEventAttributes;
    if (signaled?.signalName !== messages.act) return;
    const act = await readableValue(converting, signaled.input?.payloads?.[0]);
    const { id, failed, ...told } = looseFields(act);
    if (typeof id === 'string' && typeof failed === 'string') {
      this.#failed.set(id, failed);
      return;
    }
    const { user, host, via } = personOf(signaled.identity ?? '');
    const at = new Date(timeOf(event)).toISOString();
    const known = typeof id === 'string' && isAct(told) ? told : null;
    // A foreign or encrypted act has no readable id, so its time and event id identify the entry.
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
      details: looseFields(known?.details),
    });
  }

  *entries(): Generator<AuditEntry> {
    for (const [id, entry] of this.#entries) {
      yield { ...entry, failed: this.#failed.get(id) ?? null };
    }
  }
}

function isAct(told: Record<string, unknown>): told is Omit<RecordedAct, 'id'> & typeof told {
  const { what, subject, name, pipeline, reason = '' } = told;
  const texts = [what, subject, name, pipeline ?? '', reason];
  return texts.every((text) => typeof text === 'string');
}

/** `what` of an act whose payload is encrypted with a key that this process does not have. */
export const unreadable = 'unreadable';
