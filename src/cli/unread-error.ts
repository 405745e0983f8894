// What cannot be read here, as an error of a command.
import { commandFailures } from '../failures/commands.ts';
import type { UnreadableNote } from '../temporal/codec/tolerant-reader.ts';
import { CliError } from './exit.ts';

/** @param consequence a sentence that comes first */
export function unreadError({ code, message, fix }: UnreadableNote, consequence = ''): CliError {
  const { CODEC_KEY_MISSING, CODEC_KEY_WRONG } = commandFailures;
  const failure = code === CODEC_KEY_WRONG.code ? CODEC_KEY_WRONG : CODEC_KEY_MISSING;
  return new CliError(failure, `${consequence} ${message}`.trim(), { fix });
}
