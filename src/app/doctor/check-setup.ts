// Checks what a run needs: this machine, the settings, the platform, Temporal, and the stores of pipeline files.
import type { Plan } from '../../plan/types.ts';
import type { Config } from '../../settings/config.ts';
import { readTemporalSettings } from '../../temporal/connection/read-temporal-settings.ts';
import type { App } from '../app.ts';
import { compileForRun } from '../choices/check-choices.ts';
import { readOpenFilesLimit } from '../open-files.ts';
import { chooseRunTarget } from '../run-target.ts';
import { withTemporal } from '../temporal-client.ts';
import { type Check, createPassedCheck, createWarningCheck, runCheck } from './health-check.ts';
import { checkDisk, checkNode, checkOpenFiles, checkPayloads, checkSettings } from './local.ts';
import { checkProxies } from './proxies.ts';
import { checkPlatform, checkReceiver, checkTemporal, checkWorkerClocks } from './remote.ts';
import { checkStores } from './store-checks.ts';

export interface SetupOptions {
  /** Pipeline files. Their records stores are tested by writing a small file. */
  files: readonly string[];
  parameters: Readonly<Record<string, string>>;
  register: boolean;
}

/** Runs all checks. A check that throws an error counts as failed. */
export async function checkSetup(
  app: App,
  { files, parameters, register }: SetupOptions,
): Promise<{ schema: 'renderline/doctor/v1'; checks: Check[] }> {
  const settings = await runCheck('config', async () => checkSettings(await app.config()));
  const isConfigured = !settings.some(({ name, state }) => name === 'config' && state === 'fail');
  const checks = [
    checkNode(process.version),
    ...checkOpenFiles(await readOpenFilesLimit()),
    ...settings,
    ...(isConfigured ? await checkServices(app, await app.config(), register) : []),
    ...(await checkFiles(app, files, parameters)),
  ];
  return { schema: 'renderline/doctor/v1', checks };
}

/** Checks each pipeline file, then the stores of those that are valid. */
async function checkFiles(
  app: App,
  files: readonly string[],
  parameters: SetupOptions['parameters'],
): Promise<Check[]> {
  const plans: Plan[] = [];
  const checks: Check[] = [];
  for (const file of files) {
    const compiled = await runCheck('pipeline file', async () => {
      plans.push((await compileForRun(app, file, parameters)).plan);
      return [createPassedCheck('pipeline file', file)];
    });
    checks.push(...compiled);
  }
  return [...checks, ...(await runCheck('records', () => checkStores(plans)))];
}

async function checkServices(app: App, config: Config, register: boolean): Promise<Check[]> {
  const isSet = await app.isPlatformSet();
  const wakeUpsUrl = config.wakeUpsUrl.value;
  const settings = await checkTemporalSettings(app);
  const isUsable = !settings.some(({ state }) => state === 'fail');
  // The checks run in parallel, so that several unreachable services cost only one timeout.
  const [platform, receiver, temporal, disk] = await Promise.all([
    isSet ? runCheck('platform', () => checkPlatform(app)) : [],
    wakeUpsUrl === null ? [] : runCheck('receiver', () => checkReceiver(wakeUpsUrl)),
    isUsable ? runCheck('temporal', () => checkConnection(app, config, { register, isSet })) : [],
    runCheck('disk', () => checkDisk(config)),
  ]);
  const proxies = await runCheck('proxy', async () => checkProxies(config, app.env, isUsable));
  return [...proxies, ...platform, ...receiver, ...settings, ...temporal, ...disk];
}

function checkConnection(
  app: App,
  config: Config,
  { register, isSet }: { register: boolean; isSet: boolean },
): Promise<Check[]> {
  return withTemporal(app, async (connected) => {
    // If the queue is unknown, another check reports why.
    const target =
      config.taskQueue.value === null ? await chooseRunTarget(app).catch(() => null) : null;
    const taskQueue = config.taskQueue.value ?? target?.taskQueue ?? null;
    return [
      ...(await checkTemporal(app, connected, taskQueue, register)),
      ...(isSet ? await checkWorkerClocks(app, connected.client) : []),
    ];
  });
}

/** Reports where the address comes from, warnings, and how payloads are encrypted, or why a setting is invalid. */
async function checkTemporalSettings({ env }: App): Promise<Check[]> {
  return runCheck('temporal', async () => {
    const settings = readTemporalSettings(env);
    return [
      createPassedCheck('temporal address', `${settings.address} (${settings.addressOrigin})`),
      ...settings.warnings.map((text) => createWarningCheck('temporal', text, '')),
      ...checkPayloads(env),
    ];
  });
}
