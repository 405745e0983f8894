// A file to deliver, before anything is downloaded.
import type { DeliveredFile } from '../../plan/types.ts';
import type { OutputRef } from '../renders/platform-ids.ts';
import type { ExistingFile } from './existing-files.ts';
import type { NamedImage } from './images/image-names.ts';
import type { AssetMetadata } from './metadata/asset-metadata.ts';

/** Returns the earlier files of an output and of its images. */
export function existingFilesOf({ existingFiles, images }: PlannedFile): ExistingFile[] {
  return [...existingFiles, ...images.flatMap((image) => image.existingFiles)];
}

export interface PlannedFile {
  key: string;
  output: OutputRef;
  /** Relative to the connector. If the original is not delivered, the path of its first image. */
  path: string;
  /** False if only the images of the output are delivered. */
  deliversOriginal: boolean;
  images: PlannedImage[];
  /** Metadata that is written into the picture and its images. Null if nothing is written. */
  metadata: AssetMetadata | null;
  /** Fingerprint of the delivery. Undefined if the plan has none. */
  delivery: string | undefined;
  /** The earlier picture that this file replaces. Null if there is none. */
  replaces: DeliveredFile | null;
  /** Originals of the same output from earlier deliveries. */
  existingFiles: ExistingFile[];
  /** Previous key of a moved source. Undefined if the source was not moved. */
  previousKey: string | undefined;
  /** Reads the current URL from the platform. `refusedUrl` is the URL that storage has just refused. */
  readUrl(refusedUrl?: string): Promise<string>;
}

export interface PlannedImage extends NamedImage {
  /** Images of the same output from earlier deliveries, with the same options. */
  existingFiles: ExistingFile[];
}
