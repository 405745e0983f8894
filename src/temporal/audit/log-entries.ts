// Reads the audit log: signals of a workflow, whose history is the record.
import type { AuditEntry, FailedAct, RecordedAct } from '../../plan/audit-contract.ts';
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
    const act = await readableValue<RecordedAct | FailedAct>(
      converting,
      signaled.input?.payloads?.[0],
    );
    if (act !== null && 'failed' in act) {
      this.#failed.set(act.id, act.failed);
      return;
    }
    const { user, host, via } = personOf(signaled.identity ?? '');
    const at = new Date(timeOf(event)).toISOString();
    this.#entries.set(act?.id ?? `${at} ${String(event.eventId)}`, {
      at,
      what: act?.what ?? unreadable,
      subject: act?.subject ?? 'pipeline',
      name: act?.name ?? '',
      pipeline: act?.pipeline ?? null,
      by: user,
      host,
      via: via ?? 'command',
      reason: act?.reason ?? null,
      failed: null,
      details: act?.details ?? {},
    });
  }

  *entries(): Generator<AuditEntry> {
    for (const [id, entry] of this.#entries) {
      yield { ...entry, failed: this.#failed.get(id) ?? null };
    }
  }
}

/** An act whose payload is encrypted with a key that is not here. */
export const unreadable = 'unreadable';
