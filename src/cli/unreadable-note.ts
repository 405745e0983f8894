// Notes list entries whose payloads cannot be decrypted, with the fix.
import { count } from '../plan/count.ts';
import { groupBy } from '../plan/group-by.ts';
import type { Readable, UnreadableNote } from '../temporal/codec/tolerant-reader.ts';
import type { Output } from './output.ts';

/** Prints one note for each missing key. @param noun singular noun of the listed items */
export function noteUnreadable(
  output: Pick<Output, 'note'>,
  noun: string,
  listed: readonly Readable[],
): void {
  const notes = listed.flatMap(({ unreadable }) => unreadable ?? []);
  for (const [message, all] of groupBy(notes, (note) => note.message)) {
    const [{ fix } = { fix: '' }] = all;
    output.note(`${count(all.length, noun)} cannot be read here. ${message}\n${fix}`);
  }
}

/** Placeholder for the unreadable part of a list entry. */
export function unreadableWords({ code }: Pick<UnreadableNote, 'code'>): string {
  return `cannot be read here (${code})`;
}
