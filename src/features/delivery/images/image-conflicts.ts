import type { RenderSettings } from '../../../api/operations/renders.ts';
import type { CompileScope, OptionConflict } from '../../../engine/node-type.ts';
import { parseRequestedSettings, requestedSizeOf } from '../../renders/requested-pixels.ts';
import type { ImageOptions } from './image-fields.ts';
import { type ExportFields, fillExtension, suggestNaming } from './image-options.ts';

/** Finds images that the preceding renders cannot provide. For renders of `select`, the run reports these images. */
export function findImageConflicts(
  { images, naming, original = true }: ExportFields,
  scope: Pick<CompileScope, 'configsBefore'>,
): OptionConflict[] {
  const renders = scope.configsBefore('render');
  const settings = renders.flatMap((config) => parseRequestedSettings(config) ?? []);
  if (images === undefined || settings.length === 0) return [];
  if (settings.every(({ renderBookmarks }) => renderBookmarks === false)) {
    const message = 'are made from pictures, but only videos are rendered (renderBookmarks: false)';
    const fix = 'Remove `images`, or render bookmarks.';
    return [{ severity: 'error', path: ['images'], message, fix }];
  }
  return images.flatMap((image, index) => [
    ...findDepthConflicts(image, index, settings),
    ...findSizeConflicts(image, index, settings),
    ...findCheckConflicts(image, index, settings),
    ...(original ? findNameConflicts(image, index, settings, naming) : []),
  ]);
}

function findDepthConflicts(
  { bits }: ImageOptions,
  index: number,
  settings: RenderSettings[],
): OptionConflict[] {
  const render8Bit = settings.find(({ imageFormat }) => imageFormat !== 'TIFF');
  if (bits !== 16 || render8Bit === undefined) return [];
  const message = `16 requires a TIFF render, but this render is a ${render8Bit.imageFormat ?? 'PNG'} with 8 bits per channel`;
  const fix = 'Set `imageFormat: TIFF` in the settings of the render, or remove `bits`.';
  return [{ severity: 'error', path: ['images', index, 'bits'], message, fix }];
}

/** Returns a warning, not an error, because the platform may deliver a picture larger than requested. */
function findSizeConflicts(
  image: ImageOptions,
  index: number,
  settings: RenderSettings[],
): OptionConflict[] {
  const { padding = 0, fit = 'inside' } = image;
  const smallSize = settings.map(requestedSizeOf).find((size) => {
    const scales = (['width', 'height'] as const).flatMap((side) => {
      const pixels = image[side];
      return pixels === undefined ? [] : [(pixels - 2 * padding) / size[side]];
    });
    if (scales.length === 0) return false;
    return (fit === 'cover' ? Math.max(...scales) : Math.min(...scales)) > 1;
  });
  if (smallSize === undefined) return [];
  const message = `is larger than the requested render (${smallSize.width} x ${smallSize.height}): images are not enlarged, so this image fails unless the platform delivers a larger picture`;
  const fix =
    'Lower the size of the image, or request a larger render: `imageQuality: 2`, or a custom size.';
  const path = ['images', index, image.width === undefined ? 'height' : 'width'];
  return [{ severity: 'warning', path, message, fix }];
}

/** Returns only warnings: the platform may deliver a larger picture, and a template may have the right background. */
function findCheckConflicts(
  { checks, width, height }: ImageOptions,
  index: number,
  settings: RenderSettings[],
): OptionConflict[] {
  const { background, longestSide, shortestSide } = checks ?? {};
  const conflicts: OptionConflict[] = [];
  const warn = (check: string, message: string, fix: string) =>
    conflicts.push({ severity: 'warning', path: ['images', index, 'checks', check], message, fix });
  if (background && settings.some(({ imageFormat }) => imageFormat === 'JPEG')) {
    const message = `requires ${background}, but a render with imageFormat: JPEG is never transparent: the image passes only if the background of its template has exactly this colour`;
    const fix =
      'Render with `imageFormat: PNG` or `TIFF` and a template whose background is transparent.';
    warn('background', message, fix);
  }
  // Images of a fixed size are omitted, because `findSizeConflicts` checks them.
  if (width !== undefined || height !== undefined) return conflicts;
  const sizes = settings.map(requestedSizeOf);
  const limits = [
    ['longestSide', (longestSide || {}).min ?? 0, Math.max],
    ['shortestSide', (shortestSide || {}).min ?? 0, Math.min],
  ] as const;
  for (const [check, min, sideOf] of limits) {
    const smallSize = sizes.find((size) => sideOf(size.width, size.height) < min);
    if (smallSize === undefined) continue;
    const message = `requires at least ${min} pixels, but the requested render has ${smallSize.width} x ${smallSize.height}: images are not enlarged`;
    warn(check, message, 'Request a larger render: `imageQuality: 2`, or a custom size.');
  }
  return conflicts;
}

function findNameConflicts(
  image: ImageOptions,
  index: number,
  settings: RenderSettings[],
  naming: string,
): OptionConflict[] {
  const imageNaming = fillExtension(image, naming);
  const isNameTaken = settings.some(
    ({ imageFormat: format = 'PNG' }) => fillExtension({ format, naming }, naming) === imageNaming,
  );
  if (!isNameTaken) return [];
  const message = 'has the same name as its original';
  const fix = `Set a separate naming, such as "${suggestNaming(image, naming)}", or set \`original: false\`.`;
  return [{ severity: 'error', path: ['images', index], message, fix }];
}
