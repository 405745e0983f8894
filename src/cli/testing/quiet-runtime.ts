// Temporal's part of the process, told to be quiet: a test reports by itself what went wrong.
import { DefaultLogger, makeTelemetryFilterString } from '@temporalio/worker';
import { installRuntime } from '../../temporal/install-runtime.ts';

let isInstalled = false;

/** @param note told what Temporal calls an error, of use to who looks for a fault of ours */
export function installQuietRuntime(note: (text: string) => void): void {
  if (isInstalled) return;
  isInstalled = true;
  installRuntime({
    // Ctrl-C is the command's.
    shutdownSignals: [],
    telemetryOptions: {
      logging: {
        forward: {},
        filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }),
      },
    },
    logger: new DefaultLogger('ERROR', ({ message }) => note(message)),
  });
}
