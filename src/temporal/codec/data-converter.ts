// How clients and workers translate what they send to Temporal and what they read.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { codecKeys, hidesNames } from '../../settings/codec-keys.ts';
import type { Environment } from '../../settings/environment.ts';
import type { Unreadable } from './codec-errors.ts';
import { EncryptionCodec } from './payload-codec.ts';

/**
 * For every client and every worker of this environment, with keys or without: without them it tells which key is missing.
 * @throws ConfigError for keys that cannot be used
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

/** The SDK loads it by its path; it stands in `dist/src`, whether this runs from there, from the bundle or from the sources. */
function converterPath(): string {
  const file = 'src/temporal/codec/failure-converter.js';
  const places = [`../../../${file}`, `../../${file}`, `../../../dist/${file}`].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const there = places.find((place) => existsSync(place));
  if (there === undefined) throw new Error(`${file} was not built; run npm run build`);
  return there;
}
