// `renderline worker`: executes runs until it is stopped.
import { hostname } from 'node:os';
import type { Command } from '@commander-js/extra-typings';
import { exitCode } from '../../failures/exit-code.ts';
import { workspaceQueue } from '../../plan/contract.ts';
import { createLogger } from '../../settings/logger.ts';
import { connectWorker } from '../../temporal/connect.ts';
import { TaskFailures } from '../../temporal/task-failures.ts';
import { type RunningWorker, startWorker } from '../../temporal/worker.ts';
import { healthOptions, openHealth } from '../health-place.ts';
import type { HealthServer } from '../health-server.ts';
import { needOpenFiles, openFilesLimit } from '../open-files.ts';
import { hostOption } from '../params.ts';
import { withPlatform } from '../platform-client.ts';
import { installTemporalLogger, verifyKey, workUntil } from '../run-worker.ts';
import type { Session } from '../session.ts';

/** Whoever starts a worker wants it to work, also on a machine that is very busy. A wrong address is refused at once. */
const connectWithinMs = 20_000;

export function declareWorker(command: Command, session: Session): void {
  command
    .option(...healthOptions.port)
    .option(...healthOptions.host)
    .option(
      '--host <name>',
      'name of this machine, the same for all workers that see the same folders (default: that of the system)',
      hostOption('--host'),
    )
    .action(
      session.action(async ({ host = hostname(), ...probes }) => {
        const stop = session.io.interrupts.take();
        needOpenFiles(await openFilesLimit());
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
          await installTemporalLogger(logger, failures);
          const temporal = await connectWorker({ env, timeoutMs: connectWithinMs });
          let worker: RunningWorker | null = null;
          let health: HealthServer | null = null;
          try {
            const wrong = () => (worker?.isRunning() ? failures.trouble : 'it does not take work');
            health = await openHealth(probes, env, wrong);
            const fields = config.fields.value;
            const { connection, namespace, address } = temporal;
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
              hintsUrl: config.hintsUrl.value,
              onSharing: ({ shared, reason }) => {
                if (shared) logger.info('workers of this key share its allowance');
                else
                  logger.warn(
                    { reason },
                    'the allowance cannot be shared; this worker goes by a budget of its own',
                  );
              },
              onHints: ({ listening, reason }) => {
                if (listening) logger.info('hints are coming in');
                else
                  logger.warn({ reason }, 'the receiver gives no hints; looks come at their ticks');
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
              },
              () =>
                [
                  `Working for workspace "${named}" at ${client.baseUrl}`,
                  `Task queue ${taskQueue}, host ${host}, namespace ${namespace}, Temporal at ${address}`,
                  ...(healthUrl === undefined ? [] : [`Health at ${healthUrl}`]),
                  'Ctrl-C stops it gracefully.',
                ].join('\n'),
            );
            await workUntil(worker, stop);
            session.output.note('The worker has stopped.');
            return exitCode.done;
          } finally {
            await health?.close();
            await temporal.close();
          }
        });
      }),
    );
}
