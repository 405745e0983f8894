// Converts the outputs in a render job response to the form that assets store. Pure.
import type { AnswerOf } from '../../api/answer-parts.ts';
import type { RenderJob, RenderOutput } from '../../api/operations/renders.ts';
import { onceEach } from '../../machinery/once-each.ts';
import type { OutputRef } from './refs.ts';

/** Maximum outputs stored with an asset; with more, the export reads the job instead. */
export const outputsCarried = 8;

const stills = new Set(['PNG', 'JPEG', 'JPG', 'TIFF', 'TIF']);

export function isStill(fileType: string): boolean {
  return stills.has(fileType.toUpperCase());
}

/** For GET /renders/{jobId}, whose `filePath` is the direct URL of the file. */
export function outputRefsOf({ renders = [] }: AnswerOf<typeof RenderJob>): OutputRef[] {
  return onceEach(renders, (render) => JSON.stringify(render)).map(outputRefOf);
}

/** A finished job has no previews. */
function outputRefOf(output: AnswerOf<typeof RenderOutput>): OutputRef {
  const { id, name = id, fileType, filePath: url } = output;
  const isVideo = output.isVideo ?? !isStill(fileType);
  return { id, name, fileType, isVideo, isPreview: false, url };
}
