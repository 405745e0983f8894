// Computes sizes of pictures and videos from the settings.
import type { RenderSettings } from 'renderline/api/operations/renders';
import { refuseInput } from '../http/failure.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

const sizes = [
  { width: 1280, height: 720 },
  { width: 1920, height: 1080 },
  { width: 3840, height: 2160 },
] as const;

/** Maximum side length, because pictures must fit into a laptop's memory and videos must play everywhere. */
const longestSide = { image: 8192, video: 4096 };
/** H.264 encodes blocks of 16 pixels. */
const minVideoSide = 16;

/** Returns the picture size for these settings. @throws ApiFailure VALIDATION_ERROR for a side above 8192 pixels */
export function imageSizeOf(settings: RenderSettings): Size {
  const standard = sizes[settings.imageQuality ?? 1];
  if (settings.imageCustomResolution !== true) return standard;
  const { imageCustomWidth: width, imageCustomHeight: height } = settings;
  return sizeWithin('image', standard, width, height);
}

/** Returns the size of videos. Both sides are even, as the format requires. @throws ApiFailure VALIDATION_ERROR */
export function videoSizeOf(settings: RenderSettings): Size {
  const standard = sizes[settings.videoResolution ?? 1];
  if (settings.videoCustomResolution !== true) return standard;
  const { videoCustomWidth: width, videoCustomHeight: height } = settings;
  const size = sizeWithin('video', standard, width, height);
  if (Math.min(size.width, size.height) < minVideoSide) {
    refuseInput(
      `settings.videoCustomWidth and videoCustomHeight must be at least ${minVideoSide} pixels.`,
    );
  }
  return { width: size.width - (size.width % 2), height: size.height - (size.height % 2) };
}

function sizeWithin(
  kind: 'image' | 'video',
  standard: Size,
  width = standard.width,
  height = standard.height,
): Size {
  const max = longestSide[kind];
  if (width > max || height > max)
    refuseInput(
      `settings.${kind}CustomWidth and ${kind}CustomHeight may be at most ${max} pixels.`,
    );
  return { width, height };
}

/** Refuses impossible sizes before anything is created. @throws ApiFailure VALIDATION_ERROR */
export function checkSizes(settings: RenderSettings): void {
  imageSizeOf(settings);
  videoSizeOf(settings);
}
