// `renderline worker`: executes runs until it is stopped.
import type { Command } from '@commander-js/extra-typings';
import { serveWorker } from '../../../app/worker/serve-worker.ts';
import { sharedOptions } from '../../options.ts';
import type { Session } from '../../session.ts';
import { formatStartedWorker } from '../../worker/format.ts';

export function declareWorker(command: Command, session: Session): void {
  command
    .option(...sharedOptions.healthPort)
    .option(...sharedOptions.healthHost)
    .option(...sharedOptions.metricsPort)
    .option(...sharedOptions.metricsHost)
    .option(...sharedOptions.hostOfWorker)
    .option(
      '--deployment <name>',
      'deployment of this worker, which keeps runs on the build that started them; `none` disables versioning (default: the deployment of the task queue)',
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
    .option(
      '--target-memory <share>',
      'accept more work while memory use is below this share, such as 0.8',
    )
    .option(
      '--target-cpu <share>',
      'accept more work while CPU use is below this share, such as 0.9',
    )
    .option('--pollers <n>', 'pollers per task queue, or auto (default: 10)')
    .action(
      session.action(async (options) => {
        await serveWorker(session, options, {
          stop: session.io.interrupts.handleFirst(),
          onStarted: (worker) =>
            session.output.result(worker.shape, () => formatStartedWorker(worker)),
        });
        session.output.note('The worker has stopped.');
      }),
    );
}
