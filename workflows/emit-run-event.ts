// Emits an event from a workflow to its worker. A replay does not repeat it, and it adds nothing to the history.
import { log } from '@temporalio/workflow';
import { type RunEvent, runEventAttribute } from '../src/plan/contract/run-events.ts';

/** Sends the event as a debug line of the SDK's log. Renderline's workers read events from that log. */
export function emitRunEvent(event: RunEvent): void {
  log.debug(event.kind, { [runEventAttribute]: event });
}
