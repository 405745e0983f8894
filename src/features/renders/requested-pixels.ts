// Computes the picture size that a `render` node requests, and the maximum size of pictures that are decoded. Pure.
import { z } from 'zod';
import { RenderSettings } from '../../api/operations/renders.ts';
import type { CompileScope } from '../../engine/node-type.ts';
import { defaultMaxPixels } from '../../pictures/picture-header.ts';
import { settingsOfViews, Views } from './render-views.ts';

const standard = [
  { width: 1_280, height: 720 },
  { width: 1_920, height: 1_080 },
  { width: 3_840, height: 2_160 },
] as const;

/** Pictures up to this size are always decoded. A picture of this size takes a fifth of a second and 80 MB. */
export const alwaysDecodedPixels = 4_096 * 4_096;
/** Factor for the decoded size, because the platform may deliver a picture with twice the width and height. */
export const maxUpscaleFactor = 4;

/** Maximum number of pixels that the decoder accepts. */
export const maxPixels = 16_383 * 16_383;

const RenderConfig = z.object({ settings: RenderSettings.default({}), views: Views.optional() });

/** Returns width times height of the largest requested picture, or null if the configuration is invalid. */
export function findRequestedPixels(config: unknown): number | null {
  const sizes = parseRequestedSettings(config)?.map(requestedSizeOf);
  return sizes ? Math.max(...sizes.map(({ width, height }) => width * height)) : null;
}

/** Returns the settings of each view, or the node's own if it has no views. Null if the configuration is invalid. */
export function parseRequestedSettings(config: unknown): RenderSettings[] | null {
  const { data } = RenderConfig.safeParse(config);
  return data === undefined ? null : settingsOfViews(data.settings, data.views);
}

/**
 * Returns the limit for pictures of the preceding renders, so that pictures much larger than requested are not decoded.
 * Returns undefined if there are no preceding renders, or if one has an unknown size, because it may be the largest.
 */
export function findMaxPixels(scope: Pick<CompileScope, 'configsBefore'>): number | undefined {
  const requestedSizes = scope.configsBefore('render').map(findRequestedPixels);
  const knownPixels = requestedSizes.flatMap((pixels) => pixels ?? []);
  const isKnown = knownPixels.length > 0 && knownPixels.length === requestedSizes.length;
  return isKnown ? maxPixelsOf(Math.max(...knownPixels)) : undefined;
}

/** Returns the limit of decoded pixels. The margin is capped at the limit for unknown sizes, to bound memory. */
export function maxPixelsOf(pixels: number): number {
  const withMargin = Math.min(maxUpscaleFactor * pixels, defaultMaxPixels);
  return Math.min(maxPixels, Math.max(alwaysDecodedPixels, pixels, withMargin));
}

/** Returns the requested size of a still. The platform may deliver a larger picture. */
export function requestedSizeOf(settings: RenderSettings): { width: number; height: number } {
  const size = standard[settings.imageQuality ?? 1];
  if (settings.imageCustomResolution !== true) return size;
  const { imageCustomWidth: width = size.width, imageCustomHeight: height = size.height } =
    settings;
  return { width, height };
}
