// What a process does with the payloads that it sends to Temporal and reads from it.
import { codecKeys, codecVariables, hidesNames } from '../settings/codec-keys.ts';
import type { Environment } from '../settings/environment.ts';

/** `encrypted with key 2026a (RENDERLINE_CODEC_KEYS)`. Of keys only their ids. @throws ConfigError for keys that cannot be used */
export function payloadWords(env: Environment): string {
  const keys = codecKeys(env);
  const names = hidesNames(env) ? ', names are hidden' : '';
  if (keys === null) return `in the clear${names}`;
  const { writing, origin } = keys;
  const others = [...keys.keys.keys()].filter((id) => id !== writing).join(', ');
  if (writing === null) {
    return `written in the clear (${codecVariables.write}), readable with ${others}${names} (${origin})`;
  }
  const also = others === '' ? '' : `, readable with ${others} too`;
  return `encrypted with key ${writing}${also}${names} (${origin})`;
}
