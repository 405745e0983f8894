// `renderline worker`: executes runs until it is stopped.

import { hostname } from 'node:os';
import type { Command } from '@commander-js/extra-typings';
import { clockWarning } from '../../api/clock.ts';
import { checkPayloads } from '../../app/doctor/local.ts';
import { assertTemporaryFolder } from '../../app/local/temporary-folder.ts';
import { assertOpenFilesLimit, readOpenFilesLimit } from '../../app/open-files.ts';
import { readAssetNaming } from '../../app/plan/asset-naming.ts';
import { withPlatform } from '../../app/platform-client.ts';
import type { HealthServer } from '../../app/worker/health-server.ts';
import { startObservability } from '../../app/worker/observability.ts';
import { describeEncryption } from '../../app/worker/payload-encryption.ts';
import { runWorkerUntil, verifyKey } from '../../app/worker/run-worker.ts';
import { readTuningOptions } from '../../app/worker/worker-tuning.ts';
import {
  chooseWorkerVersion,
  formatVersion,
  readVersionRequest,
  versionFields,
  versionOptions,
} from '../../app/worker/worker-version.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import { workspaceQueue } from '../../plan/run/queues.ts';
import { createLogger } from '../../settings/logger.ts';
import { connectWorker } from '../../temporal/connection/connect.ts';
import { TaskFailures } from '../../temporal/runs/task-failures.ts';
import { thisMachine } from '../../temporal/tuning/machine.ts';
import { formatTuning, resolveTuning } from '../../temporal/tuning/tuning.ts';
import { type RunningWorker, startWorker } from '../../temporal/worker/worker.ts';
import { healthOptions, startHealthIfSet } from '../health-options.ts';
import { hostParser, portParser } from '../params.ts';
import type { Session } from '../session.ts';

/** Generous, so that a worker starts on a very busy machine. A wrong address still fails immediately. */
const connectWithinMs = 20_000;

export function declareWorker(command: Command, session: Session): void {
  command
    .option(...healthOptions.port)
    .option(...healthOptions.host)
    .option(
      '--metrics-port <n>',
      'serve metrics for Prometheus at /metrics; 0 takes a free port',
      portParser('--metrics-port'),
    )
    .option('--metrics-host <address>', 'address of the metrics (default: 127.0.0.1)')
    .option(
      '--host <name>',
      'host name, equal for all workers that share local folders (default: name of the machine)',
      hostParser('--host'),
    )
    .option(
      '--deployment <name>',
      'deployment of this worker: runs stay on the build that started them; `none` for no versioning (default: as on the task queue)',
    )
    .option('--build-id <id>', 'id of this build (default: hash of its workflow code)')
    .option(
      '--log-assets [names]',
      'log each step of each asset by key, or by hash of the key with `hash` (default: only at level debug)',
    )
    .option('--max-activities <n>', 'concurrent activities (default: depends on the CPU cores)')
    .option('--max-workflow-tasks <n>', 'concurrent workflow tasks (default: 40)')
    .option(
      '--cached-workflows <n>',
      'runs and shards cached in memory (default: depends on memory)',
    )
    .option('--target-memory <share>', 'accept more work while memory use is below this share: 0.8')
    .option('--target-cpu <share>', 'accept more work while CPU use is below this share: 0.9')
    .option('--pollers <n>', 'pollers per task queue, or auto (default: 10)')
    .action(
      session.action(async (flags) => {
        const { host = hostname(), deployment, buildId, logAssets, ...tuningFlags } = flags;
        const machine = thisMachine();
        const tuning = resolveTuning(readTuningOptions(tuningFlags, session.io.env), machine);
        const assets = readAssetNaming(logAssets, session.io.env);
        const versionRequest = readVersionRequest({ deployment, buildId }, session.io.env);
        const stop = session.io.interrupts.handleFirst();
        assertOpenFilesLimit(await readOpenFilesLimit());
        await assertTemporaryFolder();
        await session.usePlugins();
        const { apiKey } = await session.platform();
        return withPlatform(session, async (client) => {
          const workspace = await verifyKey(client, stop);
          const workspaceName = workspace.name ?? workspace.id;
          const config = await session.config();
          const taskQueue = config.taskQueue.value ?? workspaceQueue(workspace.id);
          const { env, stderr } = session.io;
          const secrets = [apiKey];
          const logger = createLogger({ stream: stderr, env, level: 'info', secrets });
          const failures = new TaskFailures();
          const { budget } = client;
          const build = { buildId: versionRequest.buildId, process: 'worker' } as const;
          const now = () => client.now();
          const watched = { env, flags, logger, failures, budget, build, now };
          const observability = await startObservability({
            ...watched,
            ...withoutUndefined({ assets }),
          });
          const wrongClock = clockWarning(client.clockAheadMs());
          if (wrongClock !== null) logger.warn(wrongClock);
          const temporal = await connectWorker({ env, timeoutMs: connectWithinMs });
          let worker: RunningWorker | null = null;
          let health: HealthServer | null = null;
          try {
            const findProblem = () =>
              worker?.isRunning() ? failures.trouble : 'the worker is not running';
            health = await startHealthIfSet(flags, env, findProblem);
            const fields = config.fields.value;
            const { connection, namespace, address } = temporal;
            const { version, isJoined, warning } = await chooseWorkerVersion(
              temporal,
              taskQueue,
              versionRequest,
            );
            if (warning !== null) logger.warn(warning);
            worker = await startWorker({
              connection,
              namespace,
              client,
              apiKey,
              workspace,
              fields,
              taskQueue,
              host,
              environment: env,
              tuning,
              ...versionOptions(logger, version, isJoined),
              tracing: observability.tracing,
              wakeUpsUrl: config.wakeUpsUrl.value,
              onSharing: ({ shared, reason }) => {
                if (shared) logger.info('workers of this API key share its rate limit');
                else
                  logger.warn(
                    { reason },
                    'the rate limit cannot be shared; this worker uses its own budget',
                  );
              },
              onWakeUpState: ({ listening, reason }) => {
                if (listening) logger.info('connected to the receiver for wake-ups');
                else
                  logger.warn(
                    { reason },
                    'no wake-ups from the receiver; waits poll at their interval',
                  );
              },
            });
            const healthUrl = health?.url;
            session.output.result(
              {
                schema: 'renderline/worker/v1',
                workspace: workspaceName,
                taskQueue,
                host,
                namespace,
                address,
                healthPort: health?.port ?? null,
                ...versionFields(version),
                payloads: describeEncryption(env),
                tuning: { ...tuning, ...machine },
                metricsUrl: observability.metricsUrl,
              },
              () =>
                [
                  `Working for workspace "${workspaceName}" at ${client.baseUrl}`,
                  `Task queue ${taskQueue}, host ${host}, namespace ${namespace}, Temporal at ${address}`,
                  ...formatVersion(version),
                  ...checkPayloads(env).map(({ message }) => `Payloads ${message}`),
                  formatTuning(tuning, machine),
                  ...(healthUrl === undefined ? [] : [`Health at ${healthUrl}`]),
                  ...(observability.metricsUrl === null
                    ? []
                    : [`Metrics at ${observability.metricsUrl}`]),
                  'Ctrl-C stops it gracefully.',
                ].join('\n'),
            );
            await runWorkerUntil(worker, stop);
            session.output.note('The worker has stopped.');
            return exitCode.done;
          } finally {
            await health?.close();
            await observability.stop();
            await temporal.close();
          }
        });
      }),
    );
}
