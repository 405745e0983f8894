// Builds the drawing specs of outputs from model, template camera and job settings.

import type { Sandbox } from '../context/sandbox.ts';
import type { TemplateLook } from '../drawing/templates.ts';
import { computeShotCamera } from '../drawing/video/film.ts';
import type { FilmSpec, PictureSpec } from '../pictures/pictures.ts';
import type { OutputRecord, RenderJobRecord } from '../state/records.ts';
import { lookOf, requireRenderTemplate } from '../templates/templates.ts';
import { findVariant } from '../variants/variants.ts';
import { createAppearance, subjectOf } from './appearance.ts';

/** Longest side of a thumbnail in pixels. */
export const thumbnailSide = 256;

/** Creates the drawing spec of an output. @throws Error if the model, or all shots of a video, were deleted */
export function createDrawing(
  sandbox: Sandbox,
  job: RenderJobRecord,
  output: OutputRecord,
): PictureSpec | FilmSpec {
  const { store } = sandbox;
  const model = store.models.get(output.modelId);
  if (!model) throw new Error(`model ${output.modelId} was deleted`);
  const look = lookOf(requireRenderTemplate(store, store.projects.get(job.projectId)?.templateId));
  const { width, height, format, bookmarkId = '', shotIds, framesPerSecond = 1 } = output;
  const variant =
    output.variantId === undefined ? undefined : findVariant(sandbox, model, output.variantId);
  const subject = {
    ...subjectOf(sandbox, model),
    ...createAppearance(sandbox, model, variant),
    width,
    height,
  };
  if (format === 'MP4') {
    const shots = look.shots.filter(({ name }) => shotIds?.includes(name));
    if (shots.length === 0) throw new Error('the shots of its template were deleted');
    return { ...subject, look, shots, framesPerSecond, format };
  }
  return { ...subject, look: withPadding(look, job, output), bookmark: bookmarkId, format };
}

/** Returns the first frame of a video as a small picture. */
export function posterOf(film: FilmSpec): PictureSpec {
  const { shots, framesPerSecond: _, look, width, height, ...subject } = film;
  const [shot] = shots;
  if (shot === undefined) throw new Error('a video has at least one shot');
  const scale = thumbnailSide / Math.max(width, height);
  return {
    ...subject,
    look: { ...look, bookmarks: [computeShotCamera(shot, 0)] },
    bookmark: shot.name,
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
    format: 'JPEG',
  };
}

/** Applies the padding of the settings, in pixels. The camera moves back until the model fits. */
function withPadding(look: TemplateLook, { settings }: RenderJobRecord, output: OutputRecord) {
  const { snapToPadding, snapPaddingPx } = settings;
  if (!snapToPadding || snapPaddingPx === undefined) return look;
  const padding = {
    x: (2 * snapPaddingPx) / output.width,
    y: (2 * snapPaddingPx) / output.height,
  };
  return { ...look, bookmarks: look.bookmarks.map((bookmark) => ({ ...bookmark, padding })) };
}
