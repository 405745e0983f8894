// Props and decals over time: from their facts to their status (2.13, 3.4).
import type { LibraryStatus } from 'renderline/api/operations/library';
import type { DecalRecord, PropRecord } from './records.ts';

/**
 * PENDING until a file lands, UPLOADING until it is confirmed, ANALYZING while it is processed,
 * then READY, or FAILED for a file that does not load.
 */
export function propStatus(prop: PropRecord, now: number): LibraryStatus {
  if (prop.source === 'catalog') return 'READY';
  if (!prop.file || prop.file.tooLarge) return 'PENDING';
  if (prop.confirmedAt === undefined) return 'UPLOADING';
  if (now < prop.confirmedAt + prop.processMs) return 'ANALYZING';
  return prop.file.problem === undefined ? 'READY' : 'FAILED';
}

/** As for props, without processing: a confirm makes a decal READY at once (3.4). */
export function decalStatus(decal: DecalRecord): LibraryStatus {
  if (!decal.file || decal.file.tooLarge) return 'PENDING';
  if (decal.confirmedAt === undefined) return 'UPLOADING';
  return decal.file.problem === undefined ? 'READY' : 'FAILED';
}
