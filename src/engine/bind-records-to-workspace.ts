// Records belong to the workspace that first wrote them. With another workspace's API key, the ids in the records are
// useless, and a run would report assets as complete that were never created there.
import type { Workspace } from '../api/workspace.ts';
import type { Connector } from '../connectors/connector.ts';
import { runFailures } from '../failures/runs.ts';
import { proofIdOf, proveRecords } from '../store/claims/prove-records.ts';
import {
  addLocationTest,
  readMark,
  type WorkspaceMark,
  writeMarkIfAbsent,
} from '../store/claims/workspace-mark.ts';
import { RunCauseError } from './engine-errors.ts';

/**
 * Checks that the records are unmarked or belong to this workspace. Writes nothing.
 * @param readWorkspace called only if the records are marked
 * @returns the mark of this workspace, or null if the records are unmarked
 * @throws RunCauseError RECORDS_OF_OTHER_WORKSPACE
 */
export async function assertOwnRecords(
  records: Connector,
  readWorkspace: () => Promise<Workspace>,
): Promise<WorkspaceMark | null> {
  const holder = await readMark(records);
  if (holder !== null) assertSameWorkspace(holder, await readWorkspace(), records);
  return holder;
}

/** Locations that this process has tested. A worker that does not know its workspace leaves no mark. */
const provenHere = new WeakSet<Connector>();

/**
 * Tests once that the location can hold records, and marks it for this workspace if it is unmarked. If several runs try
 * this at once, one of them marks it. A location that is marked and tested needs no request.
 * @param workspace null if the workspace is unknown, in which case nothing is marked
 * @param mark the result of `assertOwnRecords`
 * @throws RunCauseError RECORDS_OF_OTHER_WORKSPACE
 * @throws ConnectorError RECORDS_UNSAFE
 */
export async function bindRecordsToWorkspace(
  records: Connector,
  workspace: Workspace | null,
  mark: WorkspaceMark | null,
): Promise<void> {
  if (mark !== null && isWorkspaceProven(records, mark)) return;
  if (!provenHere.has(records)) await proveRecords(records);
  provenHere.add(records);
  if (workspace === null) return;
  const proof = proofIdOf(records);
  const holder = mark ?? (await writeMarkIfAbsent(records, { ...workspace, proofs: [proof] }));
  assertSameWorkspace(holder, workspace, records);
  if (!holder.proofs.includes(proof)) await addLocationTest(records, holder, proof);
}

/** True if a run has tested that the location can hold records. */
export function isWorkspaceProven(records: Connector, mark: WorkspaceMark): boolean {
  return mark.proofs.includes(proofIdOf(records));
}

function assertSameWorkspace(holder: Workspace, workspace: Workspace, records: Connector): void {
  if (holder.id === workspace.id) return;
  const message = `the records in ${records.describe()} belong to workspace ${formatWorkspace(holder)}, but the API key belongs to workspace ${formatWorkspace(workspace)}`;
  throw new RunCauseError(runFailures.RECORDS_OF_OTHER_WORKSPACE, message);
}

function formatWorkspace({ id, name }: Workspace): string {
  return name === null ? id : `${id} ("${name}")`;
}
