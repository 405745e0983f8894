// Draws the current state of a variant.

import type { Sandbox } from '../context/sandbox.ts';
import type { Bookmark, TemplateLook } from '../drawing/templates.ts';
import { appearanceOf, subjectOf } from '../renders/appearance.ts';
import type { ModelRecord } from '../state/records.ts';
import type { Variant } from '../variants/variants.ts';
import { previewLook, previewPixels, viewPixels } from './view-cameras.ts';

interface ShotOptions {
  readonly look: TemplateLook;
  readonly camera: Bookmark;
  readonly pixels?: number;
}

/** Draws a square picture and returns its name in the picture store. Rejects with DrawError. */
export async function drawVariant(
  sandbox: Sandbox,
  model: ModelRecord,
  variant: Variant,
  { look, camera, pixels = viewPixels }: ShotOptions,
): Promise<string> {
  const picture = await sandbox.pictures.draw({
    ...subjectOf(sandbox, model),
    look: { ...look, bookmarks: [camera] },
    bookmark: camera.name,
    ...appearanceOf(sandbox, model, variant),
    width: pixels,
    height: pixels,
    format: 'JPEG',
  });
  return picture.file;
}

/** Draws the picture that is printed for a variant without views. */
export function drawPreview(
  sandbox: Sandbox,
  model: ModelRecord,
  variant: Variant,
): Promise<string> {
  const [camera] = previewLook.bookmarks;
  if (!camera) throw new Error('The preview look has a camera.');
  return drawVariant(sandbox, model, variant, {
    look: previewLook,
    camera,
    pixels: previewPixels,
  });
}
