// `renderline dev`: Temporal, platform, receiver and worker on this machine, until stopped.
import { join, resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { exitCode } from '../../failures/exit-code.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { withFileLock } from '../../temporal/file-lock.ts';
import { aborted } from '../interrupts.ts';
import { type LocalServices, startLocal } from '../local/local-services.ts';
import { anyNumber } from '../params.ts';
import { isPortFree } from '../port.ts';
import { Resources } from '../resources.ts';
import type { Session } from '../session.ts';

const sandboxPort = 4010;

export function declareDev(command: Command, session: Session): void {
  command
    .option('--data <dir>', 'where everything is kept over restarts', '.renderline/dev')
    .option('--speed <x>', 'sandbox: process so many times faster', anyNumber('--speed'))
    .option('--rate-limit <n>', 'sandbox: requests in a window', anyNumber('--rate-limit'))
    .action(
      session.action(async ({ data, speed, rateLimit }) => {
        const stop = session.io.interrupts.take();
        const folder = resolve(session.io.cwd, data);
        return withFileLock(join(folder, 'lock'), { waitLimitMs: 0, signal: stop }, async () => {
          const resources = new Resources((text) => session.output.note(text));
          try {
            const port = (await isPortFree(sandboxPort)) ? sandboxPort : 0;
            const set = (await session.config()).taskQueue.value;
            const services = await startLocal(session, resources, {
              data: folder,
              taskQueue: set,
              graceMs: 5_000,
              stop,
              sandbox: {
                port,
                ...withoutUndefined({ speed, rateLimit }),
              },
            });
            announce(session, services, { folder, isQueueSet: set !== null });
            await Promise.race([aborted(stop), services.broken]);
            session.output.note(
              `Stopping … All is kept in ${folder}; \`renderline dev\` goes on with it.`,
            );
            return exitCode.done;
          } finally {
            await resources.stopAll();
          }
        });
      }),
    );
}

function announce(
  session: Session,
  services: LocalServices,
  { folder, isQueueSet }: { folder: string; isQueueSet: boolean },
): void {
  const { baseUrl, apiKey, temporalAddress, temporalUi, namespace, taskQueue } = services;
  const shape = {
    schema: 'renderline/dev/v1',
    temporalAddress,
    temporalUi,
    namespace,
    taskQueue,
    baseUrl,
    apiKey,
    sandbox: services.sandboxPage,
    webhookUrl: services.webhookUrl,
    hintsUrl: services.hintsUrl,
    data: folder,
  };
  session.output.answer(shape, () =>
    [
      '# Type these lines in another terminal, then: renderline run FILE --wait',
      '# Files that begin with events, or have a schedule:  renderline apply FILES',
      `export TEMPORAL_ADDRESS=${temporalAddress}`,
      ...(temporalUi === null ? [] : [`export RENDERLINE_TEMPORAL_UI=${temporalUi}`]),
      `export RENDERLINE_BASE_URL=${baseUrl}`,
      `export RENDERLINE_API_KEY=${apiKey}`,
      `export RENDERLINE_HINTS_URL=${services.hintsUrl}`,
      ...(isQueueSet ? [`export RENDERLINE_TASK_QUEUE=${taskQueue}`] : []),
      ...(temporalUi === null ? [] : [`# Runs in the Temporal UI: ${temporalUi}`]),
      `# Pictures of the sandbox:  ${services.sandboxPage}`,
      `# Kept in ${folder}. Ctrl-C stops everything.`,
    ].join('\n'),
  );
}
