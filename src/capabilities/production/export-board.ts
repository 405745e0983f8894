// Polls production file exports for all waits of a worker. No operation reads several exports at once.

import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { nullWhenGone } from '../../machinery/null-when-gone.ts';
import { shared } from '../../machinery/watch/lookout.ts';
import { readEach } from '../../machinery/watch/read-each.ts';
import { TickWatch } from '../../machinery/watch/tick-watch.ts';
import { lookGapMs } from '../../machinery/watch/ticks.ts';
import type { SheetRef } from './refs.ts';
import { sheetOf } from './sheet-of.ts';

/** The current state of the export; null if it is not in the workspace. */
export type ExportLook = { sheet: SheetRef; status: string } | null;

/** The platform recommends polling every few seconds; a capture takes a couple of minutes. */
const shortestGapMs = 5_000;
const longestGapMs = 60_000;
const gapEachMs = 200;

export function isExportOver(look: ExportLook): boolean {
  return look !== null && (look.sheet.fileId !== undefined || look.sheet.failure !== undefined);
}

/** Each export costs a request, so the interval grows with the number of exports. */
export function exportGapMs(open: number): number {
  return Math.min(Math.max(shortestGapMs, gapEachMs * open), longestGapMs);
}

/** Results by export id. Exports that could not be read are left out. */
export async function lookAtExports(
  client: Client,
  exportIds: readonly string[],
  requests: RequestCounter,
): Promise<Map<string, ExportLook>> {
  const options = { priority: 'status' as const, scope: requests };
  return readEach(exportIds, async (exportId) => {
    const read = () => client.getProductionFileExport({ params: { exportId } }, options);
    const found = await nullWhenGone(read);
    return found && { sheet: sheetOf(found), status: found.status };
  });
}

/** Results are keyed by export id. */
export const exportLooks = shared(
  ({ client, late, now }) =>
    new TickWatch<string, ExportLook>({
      name: 'exports',
      idOf: (exportId) => exportId,
      look: (exportIds, requests) => lookAtExports(client, exportIds, requests),
      isOver: isExportOver,
      late,
      gapMs: (open) => Math.max(exportGapMs(open), lookGapMs(client.pace, open)),
      now,
    }),
);
