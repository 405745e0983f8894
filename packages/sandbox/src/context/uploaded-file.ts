// Records of uploaded files.
import type { StoredFile } from '../state/files.ts';
import type { LibraryFile } from '../state/library-records.ts';
import type { Sandbox } from './sandbox.ts';

/** True if an uploaded file has the same content as the file of a record. */
export function isSameContent(file: LibraryFile | undefined, stored: StoredFile): boolean {
  return file?.sha256 === stored.sha256 && file.bytes === stored.bytes;
}

/** The record of a file that was uploaded now. @param problem why the file cannot be used; absent if it can */
export function uploadedFile(
  { options }: Sandbox,
  { bytes, sha256, tooLarge }: StoredFile,
  problem?: string,
): LibraryFile {
  return {
    bytes,
    sha256,
    uploadedAt: options.clock(),
    ...(tooLarge ? { tooLarge } : {}),
    ...(problem === undefined ? {} : { problem }),
  };
}
