// The data converter of clients and workers: encrypts what they send to Temporal and decrypts what they read.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import type { Environment } from '../../settings/environment.ts';
import { readCodecKeys, readPrivateNames } from '../../settings/secrets/codec-keys.ts';
import type { UnreadableError } from './codec-errors.ts';
import { EncryptionCodec } from './payload-codec.ts';

/**
 * Creates the converter of a client or worker. Without keys, its errors say which key is missing.
 * @throws ConfigError for invalid keys
 */
export function createDataConverter(
  env: Environment,
  onUnreadable?: (error: UnreadableError) => void,
): DataConverter {
  const keys = readCodecKeys(env);
  return {
    payloadCodecs: [
      new EncryptionCodec(keys, { areNamesHidden: readPrivateNames(env), onUnreadable }),
    ],
    ...(keys?.writingKeyId == null ? {} : { failureConverterPath: findFailureConverter() }),
  };
}

/** Finds the file that the SDK loads: in `dist/src`, even if the program runs from the bundle or the sources. */
function findFailureConverter(): string {
  const file = 'src/temporal/codec/failure-converter.js';
  const candidates = [`../../../${file}`, `../../${file}`, `../../../dist/${file}`].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const existingPath = candidates.find((candidate) => existsSync(candidate));
  if (existingPath === undefined) throw new Error(`${file} was not built; run npm run build`);
  return existingPath;
}
