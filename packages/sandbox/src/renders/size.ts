// Sizes of pictures and videos by the settings (2.5).
import type { RenderSettings } from 'renderline/api/operations/renders';
import { fail } from '../http/failure.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

const sizes = [
  { width: 1280, height: 720 },
  { width: 1920, height: 1080 },
  { width: 3840, height: 2160 },
] as const;

/** Longest side that is accepted: pictures for a laptop's memory, videos for what players decode. */
const longestSide = { image: 8192, video: 4096 };
/** H.264 knows no smaller picture than one block. */
const shortestVideoSide = 16;

/** Pixels of the pictures that the settings ask for. Throws VALIDATION_ERROR beyond 8192. */
export function imageSize(settings: RenderSettings): Size {
  const standard = sizes[settings.imageQuality ?? 1];
  if (settings.imageCustomResolution !== true) return standard;
  const { imageCustomWidth: width, imageCustomHeight: height } = settings;
  return withinLimits('image', {
    width: width ?? standard.width,
    height: height ?? standard.height,
  });
}

/** Pixels of the videos, both even as their format wants them. Throws VALIDATION_ERROR. */
export function videoSize(settings: RenderSettings): Size {
  const standard = sizes[settings.videoResolution ?? 1];
  if (settings.videoCustomResolution !== true) return standard;
  const { videoCustomWidth: width, videoCustomHeight: height } = settings;
  const size = withinLimits('video', {
    width: width ?? standard.width,
    height: height ?? standard.height,
  });
  if (Math.min(size.width, size.height) < shortestVideoSide) {
    fail(
      'VALIDATION_ERROR',
      `settings.videoCustomWidth and videoCustomHeight must be at least ${shortestVideoSide} pixels.`,
    );
  }
  return { width: size.width - (size.width % 2), height: size.height - (size.height % 2) };
}

function withinLimits(kind: 'image' | 'video', size: Size): Size {
  const most = longestSide[kind];
  if (size.width > most || size.height > most) {
    fail(
      'VALIDATION_ERROR',
      `settings.${kind}CustomWidth and ${kind}CustomHeight may be at most ${most} pixels.`,
    );
  }
  return size;
}

/** Refuses sizes that cannot be made, before anything starts. Throws VALIDATION_ERROR. */
export function checkSizes(settings: RenderSettings): void {
  imageSize(settings);
  videoSize(settings);
}
