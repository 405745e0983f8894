// Draws the current state of a variant: views, close-ups and previews.

import type { Sandbox } from '../context/sandbox.ts';
import { type Bookmark, findBookmark, type TemplateLook } from '../drawing/templates.ts';
import { DrawError } from '../drawing/threads/draw-job.ts';
import { createAppearance, subjectOf } from '../renders/appearance.ts';
import type { ModelRecord } from '../state/records.ts';
import type { Variant } from '../variants/variants.ts';
import { capturesOf, findLatestViews } from './capture-state.ts';
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
    ...createAppearance(sandbox, model, variant),
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
  const shot = { look: previewLook, camera: findBookmark(previewLook), pixels: previewPixels };
  return drawVariant(sandbox, model, variant, shot);
}

/** Returns preview names by variant id, for variants without views. Variants that cannot be drawn have none. */
export async function drawMissingPreviews(
  sandbox: Sandbox,
  model: ModelRecord,
  variants: readonly Variant[],
  nowMs: number,
): Promise<ReadonlyMap<string, string>> {
  const captures = capturesOf(sandbox, model.id);
  const variantsToDraw = variants.filter(({ id }) => !findLatestViews(captures, id, nowMs));
  const previewEntries = await Promise.all(
    variantsToDraw.map(async (variant) => {
      try {
        return [[variant.id, await drawPreview(sandbox, model, variant)] as const];
      } catch (error) {
        if (error instanceof DrawError) return [];
        throw error;
      }
    }),
  );
  return new Map(previewEntries.flat());
}
