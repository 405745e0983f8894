// What a render job says of its own outputs, as an asset carries them. Pure.
import type { AnswerOf } from '../../api/answer-parts.ts';
import type { RenderJob, RenderOutput } from '../../api/operations/renders.ts';
import { onceEach } from '../../machinery/once-each.ts';
import type { OutputRef } from './refs.ts';

/** Outputs that travel with an asset; with more, the export asks for the job itself. */
export const outputsCarried = 8;

const stills = new Set(['PNG', 'JPEG', 'JPG', 'TIFF', 'TIF']);

export function isStill(fileType: string): boolean {
  return stills.has(fileType.toUpperCase());
}

/** Of GET /renders/{jobId}, whose `filePath` is the file itself. */
export function outputRefsOf({ renders = [] }: AnswerOf<typeof RenderJob>): OutputRef[] {
  return onceEach(renders, (render) => JSON.stringify(render)).map(outputRefOf);
}

/** A job that has ended has no previews. */
function outputRefOf(output: AnswerOf<typeof RenderOutput>): OutputRef {
  const { id, name = id, fileType, filePath: url } = output;
  const isVideo = output.isVideo ?? !isStill(fileType);
  return { id, name, fileType, isVideo, isPreview: false, url };
}
