// Reads Temporal's environment configuration and the API key file, and collects warnings.
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import {
  type ClientConnectConfig,
  loadClientConfigProfile,
  loadClientConnectConfig,
} from '@temporalio/envconfig';
import { ConfigError } from '../../settings/config-error.ts';
import type { Environment } from '../../settings/environment.ts';
import { ApiKeyFile, apiKeyFileVariable } from './api-key-file.ts';
import { checkEnvconfig } from './check-envconfig.ts';

export interface TemporalSettings {
  readonly address: string;
  /** Where the address comes from: a variable, a file or 'default'. */
  readonly addressOrigin: string;
  readonly namespace: string;
  readonly namespaceOrigin: string;
  readonly connectionOptions: ClientConnectConfig['connectionOptions'];
  /** The API key file. Null if the key is not from such a file. */
  readonly apiKeyFile: ApiKeyFile | null;
  /** Warnings about settings that have no effect or an unexpected one. `doctor` shows them. */
  readonly warnings: readonly string[];
}

const defaultAddress = 'localhost:7233';
const defaultNamespace = 'default';

/** Reads the environment and temporal.toml. Opens no connection. @throws ConfigError */
export function readTemporalSettings(env: Environment): TemporalSettings {
  const apiKeyFile = keyFileOf(env);
  const overrideEnvVars: Record<string, string> = {
    ...removeEmpty(env),
    ...(apiKeyFile ? { TEMPORAL_API_KEY: apiKeyFile.current() } : {}),
  };
  const file = configFileOf(overrideEnvVars);
  const text = file && existsSync(file) ? readFileSync(file, 'utf8') : '';
  // The loader fails on a file without a profile, so such a file is ignored.
  const disableFile = !/^\s*\[+\s*profile\b|^\s*profile\b/m.test(text);
  const profileName = overrideEnvVars['TEMPORAL_PROFILE'];
  try {
    if (disableFile && profileName) throw new Error(`Profile '${profileName}' not found`);
    const options = { overrideEnvVars, disableFile };
    const profile = loadClientConfigProfile(options);
    const { connectionOptions, namespace } = loadClientConnectConfig(options);
    assertSendable(profile.apiKey);
    if (profile.address?.includes('@'))
      throw new Error('the address contains a user or a password');
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
      warnings: [...(apiKeyFile?.warnings ?? []), ...checkEnvconfig(env, profile, text)],
    };
  } catch (error) {
    // Only the first line is used, because a syntax error goes on to quote the file, which may contain the key.
    const [cause] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new ConfigError(
      `The settings for Temporal are invalid: ${cause}.`,
      `Check the TEMPORAL_* variables${file ? ` and ${file}` : ''}.`,
    );
  }
}

/** Finds the key file. A variable with the key itself takes precedence, as for the platform's key. */
function keyFileOf(env: Environment): ApiKeyFile | null {
  const path = env[apiKeyFileVariable];
  return path && !env['TEMPORAL_API_KEY'] ? new ApiKeyFile(resolve(path)) : null;
}

/** Refuses a key that is not a valid header. gRPC would reject the header with an error that contains the key. */
function assertSendable(apiKey: string | undefined): void {
  if (!apiKey || /^[\x21-\x7e]+$/.test(apiKey)) return;
  throw new Error('the API key contains spaces, line breaks or invalid characters');
}

// Empty variables are ignored, because the loader would use them as an address. An empty header is kept: it removes the
// header of the file.
function removeEmpty(env: Environment): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value || (value === '' && name.startsWith('TEMPORAL_GRPC_META_'))) variables[name] = value;
  }
  return variables;
}

function configFileOf(env: Readonly<Record<string, string>>): string | undefined {
  const path = env['TEMPORAL_CONFIG_FILE'];
  if (path) return path;
  const folder = configFolderOf(env);
  return folder && join(folder, 'temporalio', 'temporal.toml');
}

// Searches the same folders as the loader, because the loader does not report which file it has read.
function configFolderOf(env: Readonly<Record<string, string>>): string | undefined {
  const home = env['HOME'];
  if (process.platform === 'win32') return env['APPDATA'];
  if (process.platform === 'darwin') return home && join(home, 'Library', 'Application Support');
  const configHome = env['XDG_CONFIG_HOME'];
  if (configHome) return isAbsolute(configHome) ? configHome : undefined;
  return home && join(home, '.config');
}
