// The activity that writes the manifests of a run's exports, at the end of the run.
import { ApplicationFailure } from '@temporalio/common';
import { toSafeMessage } from '../../src/api/responses/scrub.ts';
import { ConnectorError } from '../../src/connectors/connector-error.ts';
import { openRows } from '../../src/engine/rows/open-rows.ts';
import { writeManifests as write } from '../../src/features/delivery/manifest/write-manifests.ts';
import { createConnectorResolver } from '../../src/features/discovery-source.ts';
import { type RunWarning, runCauseType } from '../../src/plan/contract/contract.ts';
import type { WriteManifestsInput } from '../../src/plan/contract/manifest-contract.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import type { Deps } from '../deps.ts';
import { runEngineActivity } from '../run-engine-activity.ts';

const maxMessageLength = 400;

export async function writeManifests(
  { context, discovery: { rows: rowsPlan, grid = [] }, manifests }: WriteManifestsInput,
  deps: Deps,
): Promise<RunWarning[] | undefined> {
  const getConnector = createConnectorResolver(context, deps.connectorOf);
  return runEngineActivity(deps, async (signal, assertLease) => {
    try {
      const store = deps.storeOf(context);
      const rows = await openRows(rowsPlan, { getConnector, grid });
      const manifestContext = { rows, getConnector, signal, assertLease };
      const warnings = await write(manifests, { store, ...manifestContext });
      return warnings.length === 0 ? undefined : warnings;
    } catch (error) {
      throw retriedFailureOf(error, deps.secrets) ?? error;
    }
  });
}

/**
 * Turns the error of a location into a failure that Temporal retries, since a run that ends cannot be paused and
 * resumed. Null for other errors.
 */
function retriedFailureOf(error: unknown, secrets: readonly string[]): ApplicationFailure | null {
  if (!(error instanceof ConnectorError)) return null;
  const { code, what, fix } = error;
  const message = toSafeMessage(what, secrets, maxMessageLength);
  const cause: RunCause = { code, message, fix, kind: 'later' };
  return ApplicationFailure.create({
    message: `${code}: ${message}`,
    type: runCauseType,
    details: [cause],
  });
}
