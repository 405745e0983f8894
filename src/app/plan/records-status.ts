// Reads whether the records store of a plan was tested before.
import { openConnector } from '../../connectors/index.ts';
import { isProven } from '../../engine/claim-records.ts';
import { checkDestinations } from '../../features/destinations.ts';
import { connectorUsesOf } from '../../plan/contract/connector-uses.ts';
import type { Plan } from '../../plan/types.ts';
import { readMark } from '../../store/claims/workspace-mark.ts';

export interface RecordsStatus {
  place: string;
  /** False until a run or `doctor` has tested the store. */
  proved: boolean;
}

/**
 * Reads whether the records store was tested before. Writes nothing.
 * @throws ConnectorError when a store or destination reports that it cannot be written as needed
 */
export async function readRecordsStatus(plan: Plan): Promise<RecordsStatus> {
  await checkDestinations(plan, connectorUsesOf(plan.steps), openConnector);
  const records = openConnector(plan.records);
  const mark = await readMark(records);
  return { place: records.describe(), proved: mark !== null && isProven(records, mark) };
}
