// Checks of `doctor` that need no network: Node, settings, disk.
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { exitCode } from '../../failures/exit-code.ts';
import type { Config, Setting } from '../../settings/config.ts';
import type { Environment } from '../../settings/environment.ts';
import { readCodecKeys, readPrivateNames } from '../../settings/secrets/codec-keys.ts';
import { minOpenFiles, openFilesFix } from '../open-files.ts';
import { describeEncryption } from '../worker/payload-encryption.ts';
import { findUnwritableReason, temporaryFix } from '../worker/temporary-folder.ts';
import { type Check, failedCheck, passedCheck, warningCheck } from './health-check.ts';

const minNodeVersion = [20, 19] as const;
const minFreeBytes = 500 * 1024 * 1024;

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const tooOld =
    major < minNodeVersion[0] || (major === minNodeVersion[0] && minor < minNodeVersion[1]);
  if (!tooOld) return passedCheck('node', version);
  const minVersion = minNodeVersion.join('.');
  return failedCheck(
    'node',
    `${version} is too old`,
    `Install Node ${minVersion} or newer.`,
    exitCode.usage,
  );
}

export function checkOpenFiles(limit: number | null): Check[] {
  if (limit === null) return [];
  const message = `at most ${limit} open files`;
  const isEnough = limit >= minOpenFiles;
  return [
    isEnough
      ? passedCheck('open files', message)
      : warningCheck('open files', message, openFilesFix),
  ];
}

/** Lists the main settings with their origins, and warnings about the settings. The API key is masked. */
export function checkSettings(config: Config): Check[] {
  const lines = [
    passedCheck('config', config.file ?? 'no renderline.yaml; environment and defaults only'),
    checkPlatformSetting(
      'base url',
      config.baseUrl,
      'RENDERLINE_BASE_URL',
      config.baseUrl.value ?? '',
    ),
    checkPlatformSetting(
      'api key',
      config.apiKey,
      'RENDERLINE_API_KEY',
      maskApiKey(config.apiKey.value),
    ),
    passedCheck(
      'task queue',
      withOrigin(config.taskQueue.value ?? "that of the key's workspace", config.taskQueue),
    ),
    passedCheck(
      'rate limit',
      withOrigin(formatRateLimit(config.rateLimit.value), config.rateLimit),
    ),
    passedCheck('cache', withOrigin(config.cacheDir.value, config.cacheDir)),
  ];
  const operations = Object.keys(config.operations.value);
  if (operations.length > 0) {
    lines.push(passedCheck('operations', withOrigin(operations.join(', '), config.operations)));
  }
  return [...lines, ...config.warnings.map((text) => warningCheck('config', text, ''))];
}

function checkPlatformSetting(
  name: string,
  setting: Setting<string | null>,
  variable: string,
  text: string,
): Check {
  if (setting.value !== null) return passedCheck(name, withOrigin(text, setting));
  const fix = `export ${variable}=…    (\`renderline dev\` prints it for a local platform)`;
  return failedCheck(name, 'not set', fix, exitCode.usage);
}

function withOrigin(value: string, { origin }: Setting<unknown>): string {
  return `${value} (${origin})`;
}

function maskApiKey(key: string | null): string {
  return key === null || key.length < 12 ? 'set' : `set, ends in ${key.slice(-4)}`;
}

function formatRateLimit(limit: number | null): string {
  return limit === null ? 'learned from the platform' : `${limit} requests in 60 s`;
}

/** Reports how payloads to Temporal are encrypted; no checks without encryption and without hidden names. */
export function checkPayloads(env: Environment): Check[] {
  const isUnencrypted = readCodecKeys(env) === null && !readPrivateNames(env);
  return isUnencrypted ? [] : [passedCheck('payloads', describeEncryption(env))];
}

/** Checks that the cache and the temporary folder are writable and have space. Workers can run without the cache. */
export async function checkDisk(config: Config): Promise<Check[]> {
  const folders = [
    { place: config.cacheDir.value, trouble: warningCheck, fix: cacheFix },
    { place: tmpdir(), trouble: failUnwritable, fix: temporaryFix },
  ];
  const checks = folders.map(async ({ place, trouble, fix }) => {
    const reason = await findUnwritableReason(place);
    if (reason !== null) return trouble('disk', `${place} cannot be written: ${reason}`, fix);
    const { bavail, bsize } = await statfs(place);
    const free = bavail * bsize;
    const text = `${(free / 1024 ** 3).toFixed(1)} GB free in ${place}`;
    return free >= minFreeBytes
      ? passedCheck('disk', text)
      : warningCheck('disk', text, 'Free some space there.');
  });
  return Promise.all(checks);
}

const cacheFix = 'Only `dev`, `demo` and `test` need it: set RENDERLINE_CACHE_DIR.';
const failUnwritable = (name: string, message: string, fix: string) =>
  failedCheck(name, message, fix, exitCode.usage);
