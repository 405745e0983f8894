// The workspace that the records of a place are of: a small object beside the folders of its pipelines, created
// conditionally, so that of many that try exactly one succeeds.
import type { Workspace } from '../../api/workspace.ts';
import type { Connector } from '../../connectors/connector.ts';
import { JsonObjects } from '../objects/json-objects.ts';

const schema = 'renderline/workspace/v1';
/** No pipeline's folder has a dot in its name. */
const name = 'workspace.json';

interface Mark extends Workspace {
  schema: typeof schema;
}

/** null where nobody has marked the place, as versions before did. */
export async function readMark(records: Connector): Promise<Workspace | null> {
  const mark = await objectsOf(records).read<Mark>(name, schema);
  return mark && { id: mark.id, name: mark.name };
}

/** Marks the place for a workspace unless it is marked; tells whose it is then. */
export async function takeMark(records: Connector, { id, name: called }: Workspace) {
  const objects = objectsOf(records);
  const mark: Mark = { schema, id, name: called };
  const options = { ifAbsent: true, durable: true };
  if ((await objects.write(name, mark, options)) === 'written') return mark;
  return (await readMark(records)) ?? mark;
}

function objectsOf(records: Connector): JsonObjects {
  return new JsonObjects(records, '.renderline');
}
