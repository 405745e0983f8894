// Keeps work from starting during a general pause, whoever or whatever starts it: a schedule, an event, a person, Temporal's UI.
import { RunCauseError } from '../../src/engine/engine-errors.ts';
import { runFailures } from '../../src/failures/runs.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import type { Deps } from '../deps.ts';
import { notYet } from '../failures.ts';

type PauseDeps = Pick<Deps, 'generalPause'>;

/** @throws RunCauseError, which pauses the run until the general pause ends */
export async function refuseWhilePaused(
  { pipeline }: Pick<RunContext, 'pipeline'>,
  { generalPause }: PauseDeps,
): Promise<void> {
  const cause = await generalPause(pipeline);
  if (cause !== null) {
    throw new RunCauseError(runFailures.ALL_PAUSED, cause.message, { fix: cause.fix });
  }
}

/** An event trigger keeps its events while Temporal retries its call. */
const recheckMs = 5_000;

/** @throws ApplicationFailure that Temporal retries until the general pause ends */
export async function waitWhilePaused(
  { pipeline }: Pick<RunContext, 'pipeline'>,
  { generalPause }: PauseDeps,
): Promise<void> {
  const cause = await generalPause(pipeline);
  if (cause !== null) throw notYet(cause.message, recheckMs);
}
