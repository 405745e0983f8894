// Emits an event to the worker, once and not in a replay. It adds nothing to the history.
import { log } from '@temporalio/workflow';
import { type RunEvent, runEventAttribute } from '../src/plan/contract/run-events.ts';

/** Sent as a debug line of the SDK's log, which every worker accepts and only ours interprets. */
export function emitRunEvent(event: RunEvent): void {
  log.debug(event.kind, { [runEventAttribute]: event });
}
