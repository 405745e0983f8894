import type { ConfigCompletion, ConfigProblem } from '../../../engine/node-type.ts';
import { formatSuggestion } from '../../../language/format-suggestion.ts';
import { formatPercent } from '../../../plan/helpers/format-percent.ts';
import type { Json } from '../../../plan/types.ts';
import type { ImageOptions } from '../images/image-fields.ts';
import { toImageSpec } from '../images/image-recipe.ts';
import { shippedChannels } from './shipped-channels.ts';

type Fields = Readonly<Record<string, Json>>;

/** Fields of a fixed size. An image has either these or `frameFields`, which derive its size from the original. */
const exactFields = ['width', 'height', 'fit', 'padding'];
const frameFields = ['maxSide', 'square', 'fill'];
/** Fields that apply only to some formats. */
const formatFields = ['quality', 'maxBytes', 'bits'];

/**
 * Adds the channels' fields, and reports unknown channels.
 * @param ownChannels channels of file and settings, by name
 */
export function applyChannels(config: Fields, ownChannels: Fields): ConfigCompletion {
  const { images } = config;
  if (!Array.isArray(images)) return { config, problems: [] };
  const problems: ConfigProblem[] = [];
  const completedImages = images.map((image: Json, index): Json => {
    if (!isFieldMapping(image) || typeof image['channel'] !== 'string') return image;
    const name = image['channel'];
    const channel = findChannel(name, ownChannels);
    if (channel !== null) return mergeImage(channel, image);
    const names = [...Object.keys(ownChannels), ...Object.keys(shippedChannels)];
    const message = `refers to the channel "${name}", which does not exist`;
    const fix = formatSuggestion(name, names) ?? `Available channels: ${names.join(', ')}.`;
    problems.push({ path: ['images', index, 'channel'], message, fix });
    return image;
  });
  return { config: { ...config, images: completedImages }, problems };
}

function findChannel(name: string, ownChannels: Fields): Fields | null {
  const channels = [ownChannels, shippedChannels].find((table) => Object.hasOwn(table, name));
  const channel: unknown = channels?.[name];
  return isFieldMapping(channel) ? channel : null;
}

function mergeImage(channel: Fields, image: Fields): Fields {
  const { description: _description, sources: _sources, checks, ...fields } = channel;
  const isOwn = (name: string) => image[name] !== undefined;
  const replaced = [
    ...(exactFields.some(isOwn) ? frameFields : []),
    ...(frameFields.some(isOwn) ? exactFields : []),
    ...(isOwn('format') && image['format'] !== fields['format'] ? formatFields : []),
  ];
  const channelFields = Object.entries(fields).filter(([name]) => !replaced.includes(name));
  const checkSets = [checks, image['checks']].filter(isFieldMapping);
  return {
    ...Object.fromEntries(channelFields),
    ...image,
    ...(checkSets.length > 0 && (isFieldMapping(image['checks']) || !isOwn('checks'))
      ? { checks: Object.assign({}, ...checkSets) as Json }
      : {}),
  };
}

function isFieldMapping(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the end of a sentence, or an empty string if no image has a channel. */
export function formatChannels(images: readonly ImageOptions[] | undefined): string {
  const channels = (images ?? []).flatMap((image) =>
    image.channel === undefined ? [] : [`${image.channel} (${formatImage(image)})`],
  );
  return channels.length === 0 ? '' : `; makes of each picture ${channels.join(', ')}`;
}

function formatImage(image: ImageOptions): string {
  const { format, width, height, maxSide, square, fill, background } = toImageSpec(image);
  const size = width || height ? `${width ?? 'any'} x ${height ?? 'any'} pixels` : null;
  const { checks = {} } = image;
  const rules = Object.entries(checks).flatMap(([check, rule]) => (rule === false ? [] : check));
  const parts = [
    format,
    size,
    maxSide === undefined ? null : `at most ${maxSide} pixels`,
    square ? 'square' : null,
    fill === undefined ? null : `filled to ${formatPercent(fill)}`,
    background === undefined ? null : `on ${background}`,
    image.naming === undefined ? null : `as ${image.naming}`,
    rules.length === 0 ? null : `checks ${rules.join(' and ')}`,
  ];
  return parts.filter((part) => part !== null).join(', ');
}
