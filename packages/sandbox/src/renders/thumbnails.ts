// Thumbnails of models and outputs, created on first request.

import type { Sandbox } from '../context/sandbox.ts';
import type { ServedFile } from '../context/storage-location.ts';
import type { ModelRecord, OutputRecord } from '../state/records.ts';
import { lookOf, requireRenderTemplate } from '../templates/templates.ts';
import { subjectOf } from './appearance.ts';
import { thumbnailSide } from './drawing.ts';

/** Draws the thumbnail of a finished output. For a video, this is the first frame. */
export async function drawOutputThumbnail(
  { pictures }: Sandbox,
  output: OutputRecord,
): Promise<ServedFile | undefined> {
  const pictureFile = output.poster ?? output.file;
  if (pictureFile === undefined) return undefined;
  const { file, bytes } = await pictures.thumbnail(pictureFile);
  return { path: pictures.path(file), bytes };
}

/** Draws the thumbnail of a model with the first template. Rejects with DrawError. */
export async function drawModelThumbnail(
  sandbox: Sandbox,
  model: ModelRecord,
): Promise<ServedFile | undefined> {
  if (!model.file) return undefined;
  const { store, pictures } = sandbox;
  const template = requireRenderTemplate(store, undefined);
  const { file, bytes } = await pictures.draw({
    ...subjectOf(sandbox, model),
    look: lookOf(template),
    bookmark: template.bookmarks[0]?.id ?? '',
    width: thumbnailSide,
    height: (thumbnailSide * 3) / 4,
    format: 'JPEG',
  });
  return { path: pictures.path(file), bytes };
}
