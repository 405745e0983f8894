// Errors for payloads that this process cannot decrypt.
import { commandFailures } from '../../failures/commands.ts';
import { codecVariables } from '../../settings/secrets/codec-keys.ts';

/** Thrown if a payload was encrypted with a key that this process does not have. */
export class CodecKeyMissingError extends Error {
  override name = 'CodecKeyMissingError';
  readonly failure = commandFailures.CODEC_KEY_MISSING;
  readonly fix: string;

  constructor(keyId: string, knownKeyIds: readonly string[]) {
    const has =
      knownKeyIds.length === 0
        ? 'no keys are set'
        : `the keys set here are: ${knownKeyIds.join(', ')}`;
    super(
      `Payloads in Temporal are encrypted with the key "${keyId}", which is not set here; ${has}.`,
    );
    this.fix = [
      `export ${codecVariables.keys}=${keyId}:KEY   # append this key to the existing keys, or`,
      `export ${codecVariables.file}=FILE   # a file with the keys`,
    ].join('\n');
  }
}

/** Thrown if a payload's key cannot decrypt it. The id belongs to another key here, or the payload was changed. */
export class CodecKeyWrongError extends Error {
  override name = 'CodecKeyWrongError';
  readonly failure = commandFailures.CODEC_KEY_WRONG;
  readonly fix: string;

  constructor(keyId: string, origin: string) {
    super(
      `A payload in Temporal cannot be decrypted with the key "${keyId}" (${origin}): another key encrypted it, or the payload was changed.`,
    );
    this.fix = `Compare the key "${keyId}" in ${origin} with the key of the workers. Two different keys must not have the same id.`;
  }
}

export type UnreadableError = CodecKeyMissingError | CodecKeyWrongError;

/** True if the error says that a payload cannot be decrypted here. */
export function isUnreadableError(error: unknown): error is UnreadableError {
  return error instanceof CodecKeyMissingError || error instanceof CodecKeyWrongError;
}
