// Reads a key from a file that a variable names. What goes wrong is told by the file, never by what is in it.
import { statSync } from 'node:fs';
import { readBoundedFile } from './bounded-file.ts';
import { ConfigError } from './config-error.ts';
import { isReadByOthers } from './key-file-mode.ts';

export interface KeyFile {
  key: string;
  /** The variable and the file, for people. */
  origin: string;
  warnings: string[];
}

const keyFileBytes = 16_384;

/** @throws ConfigError for a file that cannot be read or holds no key */
export function readKeyFile(variable: string, path: string): KeyFile {
  const origin = `${variable} (${path})`;
  const warnings: string[] = [];
  let text: string | null;
  try {
    text = readBoundedFile(path, keyFileBytes);
    if (isReadByOthers(statSync(path), process.getuid?.() ?? 0)) {
      warnings.push(`${path} can be read by other users: chmod 600 ${path}`);
    }
  } catch {
    throw new ConfigError(`${origin} cannot be read.`, 'Name a readable file with the key in it.');
  }
  if (text === null) {
    throw new ConfigError(
      `${origin} is larger than 16 KiB.`,
      'Put the API key in it, and no more.',
    );
  }
  const key = text.trim();
  if (key === '') throw new ConfigError(`${origin} is empty.`, 'Put the API key in it.');
  // Libraries refuse such a header with an error that shows it.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ConfigError(
      `${origin} holds more than a key: several lines, spaces, or characters that no key has.`,
      'Put the API key in it, and no more.',
    );
  }
  return { key, origin, warnings };
}
