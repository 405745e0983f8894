// `renderline worker`: executes runs until it is stopped.

import { hostname } from 'node:os';
import type { Command } from '@commander-js/extra-typings';
import { clockWarning } from '../../api/clock.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { workspaceQueue } from '../../plan/queues.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { createLogger } from '../../settings/logger.ts';
import { connectWorker } from '../../temporal/connect.ts';
import { TaskFailures } from '../../temporal/task-failures.ts';
import { thisMachine } from '../../temporal/tuning/machine.ts';
import { tuningOf, tuningWords } from '../../temporal/tuning/tuning.ts';
import { type RunningWorker, startWorker } from '../../temporal/worker.ts';
import { assetNaming } from '../asset-naming.ts';
import { checkPayloads } from '../doctor/local.ts';
import { healthOptions, openHealth } from '../health-place.ts';
import type { HealthServer } from '../health-server.ts';
import { needOpenFiles, openFilesLimit } from '../open-files.ts';
import { hostOption, portNumber } from '../params.ts';
import { payloadWords } from '../payload-words.ts';
import { withPlatform } from '../platform-client.ts';
import { verifyKey, workUntil } from '../run-worker.ts';
import type { Session } from '../session.ts';
import { needTemporaryFolder } from '../temporary-folder.ts';
import { watchProcess } from '../watching.ts';
import { tuningAsked } from '../worker-tuning.ts';
import {
  chosenVersion,
  versionAsked,
  versionFields,
  versionLines,
  versionOptions,
} from '../worker-version.ts';

/** Generous, so that a worker starts on a very busy machine. A wrong address still fails immediately. */
const connectWithinMs = 20_000;

export function declareWorker(command: Command, session: Session): void {
  command
    .option(...healthOptions.port)
    .option(...healthOptions.host)
    .option(
      '--metrics-port <n>',
      'serve metrics for Prometheus at /metrics; 0 takes a free port',
      portNumber('--metrics-port'),
    )
    .option('--metrics-host <address>', 'address of the metrics (default: 127.0.0.1)')
    .option(
      '--host <name>',
      'host name, equal for all workers that share local folders (default: name of the machine)',
      hostOption('--host'),
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
        const { host = hostname(), deployment, buildId, logAssets, ...sizes } = flags;
        const machine = thisMachine();
        const tuning = tuningOf(tuningAsked(sizes, session.io.env), machine);
        const assets = assetNaming(logAssets, session.io.env);
        const asked = versionAsked({ deployment, buildId }, session.io.env);
        const stop = session.io.interrupts.take();
        needOpenFiles(await openFilesLimit());
        await needTemporaryFolder();
        await session.usePlugins();
        const { apiKey } = await session.platform();
        return withPlatform(session, async (client) => {
          const workspace = await verifyKey(client, stop);
          const named = workspace.name ?? workspace.id;
          const config = await session.config();
          const taskQueue = config.taskQueue.value ?? workspaceQueue(workspace.id);
          const { env, stderr } = session.io;
          const secrets = [apiKey];
          const logger = createLogger({ stream: stderr, env, level: 'info', secrets });
          const failures = new TaskFailures();
          const { budget } = client;
          const build = { buildId: asked.buildId, process: 'worker' } as const;
          const now = () => client.now();
          const watched = { env, flags, logger, failures, budget, build, now };
          const watching = await watchProcess({ ...watched, ...withoutUndefined({ assets }) });
          const wrongClock = clockWarning(client.clockAheadMs());
          if (wrongClock !== null) logger.warn(wrongClock);
          const temporal = await connectWorker({ env, timeoutMs: connectWithinMs });
          let worker: RunningWorker | null = null;
          let health: HealthServer | null = null;
          try {
            const wrong = () =>
              worker?.isRunning() ? failures.trouble : 'the worker is not running';
            health = await openHealth(flags, env, wrong);
            const fields = config.fields.value;
            const { connection, namespace, address } = temporal;
            const { version, joined, warning } = await chosenVersion(temporal, taskQueue, asked);
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
              ...versionOptions(logger, version, joined),
              tracing: watching.tracing,
              hintsUrl: config.hintsUrl.value,
              onSharing: ({ shared, reason }) => {
                if (shared) logger.info('workers of this API key share its rate limit');
                else
                  logger.warn(
                    { reason },
                    'the rate limit cannot be shared; this worker uses its own budget',
                  );
              },
              onHints: ({ listening, reason }) => {
                if (listening) logger.info('connected to the receiver for wake-ups');
                else
                  logger.warn(
                    { reason },
                    'no wake-ups from the receiver; waits poll at their interval',
                  );
              },
            });
            const healthUrl = health?.url;
            session.output.answer(
              {
                schema: 'renderline/worker/v1',
                workspace: named,
                taskQueue,
                host,
                namespace,
                address,
                healthPort: health?.port ?? null,
                ...versionFields(version),
                payloads: payloadWords(env),
                tuning: { ...tuning, ...machine },
                metricsUrl: watching.metricsUrl,
              },
              () =>
                [
                  `Working for workspace "${named}" at ${client.baseUrl}`,
                  `Task queue ${taskQueue}, host ${host}, namespace ${namespace}, Temporal at ${address}`,
                  ...versionLines(version),
                  ...checkPayloads(env).map(({ message }) => `Payloads ${message}`),
                  tuningWords(tuning, machine),
                  ...(healthUrl === undefined ? [] : [`Health at ${healthUrl}`]),
                  ...(watching.metricsUrl === null ? [] : [`Metrics at ${watching.metricsUrl}`]),
                  'Ctrl-C stops it gracefully.',
                ].join('\n'),
            );
            await workUntil(worker, stop);
            session.output.note('The worker has stopped.');
            return exitCode.done;
          } finally {
            await health?.close();
            await watching.stop();
            await temporal.close();
          }
        });
      }),
    );
}
