// Generates the page of the shipped channels, with their images, checks and the source of each rule.
import type { Channel } from '../../src/features/delivery/channels/channel.ts';
import { shippedChannels } from '../../src/features/delivery/channels/shipped-channels.ts';
import { formatPage, formatTable, generatedNote, toCode } from './markdown.ts';

export function formatChannelsPage(): string {
  return formatPage(
    generatedNote,
    '# Channels',
    'A channel describes the images of a shop or marketplace: how an image is made, and which checks it must pass. An image of an `export` refers to a channel: `images: [{ channel: amazon-main }]`. Fields next to the name replace those of the channel. [Amazon and web from one render](how-to/amazon-and-web.md) shows how; all fields are in [`export`](nodes/export.md).',
    'Rules change. Compare them with the source before you rely on them. A rule that is marked *unverified* was taken from pages that quote the source, because the source itself was not readable.',
    ...Object.entries(shippedChannels).flatMap(([name, channel]) => formatChannel(name, channel)),
  );
}

function formatChannel(name: string, channel: Channel): string[] {
  const { description = '', sources = [], checks, ...settings } = channel;
  const fields = [
    ...Object.entries(settings),
    ...Object.entries(checks ?? {}).map(([check, limit]) => [`checks.${check}`, limit] as const),
  ];
  const sourceOf = (field: string) => {
    const source = sources.find(({ rules }) => rules.includes(field));
    return source === undefined ? '' : formatSource(source);
  };
  return [
    `## ${toCode(name)}`,
    description,
    formatTable(
      ['field', 'value', 'source'],
      fields.map(([field, value]) => [toCode(field), toCode(formatValue(value)), sourceOf(field)]),
    ),
  ];
}

function formatSource({ says, url, read }: NonNullable<Channel['sources']>[number]): string {
  if (url === undefined) return says;
  return `${says} [Source](${url})${read === undefined ? ', *unverified*' : `, read on ${read}`}`;
}

function formatValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(
    ([name, fieldValue]) => `${name}: ${String(fieldValue)}`,
  );
  return `{ ${fields.join(', ')} }`;
}
