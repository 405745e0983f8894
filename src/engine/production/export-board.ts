// State of production file exports for every wait of a worker. No operation reads several of them.
import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import type { SheetRef } from '../../plan/types.ts';
import { mapBounded } from '../../store/bounded.ts';
import { nullWhenGone } from '../null-when-gone.ts';
import { sheetOf } from '../submit/answers.ts';

/** The export as it is; null when it is not in the workspace. */
export type ExportLook = SheetRef | null;

const readsAtOnce = 8;
/** "Poll every few seconds", and a capture takes a couple of minutes (4.13). */
const shortestGapMs = 5_000;
const longestGapMs = 60_000;
const gapEachMs = 200;

export function isExportOver(look: ExportLook): boolean {
  return look === null || look.fileId !== undefined || look.failure !== undefined;
}

/** Each export costs a request, so the more there are the more rarely all of them are looked at. */
export function exportGapMs(open: number): number {
  return Math.min(Math.max(shortestGapMs, gapEachMs * open), longestGapMs);
}

/** By export id. */
export async function lookAtExports(
  client: Client,
  exportIds: readonly string[],
  requests: RequestCounter,
): Promise<Map<string, ExportLook>> {
  const looks = new Map<string, ExportLook>();
  const options = { priority: 'status' as const, scope: requests };
  await mapBounded(
    exportIds,
    async (exportId) => {
      const read = () => client.getProductionFileExport({ params: { exportId } }, options);
      const found = await nullWhenGone(read);
      looks.set(exportId, found && sheetOf(found));
    },
    { atOnce: readsAtOnce },
  );
  return looks;
}
