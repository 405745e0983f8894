// The workspace whose records a place holds is the first that wrote there. Ids in the records of another workspace mean
// nothing to this key, so a run that took them for its own would call complete what was never made.
import type { Workspace } from '../api/workspace.ts';
import type { Connector } from '../connectors/connector.ts';
import { runFailures } from '../failures/runs.ts';
import { readMark, takeMark } from '../store/claims/workspace-mark.ts';
import { RunCauseError } from './engine-errors.ts';

/**
 * Writes nothing.
 * @param own asked only where the records are somebody's
 * @returns whether they are this workspace's; false: nobody has marked them
 * @throws RunCauseError RECORDS_OF_OTHER_WORKSPACE
 */
export async function refuseOthersRecords(
  records: Connector,
  own: () => Promise<Workspace>,
): Promise<boolean> {
  const holder = await readMark(records);
  if (holder === null) return false;
  refuseOther(holder, await own(), records);
  return true;
}

/**
 * Marks records that nobody has marked; of several that try at once one succeeds.
 * @throws RunCauseError RECORDS_OF_OTHER_WORKSPACE
 */
export async function takeRecords(records: Connector, own: Workspace): Promise<void> {
  refuseOther(await takeMark(records, own), own, records);
}

function refuseOther(holder: Workspace, own: Workspace, records: Connector): void {
  if (holder.id === own.id) return;
  const message = `the records in ${records.describe()} are those of workspace ${wordsOf(holder)}, and this key is of workspace ${wordsOf(own)}`;
  throw new RunCauseError(runFailures.RECORDS_OF_OTHER_WORKSPACE, message);
}

function wordsOf({ id, name }: Workspace): string {
  return name === null ? id : `${id} ("${name}")`;
}
