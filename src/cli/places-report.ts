// What is known of the places that a plan writes into, without a write and with one.
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
  /** False where no run, and no `doctor`, has tried the place yet. */
  proved: boolean;
}

/**
 * Writes nothing.
 * @throws ConnectorError where a place says by itself that it cannot be written as is needed
 */
export async function recordsReport(plan: Plan): Promise<RecordsReport> {
  await checkWrittenPlaces(plan, connectorUsesOf(plan.steps), openConnector);
  const records = openConnector(plan.records);
  const mark = await readMark(records);
  return { place: records.describe(), proved: mark !== null && isProved(records, mark) };
}

/** Tries the places that plans write into, each once: a small file comes and goes where records are kept. */
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
  // A place that no run has marked is marked, and proved, by its first run.
  const mark = await readMark(records);
  if (mark !== null && !isProved(records, mark)) await addProof(records, mark, proofOf(records));
  return [
    ok('records', `${records.describe()}: a file was created once, listed, replaced and deleted`),
  ];
}

/** None where a place does not say by itself what it can. */
async function askOutputs(place: Connector): Promise<Check[]> {
  if (place.checkWritable === undefined) return [];
  await place.checkWritable();
  return [ok('outputs', `${place.describe()}: the server can replace files in one step`)];
}

function onceEach(places: readonly Connector[]): Connector[] {
  return [...new Map(places.map((place) => [place.describe(), place])).values()];
}
