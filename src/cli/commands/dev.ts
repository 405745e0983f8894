// `renderline dev`: runs Temporal, sandbox, receiver and worker on this machine until stopped.
import { rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { CleanupStack } from '../../app/cleanup-stack.ts';
import { untilAborted } from '../../app/interrupts.ts';
import { type LocalServices, startLocalServices } from '../../app/local/local-services.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { shellQuoted } from '../../plan/helpers/shell-quote.ts';
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import { withFileLock } from '../../temporal/server/file-lock.ts';
import { isPortFree } from '../../temporal/server/free-ports.ts';
import { numberParser } from '../params.ts';
import type { Session } from '../session.ts';

const sandboxPort = 4010;

export function declareDev(command: Command, session: Session): void {
  command
    .option('--data <dir>', 'folder for state that survives restarts', '.renderline/dev')
    .option('--speed <x>', 'sandbox: speed-up factor of processing', numberParser('--speed'))
    .option('--rate-limit <n>', 'sandbox: requests per rate window', numberParser('--rate-limit'))
    .action(
      session.action(async ({ data, speed, rateLimit }) => {
        const stop = session.io.interrupts.handleFirst();
        const folder = resolve(session.io.cwd, data);
        return withFileLock(join(folder, 'lock'), { waitLimitMs: 0, signal: stop }, async () => {
          const cleanup = new CleanupStack((text) => session.output.note(text));
          try {
            const port = (await isPortFree(sandboxPort)) ? sandboxPort : 0;
            const configuredQueue = (await session.config()).taskQueue.value;
            const services = await startLocalServices(session, cleanup, {
              data: folder,
              taskQueue: configuredQueue,
              graceMs: 5_000,
              stop,
              sandbox: {
                port,
                ...withoutUndefined({ speed, rateLimit }),
              },
            });
            const lines = formatExports(services, configuredQueue !== null);
            const envFile = join(folder, 'env');
            await writeFile(envFile, `${lines.join('\n')}\n`, { mode: 0o600 });
            cleanup.add('the file of exports', () => rm(envFile, { force: true }));
            announce(session, services, { folder, envFile, lines });
            await Promise.race([untilAborted(stop), services.broken]);
            session.output.note(
              `Stopping … The state is kept in ${folder}; \`renderline dev\` continues from it.`,
            );
            return exitCode.done;
          } finally {
            await cleanup.stopAll();
          }
        });
      }),
    );
}

/** Shell lines with which commands in another shell find the services. */
function formatExports(services: LocalServices, isQueueSet: boolean): string[] {
  const { baseUrl, apiKey, temporalAddress, temporalUi, taskQueue } = services;
  return [
    `export TEMPORAL_ADDRESS=${temporalAddress}`,
    ...(temporalUi === null ? [] : [`export RENDERLINE_TEMPORAL_UI=${temporalUi}`]),
    `export RENDERLINE_BASE_URL=${baseUrl}`,
    `export RENDERLINE_API_KEY=${apiKey}`,
    `export RENDERLINE_WAKE_UPS_URL=${services.wakeUpsUrl}`,
    ...(isQueueSet ? [`export RENDERLINE_TASK_QUEUE=${taskQueue}`] : []),
  ];
}

function announce(
  session: Session,
  services: LocalServices,
  paths: { folder: string; envFile: string; lines: readonly string[] },
): void {
  const { folder, envFile, lines } = paths;
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
    wakeUpsUrl: services.wakeUpsUrl,
    data: folder,
    envFile,
  };
  session.output.result(shape, () =>
    [
      '# In another terminal run the next line, then: renderline run FILE --wait',
      '# For files with `on:` or `schedule:`:  renderline apply FILES',
      `. ${sourceArgument(session.io.cwd, envFile)}    # or these lines:`,
      ...lines,
      ...(temporalUi === null ? [] : [`# Runs in the Temporal UI: ${temporalUi}`]),
      `# Pictures of the sandbox:  ${services.sandboxPage}`,
      `# State is kept in ${folder}. Ctrl-C stops everything.`,
    ].join('\n'),
  );
}

/** Path for the shell's `.` command, which would search PATH for a name without a slash. */
function sourceArgument(cwd: string, path: string): string {
  const inside = relative(cwd, path);
  return shellQuoted(inside.startsWith('..') || !inside.includes('/') ? path : inside);
}
