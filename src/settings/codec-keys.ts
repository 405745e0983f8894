// The keys with which payloads are encrypted before they go to Temporal: from the environment or a file, never from
// renderline.yaml or a flag.
import { resolve } from 'node:path';
import { readBoundedFile } from './bounded-file.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';

export interface CodecKeys {
  /** Id of the key that writes; null: what is written stays in the clear. */
  readonly writing: string | null;
  /** All that can be read with, 32 bytes each. */
  readonly keys: ReadonlyMap<string, Buffer>;
  /** The variable that they are from, in words for people. */
  readonly origin: string;
}

export const codecVariables = {
  keys: 'RENDERLINE_CODEC_KEYS',
  file: 'RENDERLINE_CODEC_KEYS_FILE',
  writing: 'RENDERLINE_CODEC_KEY_ID',
  write: 'RENDERLINE_CODEC_WRITE',
  privateNames: 'RENDERLINE_PRIVATE_NAMES',
} as const;

/** Short enough to stand beside a summary, whose size the server bounds. */
const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;
const keyBytes = 32;
const howTo =
  'Write id:key pairs with commas between them; a key is what `openssl rand -base64 32` prints.';

/**
 * Keys of this process; null where nothing is to be encrypted.
 * @throws ConfigError that names the variable, and the entry by its number or id, never its value
 */
export function codecKeys(env: Environment): CodecKeys | null {
  const { text, origin } = written(env);
  const wanted = env[codecVariables.writing] || undefined;
  const writes = isOn(env, codecVariables.write);
  if (text === '') {
    const set = wanted === undefined ? codecVariables.write : codecVariables.writing;
    if (wanted === undefined && writes !== true) return null;
    throw new ConfigError(
      `${set} is set, but no keys are.`,
      `Set ${codecVariables.keys} or ${codecVariables.file}, or unset ${set}.`,
    );
  }
  const keys = parseKeys(text, origin);
  if (writes === false) return { writing: null, keys, origin };
  const writing = wanted ?? keys.keys().next().value ?? '';
  if (keys.has(writing)) return { writing, keys, origin };
  const known = [...keys.keys()].join(', ');
  // What was set in its place may be a key.
  const shown = idForm.test(writing) ? `names "${writing}", which` : 'names a key that';
  throw new ConfigError(
    `${codecVariables.writing} ${shown} ${origin} does not have.`,
    `Set it to one of: ${known}.`,
  );
}

/** Names of pipelines and assets are kept out of what Temporal shows without a key. */
export function hidesNames(env: Environment): boolean {
  return isOn(env, codecVariables.privateNames) ?? false;
}

/** Null where the variable is not set. */
function isOn(env: Environment, variable: string): boolean | null {
  const value = env[variable] ?? '';
  if (value === '') return null;
  if (['0', 'false', 'off'].includes(value)) return false;
  if (['1', 'true', 'on'].includes(value)) return true;
  throw new ConfigError(`${variable} is neither 1 nor 0.`, 'Set it to 1 or 0.');
}

const keyFileBytes = 65_536;

function written(env: Environment): { text: string; origin: string } {
  const direct = env[codecVariables.keys]?.trim();
  if (direct) return { text: direct, origin: codecVariables.keys };
  const named = env[codecVariables.file];
  if (!named) return { text: '', origin: codecVariables.keys };
  const path = resolve(named);
  const origin = `${codecVariables.file} (${path})`;
  try {
    const lines = (readBoundedFile(path, keyFileBytes) ?? '').split('\n');
    const text = lines.filter((line) => !line.trim().startsWith('#')).join(',');
    if (text.replaceAll(',', '').trim() !== '') return { text, origin };
  } catch {
    throw new ConfigError(`${origin} cannot be read.`, 'Name a readable file with the keys in it.');
  }
  throw new ConfigError(`${origin} holds no key.`, howTo);
}

function parseKeys(text: string, origin: string): Map<string, Buffer> {
  const keys = new Map<string, Buffer>();
  const entries = text.split(',').map((entry) => entry.trim());
  for (const [at, entry] of entries.filter((one) => one !== '').entries()) {
    const colon = entry.indexOf(':');
    const id = entry.slice(0, Math.max(colon, 0));
    if (!idForm.test(id)) {
      throw new ConfigError(`${origin}: entry ${at + 1} has no id before a colon.`, howTo);
    }
    const key = Buffer.from(entry.slice(colon + 1), 'base64');
    if (key.length !== keyBytes) {
      const is = `has ${key.length} bytes in place of ${keyBytes}`;
      throw new ConfigError(`${origin}: the key "${id}" ${is}.`, howTo);
    }
    if (keys.has(id)) throw new ConfigError(`${origin} has the key "${id}" twice.`, howTo);
    keys.set(id, key);
  }
  if (keys.size === 0) throw new ConfigError(`${origin} holds no key.`, howTo);
  return keys;
}
