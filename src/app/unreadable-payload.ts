// Reports Temporal payloads that cannot be decrypted here, with the fix, as notes or as an error.
import { commandFailures } from '../failures/commands.ts';
import { formatCount } from '../plan/helpers/format-count.ts';
import { groupBy } from '../plan/helpers/group-by.ts';
import type { UnreadableNote, WithReadability } from '../temporal/codec/tolerant-reader.ts';
import type { App } from './app.ts';
import { RenderlineError } from './renderline-error.ts';

/** Emits one note per reason, such as a missing encryption key. @param noun singular noun of the listed items */
export function noteUnreadable(
  app: Pick<App, 'note'>,
  noun: string,
  items: readonly WithReadability[],
): void {
  const notes = items.flatMap(({ unreadable }) => unreadable ?? []);
  for (const [message, group] of groupBy(notes, (note) => note.message)) {
    const [{ fix } = { fix: '' }] = group;
    app.note(`${formatCount(group.length, noun)} cannot be read here. ${message}\n${fix}`);
  }
}

/** Formats a placeholder for the unreadable part of a list entry. */
export function formatUnreadable({ code }: Pick<UnreadableNote, 'code'>): string {
  return `cannot be read here (${code})`;
}

/** Creates the error for an unreadable payload. @param consequence sentence that precedes the message */
export function unreadablePayloadError(
  { code, message, fix }: UnreadableNote,
  consequence = '',
): RenderlineError {
  const { CODEC_KEY_MISSING, CODEC_KEY_WRONG } = commandFailures;
  const failure = code === CODEC_KEY_WRONG.code ? CODEC_KEY_WRONG : CODEC_KEY_MISSING;
  return new RenderlineError(failure, `${consequence} ${message}`.trim(), { fix });
}
