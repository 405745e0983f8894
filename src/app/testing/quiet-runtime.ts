// Silences Temporal's runtime in this process, because tests report failures themselves.
import { DefaultLogger, makeTelemetryFilterString } from '@temporalio/worker';
import { installRuntime } from '../worker/install-runtime.ts';

let isInstalled = false;

/** @param note receives Temporal's error log, which helps with debugging Renderline itself */
export function installQuietRuntime(note: (text: string) => void): void {
  if (isInstalled) return;
  isInstalled = true;
  installRuntime({
    // The command itself handles Ctrl-C, so the runtime must not.
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
