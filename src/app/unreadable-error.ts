// Converts a note about an unreadable payload into an error.
import { commandFailures } from '../failures/commands.ts';
import type { UnreadableNote } from '../temporal/codec/tolerant-reader.ts';
import { RenderlineError } from './renderline-error.ts';

/** @param consequence sentence to put before the message */
export function unreadableError(
  { code, message, fix }: UnreadableNote,
  consequence = '',
): RenderlineError {
  const { CODEC_KEY_MISSING, CODEC_KEY_WRONG } = commandFailures;
  const failure = code === CODEC_KEY_WRONG.code ? CODEC_KEY_WRONG : CODEC_KEY_MISSING;
  return new RenderlineError(failure, `${consequence} ${message}`.trim(), { fix });
}
