// Settings of Temporal by its own conventions, with what those conventions leave out.
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import {
  type ClientConnectConfig,
  loadClientConfigProfile,
  loadClientConnectConfig,
} from '@temporalio/envconfig';
import type { Environment } from '../settings/cache-dir.ts';
import { ConfigError } from '../settings/config-error.ts';
import { ApiKeyFile, apiKeyFileVariable } from './api-key-file.ts';
import { envconfigWarnings } from './envconfig-warnings.ts';

export interface TemporalSettings {
  readonly address: string;
  /** Origin of the address: a variable, a file or 'default'. */
  readonly addressOrigin: string;
  readonly namespace: string;
  readonly namespaceOrigin: string;
  readonly connectionOptions: ClientConnectConfig['connectionOptions'];
  /** Where the API key is from a file that is named for it; else null. */
  readonly apiKeyFile: ApiKeyFile | null;
  /** Settings that have no effect, or a surprising one; `doctor` shows them. */
  readonly warnings: readonly string[];
}

export const defaultAddress = 'localhost:7233';
export const defaultNamespace = 'default';

/** Reads the environment and temporal.toml; connects to nothing. Throws ConfigError. */
export function temporalSettings(env: Environment): TemporalSettings {
  const apiKeyFile = keyFileOf(env);
  const overrideEnvVars: Record<string, string> = {
    ...withoutEmpty(env),
    ...(apiKeyFile ? { TEMPORAL_API_KEY: apiKeyFile.current() } : {}),
  };
  const file = configFile(overrideEnvVars);
  const text = file && existsSync(file) ? readFileSync(file, 'utf8') : '';
  // The loader fails on a file without any profile; such a file says as much as no file.
  const disableFile = !/^\s*\[+\s*profile\b|^\s*profile\b/m.test(text);
  const profileName = overrideEnvVars['TEMPORAL_PROFILE'];
  try {
    if (disableFile && profileName) throw new Error(`Profile '${profileName}' not found`);
    const options = { overrideEnvVars, disableFile };
    const profile = loadClientConfigProfile(options);
    const { connectionOptions, namespace } = loadClientConnectConfig(options);
    refuseUnsendable(profile.apiKey);
    const origin = (variable: string, value: unknown) =>
      overrideEnvVars[variable] ? variable : value ? (file ?? 'file') : 'default';
    return {
      address: connectionOptions.address ?? defaultAddress,
      addressOrigin: origin('TEMPORAL_ADDRESS', profile.address),
      namespace: namespace ?? defaultNamespace,
      namespaceOrigin: origin('TEMPORAL_NAMESPACE', profile.namespace),
      connectionOptions: {
        ...connectionOptions,
        address: connectionOptions.address ?? defaultAddress,
      },
      apiKeyFile,
      warnings: [...(apiKeyFile?.warnings ?? []), ...envconfigWarnings(env, profile, text)],
    };
  } catch (error) {
    // Only the first line: a syntax error goes on with a piece of the file, which may hold the key.
    const [cause] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new ConfigError(
      `The settings for Temporal cannot be used: ${cause}.`,
      `Check the TEMPORAL_* variables${file ? ` and ${file}` : ''}.`,
    );
  }
}

/** The variable of the key itself wins, as that of the platform's key does. */
function keyFileOf(env: Environment): ApiKeyFile | null {
  const path = env[apiKeyFileVariable];
  return path && !env['TEMPORAL_API_KEY'] ? new ApiKeyFile(resolve(path)) : null;
}

/** gRPC refuses such a header with an error that shows it. */
function refuseUnsendable(apiKey: string | undefined): void {
  if (!apiKey || /^[\x21-\x7e]+$/.test(apiKey)) return;
  throw new Error('the API key has spaces, several lines, or characters that no key has');
}

// An empty variable is what shells leave behind; the loader would take it for an address. An empty
// header, though, has a meaning: it takes the one of the file away.
function withoutEmpty(env: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value || (value === '' && name.startsWith('TEMPORAL_GRPC_META_'))) kept[name] = value;
  }
  return kept;
}

function configFile(env: Readonly<Record<string, string>>): string | undefined {
  const named = env['TEMPORAL_CONFIG_FILE'];
  if (named) return named;
  const folder = configFolder(env);
  return folder && join(folder, 'temporalio', 'temporal.toml');
}

// The same places as the loader's, which does not tell which file it read.
function configFolder(env: Readonly<Record<string, string>>): string | undefined {
  const home = env['HOME'];
  if (process.platform === 'win32') return env['APPDATA'];
  if (process.platform === 'darwin') return home && join(home, 'Library', 'Application Support');
  const shared = env['XDG_CONFIG_HOME'];
  if (shared) return isAbsolute(shared) ? shared : undefined;
  return home && join(home, '.config');
}
