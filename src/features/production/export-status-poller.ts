// Polls production file exports for all waits of a worker. No operation reads several exports at once.
import type { CallOptions, Client } from '../../api/client.ts';
import { nullIfNotFound } from '../../engine/null-if-not-found.ts';
import { readEach } from '../../engine/polling/read-each.ts';
import { shareStatusPoller } from '../../engine/polling/status-poller.ts';
import type { SheetRef } from './platform-ids.ts';
import { toSheetRef } from './to-sheet-ref.ts';

/** The current state of the export. Null if the export is not in the workspace. */
export type ExportPollResult = { sheet: SheetRef; status: string } | null;

/** Each export costs a request, so the interval grows with their number. A capture takes a couple of minutes. */
const pollIntervals = { minMs: 5_000, perExportMs: 200, maxMs: 60_000 };

/** Polls exports. Returns results by export id, without exports that could not be read. */
export function pollExports(
  client: Client,
  exportIds: readonly string[],
  options: CallOptions,
): Promise<Map<string, ExportPollResult>> {
  return readEach(exportIds, async (exportId) => {
    const read = () => client.getProductionFileExport({ params: { exportId } }, options);
    const response = await nullIfNotFound(read);
    return response && { sheet: toSheetRef(response), status: response.status };
  });
}

/** Results are keyed by export id. */
export const exportStatusPoller = shareStatusPoller<string, ExportPollResult>(({ client }) => ({
  name: 'exports',
  idOf: (exportId) => exportId,
  isFinished: (result) => (result?.sheet.fileId ?? result?.sheet.failure) !== undefined,
  pageSize: 1,
  minIntervalMs(exports) {
    const { minMs, perExportMs, maxMs } = pollIntervals;
    return Math.min(Math.max(minMs, perExportMs * exports), maxMs);
  },
  read: (exportIds, { options }) => pollExports(client, exportIds, options),
}));
