// Before each file of system tests: what is meant to fail would fill the output with Temporal's warnings.
import { DefaultLogger, makeTelemetryFilterString } from '@temporalio/worker';
import { installRuntime } from '../../src/temporal/install-runtime.ts';

installRuntime({
  shutdownSignals: [],
  // The SDK's core writes to the terminal by itself unless its lines are forwarded.
  telemetryOptions: {
    logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) },
  },
  logger: new DefaultLogger('ERROR', () => undefined),
});
