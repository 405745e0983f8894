// Reads an API key from a file that a variable specifies. Errors contain the path, but never the content.

import { ConfigError } from '../config-error.ts';
import { readBoundedFile } from '../read-bounded-file.ts';
import { findKeyFileWarnings } from './key-file-mode.ts';

const maxKeyFileBytes = 16_384;

/** Reads a key file. @throws ConfigError if it cannot be read, is too large, or does not contain exactly one key */
export function readKeyFile(variable: string, path: string) {
  const origin = `${variable} (${path})`;
  const bounds = { maxBytes: maxKeyFileBytes, holds: 'the key', purpose: 'the API key' };
  const key = readSecretFile(path, origin, bounds).trim();
  if (key === '') throw new ConfigError(`${origin} is empty.`, 'Write the API key into the file.');
  assertKey(key, origin, 'The file');
  return { key, origin, warnings: findKeyFileWarnings(path) };
}

/** @param holder what the key is in, for the fix. @throws ConfigError, because HTTP libraries would show such a key */
export function assertKey(key: string, origin: string, holder: string): void {
  if (/^[\x21-\x7e]+$/.test(key)) return;
  throw new ConfigError(
    `${origin} contains more than a key: line breaks, spaces or invalid characters.`,
    `${holder} must contain only the API key.`,
  );
}

interface SecretFileOptions {
  maxBytes: number;
  /** The only content that the file may have, for the fixes. */
  holds: string;
  purpose: string;
}

/** Reads a file with secrets as text. @throws ConfigError if it cannot be read, or is too large */
export function readSecretFile(
  path: string,
  origin: string,
  { maxBytes, holds, purpose }: SecretFileOptions,
): string {
  let text: string | null;
  try {
    text = readBoundedFile(path, maxBytes);
  } catch {
    const fix = `Set it to the path of a readable file with ${holds}.`;
    throw new ConfigError(`${origin} cannot be read.`, fix);
  }
  if (text !== null) return text;
  const size = `${maxBytes / 1024} KiB`;
  throw new ConfigError(
    `${origin} is larger than ${size}.`,
    `The file must contain only ${purpose}.`,
  );
}
