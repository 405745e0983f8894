// Reads the audit log: signals of a workflow, whose history is the record.
import { looseFields } from '../../api/loose-fields.ts';
import type { AuditEntry, RecordedAct } from '../../plan/audit-contract.ts';
import { messages } from '../../plan/messages.ts';
import { type Converting, readableValue } from '../codec/decoded.ts';
import { personOf } from '../person.ts';
import { type HistoryEvent, timeOf } from '../read-history.ts';

/** What the acts of one execution come to, in the order of its history. A failed act may stand in the next execution. */
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
    // An act of others, or one that is encrypted, has no id that can be read.
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

/** An act whose payload is encrypted with a key that is not here. */
export const unreadable = 'unreadable';
