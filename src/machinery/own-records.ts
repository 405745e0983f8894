// Records belong to the workspace that wrote them first. Ids in the records of another workspace mean nothing to this API
// key: a run that used them would report assets as complete that were never created.
import type { Workspace } from '../api/workspace.ts';
import type { Connector } from '../connectors/connector.ts';
import { runFailures } from '../failures/runs.ts';
import { proofOf, proveRecords } from '../store/claims/prove-records.ts';
import { addProof, type Mark, readMark, takeMark } from '../store/claims/workspace-mark.ts';
import { RunCauseError } from './engine-errors.ts';

/**
 * Checks that the records are unmarked or belong to this workspace. Writes nothing.
 * @param own called only if the records are marked
 * @returns the mark of this workspace; null if the records are unmarked
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

/** Locations that this process has tested, because a worker without a known workspace leaves no mark. */
const provedHere = new WeakSet<Connector>();

/**
 * Tests once that the location can hold records, and marks it for this workspace if it is unmarked; of several concurrent
 * attempts one succeeds. A location that is marked and tested costs no request.
 * @param own null: the workspace is unknown, and nothing is marked
 * @param mark the result of `refuseOthersRecords`
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

/** True if a run has tested that the location can hold records. */
export function isProved(records: Connector, mark: Mark): boolean {
  return mark.proofs.includes(proofOf(records));
}

function refuseOther(holder: Workspace, own: Workspace, records: Connector): void {
  if (holder.id === own.id) return;
  const message = `the records in ${records.describe()} belong to workspace ${wordsOf(holder)}, but this key belongs to workspace ${wordsOf(own)}`;
  throw new RunCauseError(runFailures.RECORDS_OF_OTHER_WORKSPACE, message);
}

function wordsOf({ id, name }: Workspace): string {
  return name === null ? id : `${id} ("${name}")`;
}
