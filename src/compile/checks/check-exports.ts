// Collects the channels and refuses unusable ones. Manifests must not overwrite each other or a table that is read.
import { formatIssue } from '../../api/format-issue.ts';
import { Channel, channelForm, channelName } from '../../features/delivery/channels/channel.ts';
import { shippedChannels } from '../../features/delivery/channels/shipped-channels.ts';
import { foldPath } from '../../language/naming/naming.ts';
import type { Json } from '../../plan/types.ts';
import { findConnector, type NodeDraft, toFields } from '../node-draft.ts';
import type { LocatedDocument, Path } from '../yaml/document.ts';
import { formatPath } from '../yaml/shape.ts';

/** Reads channels by name. Those of the file take precedence. Their fields are checked together with the file. */
export function readChannels(
  inFile: Json | undefined,
  inSettings: Readonly<Record<string, unknown>>,
  document: LocatedDocument,
): Readonly<Record<string, Json>> {
  const fileChannels = toFields(inFile) ?? {};
  for (const [name, channel] of Object.entries(inSettings)) {
    const problem = findProblem(name, channel);
    if (problem === null) continue;
    const message = `channel "${name}" of renderline.yaml: ${problem}`;
    document.errorAtKey('RL204', ['channels'], message, 'Correct the channel in renderline.yaml.');
  }
  for (const name of [...Object.keys(fileChannels), ...Object.keys(inSettings)]) {
    if (!Object.hasOwn(shippedChannels, name)) continue;
    const path = Object.hasOwn(fileChannels, name) ? ['channels', name] : ['channels'];
    const message = `"${name}" is the name of a channel that Renderline ships`;
    document.errorAtKey('RL204', path, message, `Rename your channel, for example to our-${name}.`);
  }
  return { ...(inSettings as Record<string, Json>), ...fileChannels };
}

function findProblem(name: string, channel: unknown): string | null {
  if (!channelName.test(name)) return `its name ${channelForm}`;
  const [issue] = Channel.safeParse(channel).error?.issues ?? [];
  if (issue === undefined) return null;
  const path = issue.path.filter((step) => typeof step !== 'symbol');
  return path.length === 0 ? formatIssue(issue) : `${formatPath(path)}: ${formatIssue(issue)}`;
}

export function checkManifests(
  drafts: readonly NodeDraft[],
  tables: Readonly<Record<string, Json>>,
  document: LocatedDocument,
): void {
  const owners = new Map<string, string>();
  for (const [name, table] of Object.entries(tables)) {
    const fields = toFields(table);
    owners.set(fileOf(fields?.['connector'], fields?.['path']), `the table "${name}"`);
  }
  for (const node of drafts) {
    const manifest = toFields(toFields(node.config ?? undefined)?.['manifest']);
    const zips = Array.isArray(manifest?.['zip']) ? manifest['zip'] : [];
    const files: { path: Json | undefined; fields: Path }[] = [
      { path: manifest?.['path'], fields: ['path'] },
      { path: manifest?.['changes'], fields: ['changes'] },
      ...zips.map((zip, index) => ({
        path: toFields(zip)?.['path'],
        fields: ['zip', index, 'path'],
      })),
    ];
    for (const { path, fields } of files) {
      if (typeof path !== 'string') continue;
      const fileKey = fileOf(findConnector(node) ?? undefined, path);
      const owner = owners.get(fileKey);
      owners.set(fileKey, `the manifest of "${node.id}"`);
      if (owner === undefined) continue;
      const message = `${path} is already the path of ${owner}`;
      const fieldPath = [...node.path, 'config', 'manifest', ...fields];
      document.error('RL204', fieldPath, message, 'Use another path.');
    }
  }
}

function fileOf(connector: Json | undefined, path: Json | undefined): string {
  return JSON.stringify([connector, typeof path === 'string' ? foldPath(path) : null]);
}
