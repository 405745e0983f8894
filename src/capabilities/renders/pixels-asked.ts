// How large the pictures are that a `render` node asks for, and how much larger ones are still decoded. Pure.
import { z } from 'zod';
import { RenderSettings } from '../../api/operations/renders.ts';
import { mostPixelsUnasked } from '../../pictures/picture-head.ts';
import { settingsOfViews, Views } from './render-views.ts';

const standard = [
  { width: 1_280, height: 720 },
  { width: 1_920, height: 1_080 },
  { width: 3_840, height: 2_160 },
] as const;

/** Pictures of this size decode in a fifth of a second and 80 MB, which is no danger, whatever was asked for. */
export const anyoneMay = 4_096 * 4_096;
/** The platform may finish a picture at twice its width and height. */
export const margin = 4;

/** Decoders take no more. */
export const pixelsAtMost = 16_383 * 16_383;

const RenderConfig = z.object({
  settings: RenderSettings.default({}),
  views: Views.optional(),
});

/** Width times height of the largest picture; null where the configuration cannot be read. */
export function pixelsAsked(config: unknown): number | null {
  const settings = settingsAsked(config);
  if (settings === null) return null;
  const sizes = settings.map(sizeAsked);
  return Math.max(...sizes.map(({ width, height }) => width * height));
}

/** Settings of each view, or of the one that there is; null where the configuration cannot be read. */
export function settingsAsked(config: unknown): RenderSettings[] | null {
  const { data } = RenderConfig.safeParse(config);
  return data === undefined ? null : settingsOfViews(data.settings, data.views);
}

/** The margin ends where a process would take more memory than for a picture that nobody has asked for. */
export function mostPixelsOf(asked: number): number {
  const withMargin = Math.min(margin * asked, mostPixelsUnasked);
  return Math.min(pixelsAtMost, Math.max(anyoneMay, asked, withMargin));
}

/** Size of a still, which the platform may finish larger. */
export function sizeAsked(settings: RenderSettings): { width: number; height: number } {
  const { width, height } = standard[settings.imageQuality ?? 1];
  if (settings.imageCustomResolution !== true) return { width, height };
  return {
    width: settings.imageCustomWidth ?? width,
    height: settings.imageCustomHeight ?? height,
  };
}
