// A file that is to be delivered, before anything of it is fetched.
import type { DeliveredFile } from '../../plan/types.ts';
import type { OutputRef } from '../renders/refs.ts';
import type { NamedImage } from './images/image-names.ts';
import type { StandingFile } from './standing-files.ts';

export interface PlannedFile {
  key: string;
  output: OutputRef;
  /** Relative to the connector; of an original that is not delivered, that of its first image. */
  path: string;
  /** False where its images alone are delivered. */
  isKept: boolean;
  images: PlannedImage[];
  /** The picture whose place it takes; null where there is none. */
  replaces: DeliveredFile | null;
  /** Files of an earlier delivery that show the same. */
  standing: StandingFile[];
  /** Key that its source had; undefined where it was not moved. */
  from: string | undefined;
  /** Path of a file under the old key that shows something else; undefined where there is none. */
  left: string | undefined;
  /** Its address as the platform gives it now. */
  freshUrl(): Promise<string>;
}

export interface PlannedImage extends NamedImage {
  /** Files of an earlier delivery that were made alike. */
  standing: StandingFile[];
}
