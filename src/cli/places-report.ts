// Checks the records store and the destinations of plans, without writing (`plan`) and with a test file (`doctor`).
import { checkWrittenPlaces, destinationsOf } from '../capabilities/written-places.ts';
import type { Connector } from '../connectors/connector.ts';
import { openConnector } from '../connectors/index.ts';
import { isProved } from '../machinery/own-records.ts';
import { connectorUsesOf } from '../plan/connector-uses.ts';
import type { Plan } from '../plan/types.ts';
import { proofOf, proveRecords } from '../store/claims/prove-records.ts';
import { addProof, readMark } from '../store/claims/workspace-mark.ts';
import { attempt, type Check, ok } from './health-check.ts';

export interface RecordsReport {
  place: string;
  /** False until a run or `doctor` has tested the store. */
  proved: boolean;
}

/**
 * Reads whether the records store was tested before. Writes nothing.
 * @throws ConnectorError when a store or destination reports that it cannot be written as needed
 */
export async function recordsReport(plan: Plan): Promise<RecordsReport> {
  await checkWrittenPlaces(plan, connectorUsesOf(plan.steps), openConnector);
  const records = openConnector(plan.records);
  const mark = await readMark(records);
  return { place: records.describe(), proved: mark !== null && isProved(records, mark) };
}

/** Tests each store and destination of the plans once. In records stores it creates and deletes a small file. */
export async function checkPlaces(plans: readonly Plan[]): Promise<Check[]> {
  const records = plans.map((plan) => openConnector(plan.records));
  const outputs = plans.flatMap(({ steps, connectors }) =>
    destinationsOf(connectorUsesOf(steps), connectors).map((spec) => openConnector(spec)),
  );
  const checks: Check[] = [];
  for (const place of onceEach(records))
    checks.push(...(await attempt('records', () => tryRecords(place))));
  for (const place of onceEach(outputs))
    checks.push(...(await attempt('outputs', () => askOutputs(place))));
  return checks;
}

async function tryRecords(records: Connector): Promise<Check[]> {
  await proveRecords(records);
  // A store without a mark gets its mark and proof from its first run.
  const mark = await readMark(records);
  if (mark !== null && !isProved(records, mark)) await addProof(records, mark, proofOf(records));
  return [
    ok('records', `${records.describe()}: a file was created once, listed, replaced and deleted`),
  ];
}

/** Returns no checks for a connector that cannot report its abilities. */
async function askOutputs(place: Connector): Promise<Check[]> {
  if (place.checkWritable === undefined) return [];
  await place.checkWritable();
  return [ok('outputs', `${place.describe()}: the server can replace files in one step`)];
}

function onceEach(places: readonly Connector[]): Connector[] {
  return [...new Map(places.map((place) => [place.describe(), place])).values()];
}
