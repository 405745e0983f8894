// Reads the keys that encrypt payloads for Temporal: from the environment or a key file, never from other settings.
import { resolve } from 'node:path';
import { ConfigError } from '../config-error.ts';
import type { Environment } from '../environment.ts';
import { readSecretFile } from './key-file.ts';
import { findKeyFileWarnings } from './key-file-mode.ts';

export interface CodecKeys {
  /** Id of the key that encrypts. If null, payloads are decrypted but not encrypted. */
  readonly writingKeyId: string | null;
  /** All keys that can decrypt, by id, 32 bytes each. */
  readonly keys: ReadonlyMap<string, Buffer>;
  /** The variable that contains the keys or names their file, and the key file if there is one, for messages. */
  readonly origin: string;
}

export const codecVariables = {
  keys: 'RENDERLINE_CODEC_KEYS',
  file: 'RENDERLINE_CODEC_KEYS_FILE',
  writing: 'RENDERLINE_CODEC_KEY_ID',
  write: 'RENDERLINE_CODEC_WRITE',
  privateNames: 'RENDERLINE_PRIVATE_NAMES',
} as const;

/** A key id is short, because it is stored with each summary, whose size the server limits. */
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;
const keyBytes = 32;
const howTo =
  'Write id:key pairs separated by commas; create a key with `openssl rand -base64 32`.';

/**
 * Returns the keys of this process, or null if none are set.
 * @throws ConfigError that states the variable and the number or id of the entry, but never its value
 */
export function readCodecKeys(env: Environment): CodecKeys | null {
  const { text, origin } = readKeyText(env);
  const requestedId = env[codecVariables.writing] || undefined;
  const isWriting = parseSwitch(env, codecVariables.write);
  if (text === '') {
    const set = requestedId === undefined ? codecVariables.write : codecVariables.writing;
    if (requestedId === undefined && isWriting !== true) return null;
    throw new ConfigError(
      `${set} is set, but no keys are configured.`,
      `Set ${codecVariables.keys} or ${codecVariables.file}, or unset ${set}.`,
    );
  }
  const keys = parseKeys(text, origin);
  if (isWriting === false) return { writingKeyId: null, keys, origin };
  const writing = requestedId ?? keys.keys().next().value ?? '';
  if (keys.has(writing)) return { writingKeyId: writing, keys, origin };
  const keyIds = [...keys.keys()].join(', ');
  // A value that is not an id may be a key, so it is not shown.
  const clause = idPattern.test(writing) ? `names "${writing}", which` : 'names a key id that';
  throw new ConfigError(
    `${codecVariables.writing} ${clause} ${origin} does not contain.`,
    `Set it to one of: ${keyIds}.`,
  );
}

/** True if names of pipelines and assets are hidden in the parts that Temporal does not encrypt. */
export function readPrivateNames(env: Environment): boolean {
  return parseSwitch(env, codecVariables.privateNames) ?? false;
}

/** Returns the value of a switch, or null if the variable is not set. */
function parseSwitch(env: Environment, variable: string): boolean | null {
  const value = env[variable] ?? '';
  if (value === '') return null;
  if (['0', 'false', 'off'].includes(value)) return false;
  if (['1', 'true', 'on'].includes(value)) return true;
  throw new ConfigError(`${variable} must be 1 or 0.`, 'Set it to 1 or 0.');
}

const keyFileBytes = 65_536;

function readKeyText(env: Environment): { text: string; origin: string } {
  const direct = env[codecVariables.keys]?.trim();
  if (direct) return { text: direct, origin: codecVariables.keys };
  const keyFile = env[codecVariables.file];
  if (!keyFile) return { text: '', origin: codecVariables.keys };
  const path = resolve(keyFile);
  const origin = `${codecVariables.file} (${path})`;
  const content = readSecretFile(path, origin, {
    maxBytes: keyFileBytes,
    holds: 'the keys',
    purpose: 'keys and comments',
  });
  const lines = content.split('\n').filter((line) => !line.trim().startsWith('#'));
  const text = lines.join(',');
  if (text.replaceAll(',', '').trim() !== '') return { text, origin };
  throw new ConfigError(`${origin} contains no key.`, howTo);
}

/** Returns a warning if other users can read the key file. `readCodecKeys` reports a file that cannot be read. */
export function findCodecKeyWarnings(env: Environment): string[] {
  const keyFile = env[codecVariables.file];
  if (!keyFile || env[codecVariables.keys]?.trim()) return [];
  try {
    return findKeyFileWarnings(resolve(keyFile));
  } catch {
    return [];
  }
}

function parseKeys(text: string, origin: string): Map<string, Buffer> {
  const keys = new Map<string, Buffer>();
  const entries = text.split(',').map((entry) => entry.trim());
  for (const [index, entry] of entries.filter((item) => item !== '').entries()) {
    const colon = entry.indexOf(':');
    const id = entry.slice(0, Math.max(colon, 0));
    if (!idPattern.test(id)) {
      throw new ConfigError(
        `${origin}: entry ${index + 1} does not begin with an id and a colon.`,
        howTo,
      );
    }
    const key = Buffer.from(entry.slice(colon + 1), 'base64');
    if (key.length !== keyBytes) {
      const problem = `has ${key.length} bytes instead of ${keyBytes}`;
      throw new ConfigError(`${origin}: the key "${id}" ${problem}.`, howTo);
    }
    if (keys.has(id)) throw new ConfigError(`${origin} contains the key "${id}" twice.`, howTo);
    keys.set(id, key);
  }
  if (keys.size === 0) throw new ConfigError(`${origin} contains no key.`, howTo);
  return keys;
}
