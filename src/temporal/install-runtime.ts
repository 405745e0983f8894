// Temporal's runtime, which a process has once.
import { IllegalStateError, Runtime, type RuntimeOptions } from '@temporalio/worker';

/** Whoever comes first says how it is: the process may be one that uses Temporal for itself. */
export function installRuntime(options: RuntimeOptions): void {
  try {
    Runtime.install(options);
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
