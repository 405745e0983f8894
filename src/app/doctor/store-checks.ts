// Tests the records stores of plans with a file, and checks the capabilities of the servers of their destinations.

import type { Connector } from '../../connectors/connector.ts';
import { openConnector } from '../../connectors/index.ts';
import { isWorkspaceProven } from '../../engine/bind-records-to-workspace.ts';
import { exportDestinations } from '../../features/destinations.ts';
import { connectorUsesOf } from '../../plan/contract/connector-uses.ts';
import type { Plan } from '../../plan/types.ts';
import { proofIdOf, proveRecords } from '../../store/claims/prove-records.ts';
import { addLocationTest, readMark } from '../../store/claims/workspace-mark.ts';
import { type Check, createPassedCheck, runCheck } from './health-check.ts';

/** Tests each store and destination of the plans once. In a records store, creates and deletes a small file. */
export async function checkStores(plans: readonly Plan[]): Promise<Check[]> {
  const records = plans.map((plan) => openConnector(plan.records));
  const outputs = plans.flatMap(({ steps, connectors }) =>
    exportDestinations(connectorUsesOf(steps), connectors).map((spec) => openConnector(spec)),
  );
  const checks: Check[] = [];
  for (const connector of removeDuplicates(records))
    checks.push(...(await runCheck('records', () => checkRecords(connector))));
  for (const connector of removeDuplicates(outputs))
    checks.push(...(await runCheck('outputs', () => checkOutputs(connector))));
  return checks;
}

async function checkRecords(records: Connector): Promise<Check[]> {
  await proveRecords(records);
  // A store without a mark need not be tested here, because its first run writes both.
  const mark = await readMark(records);
  if (mark !== null && !isWorkspaceProven(records, mark))
    await addLocationTest(records, mark, proofIdOf(records));
  const message = `${records.describe()}: a file was created once, listed, replaced and deleted`;
  return [createPassedCheck('records', message)];
}

/** Checks that a server can replace files in one step. Returns no checks for connectors that cannot report this. */
async function checkOutputs(connector: Connector): Promise<Check[]> {
  if (connector.checkWritable === undefined) return [];
  await connector.checkWritable();
  const message = `${connector.describe()}: the server can replace files atomically`;
  return [createPassedCheck('outputs', message)];
}

function removeDuplicates(connectors: readonly Connector[]): Connector[] {
  return [...new Map(connectors.map((connector) => [connector.describe(), connector])).values()];
}
