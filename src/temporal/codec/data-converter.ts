// The data converter of clients and workers: encrypts what they send to Temporal and decrypts what they read.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { codecKeys, hidesNames } from '../../settings/codec-keys.ts';
import type { Environment } from '../../settings/environment.ts';
import type { Unreadable } from './codec-errors.ts';
import { EncryptionCodec } from './payload-codec.ts';

/**
 * Every client and worker of this environment uses it, with or without keys. Without keys, its errors say which key is missing.
 * @throws ConfigError for invalid keys
 */
export function dataConverterOf(
  env: Environment,
  onUnreadable?: (error: Unreadable) => void,
): DataConverter {
  const keys = codecKeys(env);
  return {
    payloadCodecs: [new EncryptionCodec(keys, { hidesNames: hidesNames(env), onUnreadable })],
    ...(keys?.writing == null ? {} : { failureConverterPath: converterPath() }),
  };
}

/** The SDK loads the converter by path. The file is in `dist/src`, also when the program runs from the bundle or the sources. */
function converterPath(): string {
  const file = 'src/temporal/codec/failure-converter.js';
  const places = [`../../../${file}`, `../../${file}`, `../../../dist/${file}`].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const there = places.find((place) => existsSync(place));
  if (there === undefined) throw new Error(`${file} was not built; run npm run build`);
  return there;
}
