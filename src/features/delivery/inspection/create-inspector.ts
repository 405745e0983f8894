// Chooses how an output is inspected, by its type.
import type { OutputRef } from '../../renders/platform-ids.ts';
import { isModelOutput } from '../model-output.ts';
import type { FetchTarget } from '../outputs/fetch-file.ts';
import { outputKind } from '../outputs/output-types.ts';
import { inspectDeliveredModel } from './inspect-model.ts';
import { inspectPdf } from './inspect-pdf.ts';
import { inspectPicture, type PictureRules } from './inspect-picture.ts';
import { inspectVideo } from './inspect-video.ts';

/** Returns the inspection of an output, which throws OutputError for a file that must not be delivered. */
export function createInspector(output: OutputRef, verify: PictureRules): FetchTarget['inspect'] {
  if (isModelOutput(output)) return (path, sha256) => inspectDeliveredModel(path, sha256, output);
  if (output.fileType === 'PDF') return (path) => inspectPdf(path, output);
  if (outputKind(output) === 'video') return (path) => inspectVideo(path, output);
  return (path) => inspectPicture(path, output, verify);
}
