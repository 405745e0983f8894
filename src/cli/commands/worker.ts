// `renderline worker`: carries runs out, until told to stop.
import type { Command } from '@commander-js/extra-typings';
import { exitCode } from '../exit.ts';
import { withPlatform } from '../platform-client.ts';
import { installTemporalLogger, verifyKey, workUntil } from '../run-worker.ts';
import type { Session } from '../session.ts';

export function addWorker(program: Command, session: Session): void {
  program
    .command('worker')
    .description('carry out runs until stopped')
    .action(
      session.action(async () => {
        const stop = session.io.interrupts.take();
        const { apiKey } = await session.platform();
        return withPlatform(session, async (client) => {
          const workspace = await verifyKey(client, stop);
          const config = await session.config();
          const taskQueue = config.taskQueue.value;
          const { createLogger } = await import('../../logger.ts');
          const { env, stderr } = session.io;
          const secrets = [apiKey];
          await installTemporalLogger(
            createLogger({ stream: stderr, env, level: 'info', secrets }),
          );
          const { connectWorker } = await import('../../temporal/connect.ts');
          const temporal = await connectWorker({ env });
          try {
            const { startWorker } = await import('../../temporal/worker.ts');
            const { connection, namespace, address } = temporal;
            const worker = await startWorker({ connection, namespace, client, apiKey, taskQueue });
            session.output.answer(
              { schema: 'renderline/worker/v1', workspace, taskQueue, namespace, address },
              () =>
                [
                  `Working for workspace "${workspace}" at ${client.baseUrl}`,
                  `Task queue ${taskQueue}, namespace ${namespace}, Temporal at ${address}`,
                  'Ctrl-C stops it gracefully.',
                ].join('\n'),
            );
            await workUntil(worker, stop);
            session.output.note('The worker has stopped.');
            return exitCode.done;
          } finally {
            await temporal.close();
          }
        });
      }),
    );
}
