import type { ResponseOf } from '../../api/contract/response-marks.ts';
import type { RenderJob, RenderOutput } from '../../api/operations/renders.ts';
import { removeDuplicateIds } from '../../engine/remove-duplicate-ids.ts';
import type { OutputRef } from './platform-ids.ts';

/** Maximum number of outputs stored with an asset. If there are more, the export reads the job instead. */
export const maxStoredOutputs = 8;

const stills = new Set(['PNG', 'JPEG', 'JPG', 'TIFF', 'TIF']);

export function isStillType(fileType: string): boolean {
  return stills.has(fileType.toUpperCase());
}

/** Converts the response of GET /renders/{jobId}, whose `filePath` is the direct URL of the file. */
export function toOutputRefs({ renders = [] }: ResponseOf<typeof RenderJob>): OutputRef[] {
  return removeDuplicateIds(renders, (render) => JSON.stringify(render)).map(toOutputRef);
}

/** Converts an output of a finished job, which contains no previews. */
function toOutputRef(output: ResponseOf<typeof RenderOutput>): OutputRef {
  const { id, name = id, fileType, filePath: url } = output;
  const isVideo = output.isVideo ?? !isStillType(fileType);
  return { id, name, fileType, isVideo, isPreview: false, url };
}
