// Says once how to read what a list could not show.
import { count } from '../plan/count.ts';
import type { Readable, UnreadableNote } from '../temporal/codec/tolerant-reader.ts';
import type { Output } from './output.ts';

/** A remark for each key that is missing, with the fix. @param noun of what was listed, in the singular */
export function noteUnreadable(
  output: Pick<Output, 'note'>,
  noun: string,
  listed: readonly Readable[],
): void {
  const byMessage = new Map<string, { note: UnreadableNote; times: number }>();
  for (const { unreadable } of listed) {
    if (unreadable === null) continue;
    const times = byMessage.get(unreadable.message)?.times ?? 0;
    byMessage.set(unreadable.message, { note: unreadable, times: times + 1 });
  }
  for (const { note, times } of byMessage.values()) {
    output.note(`${count(times, noun)} cannot be read here. ${note.message}\n${note.fix}`);
  }
}

/** In place of what a line of a list cannot show. */
export function unreadableWords({ code }: Pick<UnreadableNote, 'code'>): string {
  return `cannot be read here (${code})`;
}
