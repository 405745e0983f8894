// Before each system test file: what is meant to fail would fill the output with Temporal's warnings.
import { DefaultLogger } from '@temporalio/worker';
import { installRuntime } from '../../src/temporal/install-runtime.ts';

installRuntime({ logger: new DefaultLogger('ERROR', () => undefined), shutdownSignals: [] });
