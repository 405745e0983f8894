// Notes list entries whose payloads cannot be decrypted, with the fix.
import { formatCount } from '../plan/helpers/format-count.ts';
import { groupBy } from '../plan/helpers/group-by.ts';
import type { UnreadableNote, WithReadability } from '../temporal/codec/tolerant-reader.ts';
import type { App } from './app.ts';

/** Emits one note for each missing key. @param noun singular noun of the listed items */
export function noteUnreadable(
  app: Pick<App, 'note'>,
  noun: string,
  listed: readonly WithReadability[],
): void {
  const notes = listed.flatMap(({ unreadable }) => unreadable ?? []);
  for (const [message, all] of groupBy(notes, (note) => note.message)) {
    const [{ fix } = { fix: '' }] = all;
    app.note(`${formatCount(all.length, noun)} cannot be read here. ${message}\n${fix}`);
  }
}

/** Placeholder for the unreadable part of a list entry. */
export function formatUnreadable({ code }: Pick<UnreadableNote, 'code'>): string {
  return `cannot be read here (${code})`;
}
