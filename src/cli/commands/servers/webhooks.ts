// `renderline webhooks`: receives the platform's notifications until stopped.
import type { Command } from '@commander-js/extra-typings';
import { serveWebhooks } from '../../../app/events/serve-webhooks.ts';
import { sharedOptions } from '../../options.ts';
import type { Session } from '../../session.ts';
import { formatStartedReceiver, formatVerdicts } from '../../worker/format.ts';

const defaultPort = 8099;

export function declareWebhooks(command: Command, session: Session): void {
  command
    .option(...sharedOptions.port, defaultPort)
    .option(...sharedOptions.listen, '127.0.0.1')
    .option('--path <path>', 'path to which the platform posts notifications', '/webhooks')
    .option(
      '--register <url>',
      "register this public address as the workspace's webhook (RENDERLINE_WEBHOOK_URL)",
    )
    .option(
      '--allow-runs',
      'start runs by HTTP for pipelines that have `start:` (RENDERLINE_ALLOW_RUNS=1)',
    )
    .option(...sharedOptions.metricsPort)
    .option(...sharedOptions.metricsHost)
    .option('--replace', 'with --register: replace a webhook that has another address')
    .option(...sharedOptions.healthPort)
    .option(...sharedOptions.healthHost)
    .action(
      session.action(async (options) => {
        const counts = await serveWebhooks(session, options, {
          stop: session.io.interrupts.handleFirst(),
          onStarted: (receiver) =>
            session.output.result(receiver, () => formatStartedReceiver(receiver)),
        });
        session.output.note(`The receiver has stopped. Notifications: ${formatVerdicts(counts)}.`);
      }),
    );
}
