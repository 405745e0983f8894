// Warns about settings that Temporal's environment configuration accepts but ignores or interprets unexpectedly.
import type { ClientConfigProfile } from '@temporalio/envconfig';
import type { Environment } from '../../settings/environment.ts';
import { apiKeyFileVariable } from './api-key-file.ts';

/**
 * Returns one sentence for each setting that does not have its expected effect.
 * @param profile the profile from the loader, with environment and file merged
 * @param fileText the text of temporal.toml. It shows some settings that the loader drops
 */
export function checkEnvconfig(
  env: Environment,
  profile: ClientConfigProfile,
  fileText = '',
): string[] {
  return [
    ...checkEmptyVariables(env),
    ...checkApiKey(env),
    ...checkAddress(profile),
    ...checkCodec(env, fileText),
    ...hostVerification(env, fileText),
    ...checkCertificate(profile),
    ...checkTlsSwitch(env, profile),
    ...checkHeaders(env),
  ];
}

function* checkEmptyVariables(env: Environment): Generator<string> {
  for (const name of ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_API_KEY']) {
    if (env[name] === '') yield `${name} is empty and is treated as not set.`;
  }
}

function* checkApiKey(env: Environment): Generator<string> {
  if (env[apiKeyFileVariable] && env['TEMPORAL_API_KEY']) {
    yield `${apiKeyFileVariable} is ignored because TEMPORAL_API_KEY is set.`;
  }
}

function* checkAddress(profile: ClientConfigProfile): Generator<string> {
  if (profile.address && /^[a-z]+:\/\//i.test(profile.address)) {
    yield `The Temporal address "${profile.address}" has a scheme; use host:port only.`;
  }
}

function* checkCodec(env: Environment, fileText: string): Generator<string> {
  const names = ['TEMPORAL_CODEC_ENDPOINT', 'TEMPORAL_CODEC_AUTH'].filter((name) => env[name]);
  if (/^\s*\[\s*profile\.[^\]]+\.codec\s*\]/m.test(fileText)) names.push('[profile.….codec]');
  for (const name of names) {
    yield `${name} has no effect: the SDK ignores codec settings, so payloads are not encoded.`;
  }
}

function* hostVerification(env: Environment, fileText: string): Generator<string> {
  const inFile = /^\s*disable_host_verification\s*=\s*true/m.test(fileText);
  if (env['TEMPORAL_TLS_DISABLE_HOST_VERIFICATION'] || inFile) {
    yield 'Disabling host verification has no effect: the certificate is still verified. ' +
      'Set TEMPORAL_TLS_SERVER_CA_CERT_PATH or TEMPORAL_TLS_SERVER_NAME.';
  }
}

function* checkCertificate({ tls }: ClientConfigProfile): Generator<string> {
  if (tls?.clientCert && !tls.clientKey) {
    yield 'The client certificate is ignored: its key is missing (TEMPORAL_TLS_CLIENT_KEY_PATH).';
  }
  if (tls?.clientKey && !tls.clientCert) {
    yield 'The client key is ignored: its certificate is missing (TEMPORAL_TLS_CLIENT_CERT_PATH).';
  }
}

function* checkTlsSwitch(env: Environment, profile: ClientConfigProfile): Generator<string> {
  const value = env['TEMPORAL_TLS'];
  if (value && !['1', 'true', '0', 'false'].includes(value)) {
    yield `TEMPORAL_TLS=${value} is treated as off; only "true" and "1" turn TLS on.`;
  }
  if (profile.apiKey && profile.tls?.disabled) {
    yield 'TLS is off while an API key is set: the key is sent unencrypted.';
  }
}

function* checkHeaders(env: Environment): Generator<string> {
  const prefix = 'TEMPORAL_GRPC_META_';
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(prefix) || !value) continue;
    const header = name.slice(prefix.length).toLowerCase();
    if (header.indexOf('_') === header.lastIndexOf('_')) continue;
    yield `${name} is sent as "${header.replace('_', '-')}": only the first underscore becomes a hyphen.`;
  }
}
