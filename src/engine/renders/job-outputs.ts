// What a render job says of its own outputs, as an asset carries them. Pure.
import type { OutputRef } from '../../plan/types.ts';

/** Outputs that travel with an asset; with more, the export asks for the job itself. */
export const outputsCarried = 8;

/** Of GET /renders/{jobId}, whose `filePath` is the file itself. */
interface JobOutput {
  id: string;
  name: string;
  fileType: string;
  isVideo: boolean;
  filePath: string;
}

/** A job that has ended has no previews. */
export function outputRefOf({ id, name, fileType, isVideo, filePath }: JobOutput): OutputRef {
  return { id, name, fileType, isVideo, isPreview: false, url: filePath };
}
