// A table of records in memory, in order of creation. Every change is journaled.
import type { Journal } from './journal.ts';

/** The fields of a new record. Undefined stands for an absent field. */
type NewRecord<R> = { [K in keyof R]: R[K] | (object extends Pick<R, K> ? undefined : never) };

export class Table<R extends { readonly id: string }> {
  readonly name: string;
  readonly #journal: Journal;
  readonly #byId = new Map<string, R>();
  #order: R[] = [];

  constructor(name: string, journal: Journal) {
    this.name = name;
    this.#journal = journal;
  }

  get(id: string): R | undefined {
    return this.#byId.get(id);
  }

  /** Returns all records, oldest first. */
  get all(): readonly R[] {
    return this.#order;
  }

  get size(): number {
    return this.#order.length;
  }

  insert(fields: NewRecord<R>): R {
    // Nothing distinguishes an undefined field from an absent one, because the journal contains neither.
    const record = fields as R;
    this.restore(record);
    this.#journal.record(this.name, record.id, record);
    return record;
  }

  /** Changes fields in place. Undefined clears a field. A deleted record stays deleted. */
  update(record: R, patch: { [K in keyof R]?: R[K] | undefined }): void {
    Object.assign(record, patch);
    if (this.#byId.get(record.id) !== record) return;
    this.#journal.record(this.name, record.id, record);
  }

  remove(id: string): void {
    const record = this.#byId.get(id);
    if (!record) return;
    this.#byId.delete(id);
    // Expired keys are removed from the front, where splice would be slow.
    if (this.#order[0] === record) this.#order.shift();
    else this.#order.splice(this.#order.indexOf(record), 1);
    this.#journal.record(this.name, id, null);
  }

  /** Restores a record from the journal. */
  restore(record: R): void {
    this.#byId.set(record.id, record);
    this.#order.push(record);
  }

  clear(): void {
    for (const record of this.#order) this.#journal.record(this.name, record.id, null);
    this.#byId.clear();
    this.#order = [];
  }
}

/** Returns a page of a list, newest first. */
export function listNewestFirst<R>(records: readonly R[], limit: number, offset: number): R[] {
  const end = records.length - offset;
  return records.slice(Math.max(0, end - limit), Math.max(0, end)).reverse();
}
