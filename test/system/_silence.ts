// Runs before each file of system tests: keeps Temporal's warnings about intended failures out of the output.
import { DefaultLogger, makeTelemetryFilterString } from '@temporalio/worker';
import { installRuntime } from '../../src/app/worker/install-runtime.ts';

installRuntime({
  shutdownSignals: [],
  // The SDK's core writes to the terminal itself unless its log lines are forwarded.
  telemetryOptions: {
    logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) },
  },
  logger: new DefaultLogger('ERROR', () => undefined),
});
