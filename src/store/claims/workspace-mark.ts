// The workspace that the records of a place are of: a small object beside the folders of its pipelines, created
// conditionally, so that of many that try exactly one succeeds.
import type { Workspace } from '../../api/workspace.ts';
import type { Connector } from '../../connectors/connector.ts';
import { JsonObjects } from '../objects/json-objects.ts';

const schema = 'renderline/workspace/v1';
/** No pipeline's folder has a dot in its name. */
const name = 'workspace.json';

/** Whose a place is, and the proofs that it can hold records (`proofOf`), oldest first. */
export interface Mark extends Workspace {
  proofs: readonly string[];
}

interface StoredMark extends Workspace {
  schema: typeof schema;
  /** Absent in marks of earlier versions. */
  proofs?: readonly string[];
}

/** A place has a few names at most: another prefix, another mount. */
const proofsKept = 16;

/** null where nobody has marked the place, as versions before did. */
export async function readMark(records: Connector): Promise<Mark | null> {
  const mark = await objectsOf(records).read<StoredMark>(name, schema);
  return mark && { id: mark.id, name: mark.name, proofs: mark.proofs ?? [] };
}

/** Marks the place for a workspace unless it is marked; tells whose it is then. */
export async function takeMark(records: Connector, mark: Mark): Promise<Mark> {
  const stored: StoredMark = { schema, ...mark };
  const answer = await objectsOf(records).write(name, stored, { ifAbsent: true, durable: true });
  return answer === 'written' ? mark : ((await readMark(records)) ?? mark);
}

/** Remembers a proof of a place that is marked. */
export async function addProof(records: Connector, mark: Mark, proof: string): Promise<void> {
  const proofs = [...mark.proofs.filter((other) => other !== proof), proof].slice(-proofsKept);
  const stored: StoredMark = { schema, ...mark, proofs };
  await objectsOf(records).write(name, stored, { durable: true });
}

function objectsOf(records: Connector): JsonObjects {
  return new JsonObjects(records, '.renderline');
}
