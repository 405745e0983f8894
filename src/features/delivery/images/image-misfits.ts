// Checks whether the renders before an export can serve its `images`. Pure.
import type { RenderSettings } from '../../../api/operations/renders.ts';
import type { CompileScope, OptionConflict } from '../../../engine/node-type.ts';
import { requestedSettings, requestedSize } from '../../renders/requested-pixels.ts';
import {
  type ExportFields,
  type ImageOptions,
  namingWithExtension,
  suggestNaming,
} from './image-options.ts';

/** Cannot check renders that a selection brings; for those the run reports the problem. */
export function imageMisfits(
  { images, naming, original = true }: ExportFields,
  scope: Pick<CompileScope, 'configsBefore'>,
): OptionConflict[] {
  const settings = scope
    .configsBefore('render')
    .flatMap((config) => requestedSettings(config) ?? []);
  if (images === undefined || settings.length === 0) return [];
  if (settings.every(({ renderBookmarks }) => renderBookmarks === false)) {
    return [
      {
        severity: 'error',
        path: ['images'],
        message:
          'are made of pictures, and only videos are rendered before (renderBookmarks: false)',
        fix: 'Remove `images`, or render bookmarks.',
      },
    ];
  }
  return images.flatMap((image, index) => [
    ...depthMisfits(image, index, settings),
    ...sizeMisfits(image, index, settings),
    ...(original ? nameMisfits(image, index, settings, naming) : []),
  ]);
}

function depthMisfits(
  { bits }: ImageOptions,
  index: number,
  settings: RenderSettings[],
): OptionConflict[] {
  const shallow = settings.find(({ imageFormat }) => imageFormat !== 'TIFF');
  if (bits !== 16 || shallow === undefined) return [];
  return [
    {
      severity: 'error',
      path: ['images', index, 'bits'],
      message: `16 cannot be made of a ${shallow.imageFormat ?? 'PNG'}, which has 8 bits a channel`,
      fix: 'Set `imageFormat: TIFF` in the settings of the render, or leave `bits` out.',
    },
  ];
}

/** Only a warning, because the platform may deliver a picture larger than requested. */
function sizeMisfits(
  image: ImageOptions,
  index: number,
  settings: RenderSettings[],
): OptionConflict[] {
  const { padding = 0, fit = 'inside' } = image;
  const small = settings.map(requestedSize).find((size) => {
    const scales = (['width', 'height'] as const).flatMap((side) => {
      const wanted = image[side];
      return wanted === undefined ? [] : [(wanted - 2 * padding) / size[side]];
    });
    if (scales.length === 0) return false;
    return (fit === 'cover' ? Math.max(...scales) : Math.min(...scales)) > 1;
  });
  if (small === undefined) return [];
  return [
    {
      severity: 'warning',
      path: ['images', index, image.width === undefined ? 'height' : 'width'],
      message: `is more than the render asks for (${small.width} x ${small.height}): an image that is larger than its original fails`,
      fix: 'Ask for less, or for a larger render: `imageQuality: 2`, or a custom size.',
    },
  ];
}

function nameMisfits(
  image: ImageOptions,
  index: number,
  settings: RenderSettings[],
  naming: string,
): OptionConflict[] {
  const own = namingWithExtension(image, naming);
  const isSame = settings.some(
    ({ imageFormat: format = 'PNG' }) => namingWithExtension({ format, naming }, naming) === own,
  );
  if (!isSame) return [];
  return [
    {
      severity: 'error',
      path: ['images', index],
      message: 'has the name of its original',
      fix: `Give it a naming of its own, as in "${suggestNaming(image, naming)}", or set \`original: false\`.`,
    },
  ];
}
