// The workspace that the records of a place belong to: a small object next to the folders of the pipelines. It is created
// conditionally, so that exactly one of several runs succeeds.
import type { Workspace } from '../../api/workspace.ts';
import type { Connector } from '../../connectors/connector.ts';
import { JsonObjects } from '../objects/json-objects.ts';

const schema = 'renderline/workspace/v1';
/** Folders of pipelines have no dot in their names, so none clashes with this file. */
const name = 'workspace.json';

/** The owning workspace, and the proofs that the place can hold records (`proofId`), oldest first. */
export interface WorkspaceMark extends Workspace {
  proofs: readonly string[];
}

interface StoredMark extends WorkspaceMark {
  schema: typeof schema;
}

/** Limit for proofs. A place is described in only a few ways, for example by another prefix or mount. */
const maxProofs = 16;

/** null if the place is not marked. */
export async function readMark(records: Connector): Promise<WorkspaceMark | null> {
  const mark = await objectsOf(records).read<StoredMark>(name, schema);
  return mark && { id: mark.id, name: mark.name, proofs: mark.proofs };
}

/** Marks the place for a workspace unless the place has a mark. Returns the mark that the place has now. */
export async function takeMark(records: Connector, mark: WorkspaceMark): Promise<WorkspaceMark> {
  const stored: StoredMark = { schema, ...mark };
  const outcome = await objectsOf(records).write(name, stored, { ifAbsent: true, durable: true });
  return outcome === 'written' ? mark : ((await readMark(records)) ?? mark);
}

/** Adds a proof to the mark of a place. */
export async function addProof(
  records: Connector,
  mark: WorkspaceMark,
  proof: string,
): Promise<void> {
  const proofs = [...mark.proofs.filter((other) => other !== proof), proof].slice(-maxProofs);
  const stored: StoredMark = { schema, ...mark, proofs };
  await objectsOf(records).write(name, stored, { durable: true });
}

function objectsOf(records: Connector): JsonObjects {
  return new JsonObjects(records, '.renderline');
}
