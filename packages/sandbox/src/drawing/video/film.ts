// Creates videos: draws the frames of camera moves at the job's size and scales them to the size of the video.
import sharp from 'sharp';
import type { RawPicture } from '../pictures/picture.ts';
import type { Bookmark, Shot } from '../templates.ts';
import { VideoEncoder } from './video-encoder.ts';

/** The shots and the format of a video. Plain data, since it crosses a thread boundary. */
export type Film = {
  /** The shots in order, at least one. */
  readonly shots: readonly Shot[];
  readonly framesPerSecond: number;
  /** Size of the video in pixels. Both sides are even. Frames are drawn at the job's own size. */
  readonly width: number;
  readonly height: number;
};

/** Frames per second of a still picture. Durations are multiples of half a second. */
const stillFramesPerSecond = 2;

/** Returns the camera of every frame, in order. */
export function filmCamerasOf({ shots, framesPerSecond }: Film): Bookmark[] {
  return shots.flatMap((shot) => {
    const count = Math.max(1, Math.round(shot.seconds * framesPerSecond));
    // The last frame is one step before the end of the move, so that a full turn loops without a jerk.
    return Array.from({ length: count }, (_, index) => computeShotCamera(shot, index / count));
  });
}

/** Computes the camera of a shot at the progress `done` (0 to 1). */
export function computeShotCamera(shot: Shot, done: number): Bookmark {
  const { name, fovDegrees, from, to } = shot;
  const interpolate = (a: number, b: number) => a + (b - a) * done;
  return {
    name,
    fovDegrees,
    yawDegrees: interpolate(from.yawDegrees, to.yawDegrees),
    pitchDegrees: interpolate(from.pitchDegrees, to.pitchDegrees),
    margin: interpolate(from.margin, to.margin),
    turning: true,
  };
}

/** Draws and encodes a film as MP4. */
export function createFilm(
  film: Film,
  draw: (camera: Bookmark) => Promise<RawPicture>,
): Promise<Buffer> {
  async function* drawFrames() {
    for (const camera of filmCamerasOf(film)) yield resizePicture(await draw(camera), film);
  }
  return encodeFrames(film, drawFrames());
}

/** Creates a video of a single picture, with the same length but few frames. */
export async function createStillFilm(film: Film, picture: RawPicture): Promise<Buffer> {
  const seconds = film.shots.reduce((sum, shot) => sum + shot.seconds, 0);
  const frame = await resizePicture(picture, film);
  const frames = Array.from({ length: Math.ceil(seconds * stillFramesPerSecond) }, () => frame);
  return encodeFrames({ ...film, framesPerSecond: stillFramesPerSecond }, frames);
}

async function encodeFrames(film: Film, frames: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  const encoder = await VideoEncoder.open(film);
  try {
    for await (const frame of frames) encoder.add(frame);
    return encoder.finish();
  } finally {
    encoder.close();
  }
}

async function resizePicture(picture: RawPicture, { width, height }: Film): Promise<Uint8Array> {
  const { data } = picture;
  const raw = { width: picture.width, height: picture.height, channels: 4 as const };
  if (raw.width === width && raw.height === height && data instanceof Uint8Array) return data;
  return sharp(data, { raw }).resize(width, height, { fit: 'fill', kernel: 'cubic' }).toBuffer();
}
