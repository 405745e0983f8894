// The workspace of the records at a location: an object, created conditionally, so that one run wins.
import type { Workspace } from '../../api/workspace.ts';
import type { Connector } from '../../connectors/connector.ts';
import { JsonObjects } from '../objects/json-objects.ts';

const schema = 'renderline/workspace/v1';
/** Folders of pipelines have no dot in their names, so none clashes with this file. */
const name = 'workspace.json';

/** The owning workspace, and the proofs that the location can hold records (`proofIdOf`), oldest first. */
export interface WorkspaceMark extends Workspace {
  proofs: readonly string[];
}

interface StoredMark extends WorkspaceMark {
  schema: typeof schema;
}

/** Maximum number of proofs. A location is described in only a few ways, for example by another prefix or mount. */
const maxProofs = 16;

/** Reads the mark of a location. Returns null if it has none. */
export async function readMark(records: Connector): Promise<WorkspaceMark | null> {
  const mark = await objectsOf(records).read<StoredMark>(name, schema);
  return mark && { id: mark.id, name: mark.name, proofs: mark.proofs };
}

/** Marks a location for a workspace unless it has a mark. Returns the mark that the location has now. */
export async function writeMarkIfAbsent(
  records: Connector,
  mark: WorkspaceMark,
): Promise<WorkspaceMark> {
  const storedMark: StoredMark = { schema, ...mark };
  const outcome = await objectsOf(records).write(name, storedMark, { ifAbsent: true });
  return outcome === 'written' ? mark : ((await readMark(records)) ?? mark);
}

/** Adds a proof to the mark of a location. */
export async function addLocationTest(
  records: Connector,
  mark: WorkspaceMark,
  proof: string,
): Promise<void> {
  const proofs = [...mark.proofs.filter((other) => other !== proof), proof].slice(-maxProofs);
  const storedMark: StoredMark = { schema, ...mark, proofs };
  await objectsOf(records).write(name, storedMark);
}

function objectsOf(records: Connector): JsonObjects {
  return new JsonObjects(records, '.renderline');
}
