import type { Environment } from '../../settings/environment.ts';
import {
  codecVariables,
  readCodecKeys,
  readPrivateNames,
} from '../../settings/secrets/codec-keys.ts';

/** Formats, for example, `encrypted with key 2026a (RENDERLINE_CODEC_KEYS)`. @throws ConfigError for bad keys */
export function describeEncryption(env: Environment): string {
  const keys = readCodecKeys(env);
  const names = readPrivateNames(env) ? ', names are hashed' : '';
  if (keys === null) return `not encrypted${names}`;
  const { writingKeyId, origin } = keys;
  const others = [...keys.keys.keys()].filter((id) => id !== writingKeyId).join(', ');
  if (writingKeyId === null) {
    return `written unencrypted (${codecVariables.write}), readable with ${others}${names} (${origin})`;
  }
  const also = others === '' ? '' : `, also readable with ${others}`;
  return `encrypted with key ${writingKeyId}${also}${names} (${origin})`;
}
