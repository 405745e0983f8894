// Computes the status of props and decals from their stored facts.
import type { LibraryStatus } from 'renderline/api/operations/library';
import type { DecalRecord, PropRecord } from '../state/library-records.ts';

/**
 * Returns PENDING until a file of allowed size is uploaded, UPLOADING until it is confirmed, ANALYZING while it is
 * processed, then READY, or FAILED for an invalid file. Props of the catalog are READY.
 */
export function propStatusOf(prop: PropRecord, nowMs: number): LibraryStatus {
  if (prop.source === 'catalog') return 'READY';
  if (!prop.file || prop.file.tooLarge) return 'PENDING';
  if (prop.confirmedAt === undefined) return 'UPLOADING';
  if (nowMs < prop.confirmedAt + prop.processMs) return 'ANALYZING';
  return prop.file.problem === undefined ? 'READY' : 'FAILED';
}

/** Like `propStatusOf`, but without processing. A confirmed decal is READY or FAILED immediately. */
export function decalStatusOf(decal: DecalRecord): LibraryStatus {
  if (!decal.file || decal.file.tooLarge) return 'PENDING';
  if (decal.confirmedAt === undefined) return 'UPLOADING';
  return decal.file.problem === undefined ? 'READY' : 'FAILED';
}
