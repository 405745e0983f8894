// A manifest must not overwrite another manifest, or a table that the pipeline reads.
import { foldPath } from '../../../language/naming/naming.ts';
import type { Json } from '../../../plan/types.ts';
import { connectorOf, fieldsOf, type NodeDraft } from '../../node-draft.ts';
import type { GraphScope } from '../check-graph.ts';

export function checkManifests(
  drafts: readonly NodeDraft[],
  tables: Readonly<Record<string, Json>>,
  { document, findings }: Pick<GraphScope, 'document' | 'findings'>,
): void {
  const owners = new Map<string, string>();
  for (const [name, table] of Object.entries(tables)) {
    const fields = fieldsOf(table);
    owners.set(fileOf(fields?.['connector'], fields?.['path']), `the table "${name}"`);
  }
  for (const node of drafts) {
    const manifest = fieldsOf(fieldsOf(node.config ?? undefined)?.['manifest']);
    const zips = Array.isArray(manifest?.['zip']) ? manifest['zip'] : [];
    const files: [path: Json | undefined, ...at: (string | number)[]][] = [
      [manifest?.['path'], 'path'],
      [manifest?.['changes'], 'changes'],
      ...zips.map((zip, at): (typeof files)[number] => [
        fieldsOf(zip)?.['path'],
        'zip',
        at,
        'path',
      ]),
    ];
    for (const [path, ...fields] of files) {
      if (typeof path !== 'string') continue;
      const place = fileOf(connectorOf(node) ?? undefined, path);
      const owner = owners.get(place);
      owners.set(place, `the manifest of "${node.id}"`);
      if (owner === undefined) continue;
      const message = `${path} is the path of ${owner} already`;
      const at = [...node.path, 'config', 'manifest', ...fields];
      findings.error('RL204', document.valueRange(at), message, 'Give it another path.');
    }
  }
}

function fileOf(connector: Json | undefined, path: Json | undefined): string {
  return JSON.stringify([connector, typeof path === 'string' ? foldPath(path) : null]);
}
