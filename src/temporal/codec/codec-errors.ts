// Payloads that this process cannot read.
import { commandFailures } from '../../failures/commands.ts';
import { codecVariables } from '../../settings/codec-keys.ts';

/** A payload was encrypted with a key that this process does not have. */
export class CodecKeyMissingError extends Error {
  override name = 'CodecKeyMissingError';
  readonly failure = commandFailures.CODEC_KEY_MISSING;
  readonly keyId: string;
  readonly fix: string;

  constructor(keyId: string, known: readonly string[]) {
    const has = known.length === 0 ? 'no keys are set' : `the keys here are: ${known.join(', ')}`;
    super(`Temporal's payloads are encrypted with the key "${keyId}", which is not here; ${has}.`);
    this.keyId = keyId;
    this.fix = [
      `export ${codecVariables.keys}=${keyId}:KEY   # add it to those that are set, or`,
      `export ${codecVariables.file}=FILE   # a file of them`,
    ].join('\n');
  }
}

/** A payload cannot be decrypted with the key of its id: another key has that id here, or somebody changed the payload. */
export class CodecKeyWrongError extends Error {
  override name = 'CodecKeyWrongError';
  readonly failure = commandFailures.CODEC_KEY_WRONG;
  readonly keyId: string;
  readonly fix: string;

  constructor(keyId: string, origin: string) {
    super(
      `A payload of Temporal cannot be decrypted with the key "${keyId}" (${origin}): it is not the one that encrypted it, or the payload was changed.`,
    );
    this.keyId = keyId;
    this.fix = `Compare the key "${keyId}" in ${origin} with that of the workers. Two keys never share an id.`;
  }
}

export type Unreadable = CodecKeyMissingError | CodecKeyWrongError;

/** True for a payload that cannot be read here, whatever else could be. */
export function isUnreadable(error: unknown): error is Unreadable {
  return error instanceof CodecKeyMissingError || error instanceof CodecKeyWrongError;
}
