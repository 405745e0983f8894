// The workspace whose records a place holds is the first that wrote there. Ids in the records of another workspace mean
// nothing to this key, so a run that took them for its own would call complete what was never made.
import type { Workspace } from '../api/workspace.ts';
import type { Connector } from '../connectors/connector.ts';
import { runFailures } from '../failures/runs.ts';
import { proofOf, proveRecords } from '../store/claims/prove-records.ts';
import { addProof, type Mark, readMark, takeMark } from '../store/claims/workspace-mark.ts';
import { RunCauseError } from './engine-errors.ts';

/**
 * Writes nothing.
 * @param own asked only where the records are somebody's
 * @returns the mark of this workspace; null: nobody has marked them
 * @throws RunCauseError RECORDS_OF_OTHER_WORKSPACE
 */
export async function refuseOthersRecords(
  records: Connector,
  own: () => Promise<Workspace>,
): Promise<Mark | null> {
  const holder = await readMark(records);
  if (holder !== null) refuseOther(holder, await own(), records);
  return holder;
}

/** Places that this process has proved: a worker that knows no workspace leaves no mark. */
const provedHere = new WeakSet<Connector>();

/**
 * Proves that the place can hold records, once, and marks it for this workspace where nobody has; of several that try at once one
 * succeeds. A place that is marked and proved costs no request.
 * @param own null: nobody knows the workspace, and nothing is marked
 * @param mark as `refuseOthersRecords` has read it
 * @throws RunCauseError RECORDS_OF_OTHER_WORKSPACE
 * @throws ConnectorError RECORDS_UNSAFE
 */
export async function takeRecords(
  records: Connector,
  own: Workspace | null,
  mark: Mark | null,
): Promise<void> {
  if (mark !== null && isProved(records, mark)) return;
  if (!provedHere.has(records)) await proveRecords(records);
  provedHere.add(records);
  if (own === null) return;
  const proof = proofOf(records);
  const holder = mark ?? (await takeMark(records, { ...own, proofs: [proof] }));
  refuseOther(holder, own, records);
  if (!holder.proofs.includes(proof)) await addProof(records, holder, proof);
}

/** True where a run has proved that the place can hold records. */
export function isProved(records: Connector, mark: Mark): boolean {
  return mark.proofs.includes(proofOf(records));
}

function refuseOther(holder: Workspace, own: Workspace, records: Connector): void {
  if (holder.id === own.id) return;
  const message = `the records in ${records.describe()} are those of workspace ${wordsOf(holder)}, and this key is of workspace ${wordsOf(own)}`;
  throw new RunCauseError(runFailures.RECORDS_OF_OTHER_WORKSPACE, message);
}

function wordsOf({ id, name }: Workspace): string {
  return name === null ? id : `${id} ("${name}")`;
}
