import { IllegalStateError, Runtime, type RuntimeOptions } from '@temporalio/worker';

/** Keeps a runtime that is already installed, because a program that embeds Renderline may use Temporal itself. */
export function installRuntime(options: RuntimeOptions): void {
  try {
    Runtime.install(options);
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
