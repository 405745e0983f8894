// Checks that nothing is written to a read-only connector, that `records.folder` is used only with connectors that have
// folders, and that local connectors specify at most one host, because a run works on one host.
import { type ConnectorType, findFolderField } from '../../connectors/connector-type.ts';
import { findConnectorType } from '../../connectors/index.ts';
import type { Json } from '../../plan/types.ts';
import { findConnector, isExportNode, toFields } from '../node-draft.ts';
import type { Pipeline } from '../pipeline.ts';
import type { LocatedDocument, Path } from '../yaml/document.ts';
import type { GraphScope } from './check-graph.ts';

/** Returns the type of a connector, or null if the type is unknown or the value is not a connector. */
export function typeOfConnector(spec: Json | undefined): ConnectorType | null {
  const { type } = toFields(spec) ?? {};
  return typeof type === 'string' ? findConnectorType(type) : null;
}

/** @param fields fields of the file. Invalid ones are reported elsewhere */
export function checkConnectorAccess(
  { document, graph }: GraphScope,
  fields: Readonly<Record<string, Json>>,
): void {
  const { connectors, records } = fields;
  const typeOf = (name: string) => typeOfConnector(toFields(connectors)?.[name]);
  const hint = 'Use a connector of another type.';
  const refuse = (path: Path, message: string) => document.error('RL417', path, message, hint);
  const needWritable = (name: string, path: Path) => {
    const type = typeOf(name);
    if (type?.readOnly === true)
      refuse(path, `"${name}" is read-only, like every connector of type ${type.type}`);
  };
  for (const node of graph.nodes.filter(isExportNode)) {
    const name = findConnector(node);
    if (name !== null) needWritable(name, [...node.path, 'config', 'connector']);
  }
  for (const { config, path } of graph.nodes) {
    const { review } = toFields(config ?? undefined) ?? {};
    if (typeof review === 'string') needWritable(review, [...path, 'config', 'review']);
  }
  const { at } = toFields(toFields(fields['limits'])?.['renders']) ?? {};
  if (typeof at === 'string') needWritable(at, ['limits', 'renders', 'at']);
  if (typeof records === 'string') needWritable(records, ['records']);
  const { connector, folder } = toFields(records) ?? {};
  if (typeof connector !== 'string') return;
  needWritable(connector, ['records', 'connector']);
  const type = typeOf(connector);
  if (folder !== undefined && (type === null || findFolderField(type) === undefined)) {
    const message = `"${connector}" has no field \`path\` or \`prefix\` for a folder`;
    refuse(['records', 'folder'], message);
  }
}

export function hostsOf(pipeline: Pick<Pipeline, 'connectors'>) {
  return Object.entries(pipeline.connectors).flatMap(([connector, spec]) =>
    spec.type === 'local' && typeof spec['host'] === 'string'
      ? [{ connector, host: spec['host'] }]
      : [],
  );
}

export function checkHosts(
  pipeline: Pick<Pipeline, 'connectors'>,
  document: LocatedDocument,
): void {
  const [first, ...others] = hostsOf(pipeline);
  for (const { connector, host } of others) {
    if (first === undefined || host === first.host) continue;
    const message = `a run works on one host, and "${first.connector}" is on "${first.host}"`;
    const hint =
      'Use a folder that both hosts share, or a bucket or server for one of the two connectors.';
    document.error('RL204', ['connectors', connector, 'host'], message, hint);
  }
}
