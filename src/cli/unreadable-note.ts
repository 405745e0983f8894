// Says once how to read what a list could not show.
import { count } from '../plan/count.ts';
import { groupBy } from '../plan/group-by.ts';
import type { Readable, UnreadableNote } from '../temporal/codec/tolerant-reader.ts';
import type { Output } from './output.ts';

/** A remark for each key that is missing, with the fix. @param noun of what was listed, in the singular */
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

/** In place of what a line of a list cannot show. */
export function unreadableWords({ code }: Pick<UnreadableNote, 'code'>): string {
  return `cannot be read here (${code})`;
}
