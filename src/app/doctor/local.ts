// Checks of `doctor` that need no network: Node, settings and disk.
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { exitCode } from '../../failures/exit-code.ts';
import type { Config, Setting } from '../../settings/config.ts';
import type { Environment } from '../../settings/environment.ts';
import { readCodecKeys, readPrivateNames } from '../../settings/secrets/codec-keys.ts';
import { minOpenFiles, openFilesFix } from '../open-files.ts';
import { describeEncryption } from '../worker/payload-encryption.ts';
import { findUnwritableReason, temporaryFix } from '../worker/temporary-folder.ts';
import {
  type Check,
  createCheck,
  createFailedCheck,
  createPassedCheck,
  createWarningCheck,
} from './health-check.ts';

const minNodeVersion = [20, 19] as const;
const minFreeBytes = 500 * 1024 * 1024;

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const tooOld =
    major < minNodeVersion[0] || (major === minNodeVersion[0] && minor < minNodeVersion[1]);
  if (!tooOld) return createPassedCheck('node', version);
  const minVersion = minNodeVersion.join('.');
  return createFailedCheck(
    'node',
    `${version} is too old`,
    `Install Node ${minVersion} or newer.`,
    exitCode.usage,
  );
}

export function checkOpenFiles(limit: number | null): Check[] {
  if (limit === null) return [];
  const message = `at most ${limit} open files`;
  return [createCheck(limit >= minOpenFiles, 'open files', message, openFilesFix)];
}

/** Lists the main settings with their origins, and warnings about the settings. The API key is masked. */
export function checkSettings(config: Config): Check[] {
  const { file, baseUrl, apiKey, taskQueue, rateLimit, cacheDir, warnings } = config;
  const limit = rateLimit.value;
  const limitText = limit === null ? 'learned from the platform' : `${limit} requests in 60 s`;
  const operations = Object.keys(config.operations.value).join(', ');
  return [
    createPassedCheck('config', file ?? 'no renderline.yaml; environment and defaults only'),
    checkPlatformSetting('base url', baseUrl, 'RENDERLINE_BASE_URL', (url) => url),
    checkPlatformSetting('api key', apiKey, 'RENDERLINE_API_KEY', maskApiKey),
    createSettingCheck(
      'task queue',
      taskQueue.value ?? "the queue of the key's workspace",
      taskQueue,
    ),
    createSettingCheck('rate limit', limitText, rateLimit),
    createSettingCheck('cache', cacheDir.value, cacheDir),
    ...(operations === '' ? [] : [createSettingCheck('operations', operations, config.operations)]),
    ...warnings.map((text) => createWarningCheck('config', text, '')),
  ];
}

function checkPlatformSetting(
  name: string,
  setting: Setting<string | null>,
  variable: string,
  format: (value: string) => string,
): Check {
  if (setting.value !== null) return createSettingCheck(name, format(setting.value), setting);
  const fix = `export ${variable}=…    (\`renderline dev\` prints it for a local platform)`;
  return createFailedCheck(name, 'not set', fix, exitCode.usage);
}

function createSettingCheck(name: string, text: string, { origin }: Setting<unknown>): Check {
  return createPassedCheck(name, `${text} (${origin})`);
}

function maskApiKey(key: string): string {
  return key.length < 12 ? 'set' : `set, ends in ${key.slice(-4)}`;
}

/** Reports how payloads to Temporal are encrypted. Empty if neither encryption nor private names are configured. */
export function checkPayloads(env: Environment): Check[] {
  const isUnencrypted = readCodecKeys(env) === null && !readPrivateNames(env);
  return isUnencrypted ? [] : [createPassedCheck('payloads', describeEncryption(env))];
}

/** Checks that the cache and the temporary folder are writable and have space. Workers can run without the cache. */
export async function checkDisk(config: Config): Promise<Check[]> {
  const checkFolder = async (folder: string, unwritable: (message: string) => Check) => {
    const reason = await findUnwritableReason(folder);
    if (reason !== null) return unwritable(`${folder} cannot be written: ${reason}`);
    const { bavail, bsize } = await statfs(folder);
    const freeBytes = bavail * bsize;
    const text = `${(freeBytes / 1024 ** 3).toFixed(1)} GB free in ${folder}`;
    return createCheck(freeBytes >= minFreeBytes, 'disk', text, 'Free some disk space.');
  };
  return Promise.all([
    checkFolder(config.cacheDir.value, (message) => createWarningCheck('disk', message, cacheFix)),
    checkFolder(tmpdir(), (message) =>
      createFailedCheck('disk', message, temporaryFix, exitCode.usage),
    ),
  ]);
}

const cacheFix =
  'Set RENDERLINE_CACHE_DIR to a writable folder; only `dev`, `demo` and `test` need one.';
