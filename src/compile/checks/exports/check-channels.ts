// Collects the channels of a file and of the settings, and refuses those that cannot be used.
import { Channel, channelForm, channelName } from '../../../features/delivery/channels/channel.ts';
import { shippedChannels } from '../../../features/delivery/channels/shipped-channels.ts';
import type { Json } from '../../../plan/types.ts';
import { fieldsOf } from '../../node-draft.ts';
import { formatPath } from '../../yaml/shape.ts';
import type { GraphScope } from '../check-graph.ts';

/** Channels by name; a channel of the file wins. The fields of the file's channels are checked with the file. */
export function readChannels(
  inFile: Json | undefined,
  inSettings: Readonly<Record<string, unknown>>,
  { document, findings }: Pick<GraphScope, 'document' | 'findings'>,
): Readonly<Record<string, Json>> {
  const own = fieldsOf(inFile) ?? {};
  const range = document.keyRange(['channels']);
  for (const [name, channel] of Object.entries(inSettings)) {
    const problem = findProblem(name, channel);
    if (problem === null) continue;
    const message = `channel "${name}" of renderline.yaml: ${problem}`;
    findings.error('RL204', range, message, 'Correct it in renderline.yaml.');
  }
  for (const name of [...Object.keys(own), ...Object.keys(inSettings)]) {
    if (!Object.hasOwn(shippedChannels, name)) continue;
    const at = Object.hasOwn(own, name) ? document.keyRange(['channels', name]) : range;
    const message = `"${name}" is the name of a channel that Renderline ships`;
    findings.error('RL204', at, message, `Give yours another name, such as our-${name}.`);
  }
  return { ...(inSettings as Record<string, Json>), ...own };
}

function findProblem(name: string, channel: unknown): string | null {
  if (!channelName.test(name)) return `its name ${channelForm}`;
  const [issue] = Channel.safeParse(channel).error?.issues ?? [];
  if (issue === undefined) return null;
  const path = issue.path.filter((step) => typeof step !== 'symbol');
  return path.length === 0 ? issue.message : `${formatPath(path)}: ${issue.message}`;
}
