// Reads Renderline's settings. Flags take precedence over the environment, followed by renderline.yaml and the
// defaults. Most other code receives the environment as an argument.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  allowHostsVariable,
  findAddressProblem,
  readAllowedHosts,
} from '../api/network/allowed-hosts.ts';
import { isLoopback } from '../api/network/private-addresses.ts';
import { defaultFieldNames, type FieldNames } from '../api/requests/field-names.ts';
import { omitUndefined } from '../plan/helpers/omit-undefined.ts';
import { cacheDirectory } from './cache-dir.ts';
import { ConfigError } from './config-error.ts';
import type { ConfigFile } from './config-file.ts';
import type { Environment } from './environment.ts';
import { findCodecKeyWarnings } from './secrets/codec-keys.ts';
import { assertKey, readKeyFile } from './secrets/key-file.ts';
import {
  allowSecretsVariable,
  isWorkerVariable,
  readAllowedSecrets,
  variableName,
} from './secrets/secret-names.ts';
import { findTrustProblem, withParents } from './trusted-path.ts';

/** Returns the environment of this process. */
export function processEnvironment(): Environment {
  return process.env;
}

/** A value, and its origin for messages. */
export interface Setting<T> {
  readonly value: T;
  readonly origin: string;
}

export interface Config {
  /** Path of the renderline.yaml that was read. Null if none was. */
  readonly file: string | null;
  /** A message about a renderline.yaml that was found but not read: which file, why, and what to do. */
  readonly ignoredFile: string | null;
  /** API root, such as https://host/api/v1, without a trailing slash. Null if it is not set. */
  readonly baseUrl: Setting<string | null>;
  readonly apiKey: Setting<string | null>;
  /** Task queue of runs and workers. If null, it is derived from the API key's workspace. */
  readonly taskQueue: Setting<string | null>;
  /** API requests per 60 seconds. If null, the limit is learned from the responses of the platform. */
  readonly rateLimit: Setting<number | null>;
  readonly cacheDir: Setting<string>;
  /** URL of the Temporal UI, for links to the page of a run. */
  readonly temporalUi: Setting<string | null>;
  /** URL of a receiver's wake-ups. Null means no receiver. */
  readonly wakeUpsUrl: Setting<string | null>;
  /** The pages of `renderline ui` for a team. Null if they are for this machine only. */
  readonly ui: Setting<TeamUi | null>;
  /** The team's channels by name, as written in the file and not checked yet. */
  readonly channels: Setting<Readonly<Record<string, unknown>>>;
  /** Routes of operations whose path the platform does not document, by operation id. */
  readonly operations: Setting<Readonly<Record<string, string>>>;
  /** Names of fields that the platform does not document. */
  readonly fields: Setting<FieldNames>;
  readonly plugins: Setting<readonly string[]>;
  /** Warnings about settings that are valid but may be unexpected. `doctor` shows them. */
  readonly warnings: readonly string[];
}

export type TeamUi = NonNullable<ConfigFile['ui']>;

const fileName = 'renderline.yaml';

/** Settings that a caller provides to replace those in the environment and in renderline.yaml. */
export interface ConfigFlags {
  config?: string | undefined;
  baseUrl?: string | undefined;
  taskQueue?: string | undefined;
}

export interface ConfigSources {
  readonly env: Environment;
  readonly cwd: string;
  readonly flags?: ConfigFlags;
}

/**
 * Reads all settings. No setting is required, because most commands need only some of them.
 * @throws ConfigError for an invalid value
 */
export async function loadConfig({ env, cwd, flags = {} }: ConfigSources): Promise<Config> {
  const { file, ignoredFile } = findConfigFile(env, cwd, flags.config);
  // The parsers are loaded only if there is a file, because they would slow down the start of every command.
  const fromFile: ConfigFile =
    file === null ? {} : await (await import('./config-file.ts')).readConfigFile(file);
  const warnings: string[] = [];
  /** The first source that has a value. @param others flag and variable by the origin that messages mention */
  const pick = <T>(
    entry: T | undefined,
    fallback: T,
    others: Readonly<Record<string, T | undefined>> = {},
  ): Setting<T> => {
    const sources = Object.entries({ ...others, [file ?? fileName]: entry });
    const [origin, value] = sources.find(([, candidate]) => candidate !== undefined) ?? [];
    return value === undefined || origin === undefined
      ? { value: fallback, origin: 'default' }
      : { value, origin };
  };
  const pickText = (
    entry: string | undefined,
    variable: string,
    flag: Record<string, string | undefined> = {},
  ) => pick<string | null>(entry, null, { ...flag, [variable]: env[variable] || undefined });
  checkAllowedSecrets(env);

  const baseUrlFlag = { 'flag --base-url': flags.baseUrl };
  const baseUrl = checkUrl(
    'base URL',
    pickText(fromFile.baseUrl, 'RENDERLINE_BASE_URL', baseUrlFlag),
    'a URL like https://host/api/v1; `renderline dev` prints a local one',
  );
  const wakeUpsUrl = checkUrl(
    'URL for wake-ups',
    pickText(fromFile.wakeUpsUrl, 'RENDERLINE_WAKE_UPS_URL'),
    'the URL that `renderline webhooks` prints when it starts',
  );
  const temporalUi = checkUrl(
    'URL of the Temporal UI',
    pickText(fromFile.temporalUi, 'RENDERLINE_TEMPORAL_UI'),
    'a URL like https://temporal.example.com',
  );
  warnings.push(
    ...findVersionWarnings(baseUrl),
    ...checkTransport('The API key', baseUrl, env),
    ...checkTransport('The token for wake-ups', wakeUpsUrl, env),
    ...findCodecKeyWarnings(env),
  );
  const rateLimit = parseRateLimit(env['RENDERLINE_RATE_LIMIT'] || undefined);
  const cacheDir = toAbsolute(cwd, env['RENDERLINE_CACHE_DIR'] || undefined);
  const usualCacheDir = cacheDirectory({ ...env, RENDERLINE_CACHE_DIR: undefined });
  const taskQueueFlag = { 'flag --task-queue': flags.taskQueue };
  return {
    file,
    ignoredFile,
    baseUrl,
    apiKey: readApiKey(env, cwd, warnings),
    taskQueue: pickText(fromFile.taskQueue, 'RENDERLINE_TASK_QUEUE', taskQueueFlag),
    rateLimit: pick<number | null>(fromFile.rateLimit, null, { RENDERLINE_RATE_LIMIT: rateLimit }),
    cacheDir: pick(undefined, usualCacheDir, { RENDERLINE_CACHE_DIR: cacheDir }),
    temporalUi,
    wakeUpsUrl,
    ui: pick<TeamUi | null>(fromFile.ui, null),
    channels: pick<Config['channels']['value']>(fromFile.channels, {}),
    operations: pick<Config['operations']['value']>(fromFile.operations, {}),
    fields: pick<FieldNames>(fieldNamesOf(fromFile.fields), defaultFieldNames),
    plugins: pick<readonly string[]>(fromFile.plugins, []),
    warnings,
  };
}

/** Returns field names from the file, with defaults for the rest. Undefined if the file has none. */
function fieldNamesOf(fields: ConfigFile['fields']): FieldNames | undefined {
  if (fields === undefined) return undefined;
  const { variant, slot } = defaultFieldNames;
  return {
    variant: { ...variant, ...omitUndefined(fields.variant ?? {}) },
    slot: { ...slot, ...omitUndefined(fields.slot ?? {}) },
  };
}

/**
 * Finds renderline.yaml. A named file is always used. A discovered file is used only if nobody else can change it, and
 * if it is in `cwd` or in the same repository.
 */
function findConfigFile(
  env: Environment,
  cwd: string,
  flag: string | undefined,
): Pick<Config, 'file' | 'ignoredFile'> {
  const configuredPath = flag ?? (env['RENDERLINE_CONFIG'] || undefined);
  if (configuredPath !== undefined) {
    const path = resolve(cwd, configuredPath);
    if (existsSync(path)) return { file: path, ignoredFile: null };
    const origin = flag === undefined ? 'RENDERLINE_CONFIG' : '--config';
    throw new ConfigError(
      `${origin} is set to ${path}, which does not exist.`,
      `Correct ${origin}.`,
    );
  }
  const folders = withParents(resolve(cwd));
  const holder = folders.findIndex((folder) => existsSync(join(folder, fileName)));
  if (holder < 0) return { file: null, ignoredFile: null };
  const path = join(folders[holder] ?? cwd, fileName);
  const repository = folders.findIndex((folder) => existsSync(join(folder, '.git')));
  const problem =
    holder > Math.max(repository, 0)
      ? 'it is in a parent folder outside the repository'
      : findTrustProblem(path);
  if (problem === null) return { file: path, ignoredFile: null };
  const warning = `${path} was not read: ${problem}. To use it, pass its path in --config or RENDERLINE_CONFIG.`;
  return { file: null, ignoredFile: warning };
}

/** @throws ConfigError unless the setting is null or an http(s) URL that may be shown, because it has no credentials */
function checkUrl(
  name: string,
  setting: Setting<string | null>,
  example: string,
): Setting<string | null> {
  const { value, origin } = setting;
  if (value === null) return setting;
  const url = URL.canParse(value) ? new URL(value) : null;
  const isHttp = url !== null && ['http:', 'https:'].includes(url.protocol);
  if (isHttp && url.username === '' && url.password === '' && url.search === '')
    return { ...setting, value: url.href.replace(/\/+$/, '') };
  const problem = isHttp
    ? 'must not contain a user, a password or a query'
    : 'is not an http(s) URL';
  throw new ConfigError(`The ${name} (${origin}) ${problem}.`, `Use ${example}.`);
}

function findVersionWarnings({ value, origin }: Setting<string | null>): string[] {
  if (value === null || /\/api\/v\d+$/.test(value)) return [];
  return [`The base URL (${origin}) does not end with /api/v1: ${value}`];
}

/**
 * @returns warnings about an allowed address that is not encrypted @throws ConfigError if the address is not allowed
 */
function checkTransport(
  subject: string,
  { value, origin }: Setting<string | null>,
  env: Environment,
): string[] {
  if (value === null) return [];
  const url = new URL(value);
  const refusal = findAddressProblem(url, readAllowedHosts(env));
  if (refusal !== null) {
    const fix = `${refusal.fix.charAt(0).toUpperCase()}${refusal.fix.slice(1)}.`;
    throw new ConfigError(
      `${subject} is not sent to ${url.host} (${origin}): the host ${refusal.reason}.`,
      fix,
    );
  }
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return [];
  return [
    `${subject} is sent to ${url.host} unencrypted, because ${allowHostsVariable} allows it.`,
  ];
}

function readApiKey(env: Environment, cwd: string, warnings: string[]): Setting<string | null> {
  const direct = env['RENDERLINE_API_KEY']?.trim();
  const keyFile = toAbsolute(cwd, env['RENDERLINE_API_KEY_FILE'] || undefined);
  if (direct) {
    if (keyFile !== undefined) {
      warnings.push('RENDERLINE_API_KEY_FILE is ignored because RENDERLINE_API_KEY is set.');
    }
    assertKey(direct, 'RENDERLINE_API_KEY', 'The variable');
    return { value: direct, origin: 'RENDERLINE_API_KEY' };
  }
  if (keyFile === undefined) return { value: null, origin: 'default' };
  const { key, origin, warnings: ofFile } = readKeyFile('RENDERLINE_API_KEY_FILE', keyFile);
  warnings.push(...ofFile);
  return { value: key, origin };
}

/** Rejects an invalid list, because ignored entries would mislead. Shows only entries that are worker variables. */
function checkAllowedSecrets(env: Environment): void {
  const names = [...readAllowedSecrets(env)];
  const workerVariable = names.find((name) => variableName.test(name) && isWorkerVariable(name));
  if (workerVariable !== undefined) {
    throw new ConfigError(
      `${allowSecretsVariable} contains ${workerVariable}, which belongs to the worker itself; no pipeline file may use it.`,
      `Remove the variable from ${allowSecretsVariable}, and use a separate variable RENDERLINE_SECRET_… in the files.`,
    );
  }
  if (names.every((name) => variableName.test(name))) return;
  throw new ConfigError(
    `${allowSecretsVariable} contains an entry that is not a variable name.`,
    `List uppercase names separated by commas: ${allowSecretsVariable}=SHOP_KEY,FILES_PASSWORD`,
  );
}

function parseRateLimit(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^[1-9]\d{0,6}$/.test(value)) return Number(value);
  throw new ConfigError(
    `RENDERLINE_RATE_LIMIT is "${value}", which is not a valid number of requests.`,
    'Set it to the number of API requests allowed per 60 seconds, such as RENDERLINE_RATE_LIMIT=600, or unset it.',
  );
}

function toAbsolute(cwd: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(cwd, path);
}
