// Keeps work from starting during a general pause, whether a schedule, an event, a person or the Temporal UI starts it.
import { RunCauseError } from '../../src/engine/engine-errors.ts';
import { runFailures } from '../../src/failures/runs.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import type { Deps } from '../deps.ts';
import { notReadyFailure } from '../failures.ts';

type PauseDeps = Pick<Deps, 'findGeneralPause'>;
type PausablePipeline = Pick<RunContext, 'pipeline'>;

const recheckMs = 5_000;

/** @throws RunCauseError, which pauses the run until the general pause ends */
export async function assertPipelineNotPaused(
  context: PausablePipeline,
  deps: PauseDeps,
): Promise<void> {
  const cause = await readPause(context, deps);
  if (cause !== null) {
    throw new RunCauseError(runFailures.ALL_PAUSED, cause.message, { fix: cause.fix });
  }
}

/**
 * Used for event triggers, which keep their events while Temporal retries the activity.
 * @throws ApplicationFailure that Temporal retries until the general pause ends
 */
export async function waitWhilePaused(context: PausablePipeline, deps: PauseDeps): Promise<void> {
  const cause = await readPause(context, deps);
  if (cause !== null) throw notReadyFailure(cause.message, recheckMs);
}

/**
 * Returns the cause of the general pause. Returns null if there is none. If Temporal cannot be read, the activity is
 * retried later, so nothing starts unchecked.
 */
async function readPause(
  { pipeline }: PausablePipeline,
  { findGeneralPause }: PauseDeps,
): Promise<RunCause | null> {
  try {
    return await findGeneralPause(pipeline);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw notReadyFailure(
      `Could not read from Temporal whether a general pause is active: ${reason}`,
      recheckMs,
    );
  }
}
