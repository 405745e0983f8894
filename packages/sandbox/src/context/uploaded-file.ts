// Records of uploaded files.
import { fail } from '../http/failure.ts';
import type { StoredFile } from '../state/files.ts';
import type { LibraryFile } from '../state/library-records.ts';
import type { Sandbox } from './sandbox.ts';

/** True if an uploaded file has the same content as the file of a record. */
export function isSameContent(file: LibraryFile | undefined, storedFile: StoredFile): boolean {
  return file?.sha256 === storedFile.sha256 && file.bytes === storedFile.bytes;
}

/** Creates the record of a file that was just uploaded. @param problem why the file cannot be used. Absent if it can */
export function createLibraryFile(
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

/** @param title title of the model or prop @throws ApiFailure FILE_NOT_UPLOADED, MODEL_FILE_TOO_LARGE */
export function checkUploaded({ limits }: Sandbox, title: string, file?: LibraryFile): void {
  if (!file)
    return fail('FILE_NOT_UPLOADED', `No file was found at the upload location of ${title}.`);
  if (!file.tooLarge) return;
  const { modelFileBytes } = limits.values;
  const message = `The file of ${title} has ${file.bytes} bytes; the maximum is ${modelFileBytes}.`;
  fail('MODEL_FILE_TOO_LARGE', message);
}
