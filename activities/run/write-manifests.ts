// The activity that writes the manifests of a run's exports, when all its files are delivered and withdrawn.
import { ApplicationFailure } from '@temporalio/common';
import { openRows } from '../../src/engine/rows/open-rows.ts';
import { writeManifests as write } from '../../src/features/delivery/manifest/write-manifests.ts';
import { connectorResolver } from '../../src/features/discovery-source.ts';
import { runCauseType } from '../../src/plan/contract/contract.ts';
import type { WriteManifestsInput } from '../../src/plan/contract/manifest-contract.ts';
import type { Deps } from '../deps.ts';
import { runEngineActivity } from '../engine-activity.ts';
import { runCauseOf } from '../failures.ts';

export async function writeManifests(
  { context, discovery: { rows: planned, grid = [] }, manifests }: WriteManifestsInput,
  deps: Deps,
): Promise<void> {
  const connectorNamed = connectorResolver(context, deps.connector);
  return runEngineActivity(deps, async (signal, assertLease) => {
    try {
      const store = deps.store(context);
      const rows = await openRows(planned, { connectorNamed, grid });
      await write(manifests, { store, rows, connectorNamed, signal, assertLease });
    } catch (error) {
      throw retriedCause(error, deps.secrets) ?? error;
    }
  });
}

/** At the end of a run nobody waits to resume it, so causes that would pause it are retried. */
function retriedCause(error: unknown, secrets: readonly string[]): ApplicationFailure | null {
  const cause = runCauseOf(error, secrets);
  if (cause === null || cause.kind === 'never') return null;
  const message = `${cause.code}: ${cause.message}`;
  return ApplicationFailure.create({ message, type: runCauseType, details: [cause] });
}
