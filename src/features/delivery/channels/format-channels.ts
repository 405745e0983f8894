// Formats the channels of an export for `renderline plan`, with the overrides of the pipeline file.
import { formatPercent } from '../../../plan/helpers/format-percent.ts';
import type { ImageOptions } from '../images/image-fields.ts';
import { toImageSpec } from '../images/image-recipe.ts';

/** Returns the end of a sentence; empty if no image has a channel. */
export function formatChannels(images: readonly ImageOptions[] | undefined): string {
  const channels = (images ?? []).flatMap((image) =>
    image.channel === undefined ? [] : [`${image.channel} (${formatImage(image)})`],
  );
  return channels.length === 0 ? '' : `; makes of each picture ${channels.join(', ')}`;
}

function formatImage(image: ImageOptions): string {
  const { format, width, height, maxSide, square, fill, background } = toImageSpec(image);
  const size = width || height ? `${width ?? 'any'} x ${height ?? 'any'} pixels` : null;
  const rules = Object.entries(image.checks ?? {}).flatMap(([check, limit]) =>
    limit === false ? [] : [check],
  );
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
