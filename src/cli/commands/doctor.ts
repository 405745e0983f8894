// `renderline doctor`: checks everything that a run needs and shows how to repair problems.
import type { Command } from '@commander-js/extra-typings';
import { compilePipeline } from '../../app/compile-pipeline.ts';
import {
  type Check,
  formatChecks,
  ok,
  runCheck,
  warn,
  worstExit,
} from '../../app/doctor/health-check.ts';
import {
  checkDisk,
  checkNode,
  checkOpenFiles,
  checkPayloads,
  checkSettings,
} from '../../app/doctor/local.ts';
import { checkProxies } from '../../app/doctor/proxies.ts';
import {
  checkPlatform,
  checkReceiver,
  checkTemporal,
  checkWorkerClocks,
} from '../../app/doctor/remote.ts';
import { readOpenFilesLimit } from '../../app/open-files.ts';
import { checkStores } from '../../app/plan/store-checks.ts';
import { chooseRunTarget } from '../../app/run-target.ts';
import { withTemporal } from '../../app/temporal-client.ts';
import type { Plan } from '../../plan/types.ts';
import type { Config } from '../../settings/config.ts';
import { temporalSettings } from '../../temporal/connection/temporal-settings.ts';
import { collectOption, parsePairs } from '../params.ts';
import type { Session } from '../session.ts';

export function declareDoctor(command: Command, session: Session): void {
  command
    .argument(
      '[files...]',
      'pipeline files; their records stores are tested by writing a small file',
    )
    .option('--fix', 'register missing search attributes')
    .option('--param <name=value>', 'parameter of the pipelines (repeatable)', collectOption)
    .action(
      session.action(async (files, { fix, param }) => {
        const checks = [checkNode(process.version), ...checkOpenFiles(await readOpenFilesLimit())];
        const settings = await runCheck('config', async () =>
          checkSettings(await session.config()),
        );
        checks.push(...settings);
        if (!settings.some(({ name, state }) => name === 'config' && state === 'fail')) {
          checks.push(...(await checkServices(session, await session.config(), fix === true)));
        }
        checks.push(...(await checkStoresOfFiles(session, files, parsePairs('--param', param))));
        const exit = worstExit(checks);
        session.output.result({ schema: 'renderline/doctor/v1', checks }, () =>
          formatChecks(checks, session.output.paint),
        );
        return exit;
      }),
    );
}

/** Checks the stores of the given pipeline files. */
async function checkStoresOfFiles(
  session: Session,
  files: readonly string[],
  parameters: Readonly<Record<string, string>>,
): Promise<Check[]> {
  return runCheck('file', async () => {
    const plans: Plan[] = [];
    for (const file of files) plans.push((await compilePipeline(session, file, parameters)).plan);
    return checkStores(plans);
  });
}

async function checkServices(
  session: Session,
  config: Config,
  register: boolean,
): Promise<Check[]> {
  const isSet = config.baseUrl.value !== null && config.apiKey.value !== null;
  // In parallel, so that several unreachable services cost only one timeout.
  const wakeUpsUrl = config.wakeUpsUrl.value;
  const [platform, receiver, temporal, disk] = await Promise.all([
    isSet ? runCheck('platform', () => checkPlatform(session)) : [],
    wakeUpsUrl === null ? [] : runCheck('receiver', () => checkReceiver(wakeUpsUrl)),
    runCheck('temporal', () =>
      withTemporal(session, async (connected) => [
        ...(await checkTemporal(
          connected,
          await taskQueueOf(session, config),
          register,
          session.io.env,
        )),
        ...(isSet ? await checkWorkerClocks(session, connected.client) : []),
      ]),
    ),
    runCheck('disk', () => checkDisk(config)),
  ]);
  const ways = await runCheck('proxy', async () => checkProxies(config, session.io.env));
  const settings = await temporalSettingLines(session);
  return [...ways, ...platform, ...receiver, ...settings, ...temporal, ...disk];
}

/** Returns null if the queue is unknown; the check of the platform then reports why. */
async function taskQueueOf(session: Session, config: Config): Promise<string | null> {
  const set = config.taskQueue.value;
  if (set !== null) return set;
  return chooseRunTarget(session).then(
    (place) => place.taskQueue,
    () => null,
  );
}

async function temporalSettingLines(session: Session): Promise<Check[]> {
  // Unusable settings are reported by the check of the connection.
  return runCheck('temporal', async () => {
    const settings = temporalSettings(session.io.env);
    return [
      ok('temporal', `address from ${settings.addressOrigin}`),
      ...settings.warnings.map((text) => warn('temporal', text, '')),
      ...checkPayloads(session.io.env),
    ];
  });
}
