// Polls production file exports for all waits of a worker. No operation reads several exports at once.

import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { nullWhenMissing } from '../../engine/null-when-missing.ts';
import { PollCoordinator } from '../../engine/polling/poll-coordinator.ts';
import { pollGapMs } from '../../engine/polling/poll-interval.ts';
import { sharedPerPoller } from '../../engine/polling/poller-context.ts';
import { readEach } from '../../engine/polling/read-each.ts';
import type { SheetRef } from './platform-ids.ts';
import { toSheetRef } from './to-sheet-ref.ts';

/** The current state of the export; null if it is not in the workspace. */
export type ExportPollResult = { sheet: SheetRef; status: string } | null;

/** The platform recommends polling every few seconds; a capture takes a couple of minutes. */
const minGapMs = 5_000;
const maxGapMs = 60_000;
const intervalPerExportMs = 200;

export function isExportFinished(result: ExportPollResult): boolean {
  return (
    result !== null && (result.sheet.fileId !== undefined || result.sheet.failure !== undefined)
  );
}

/** Each export costs a request, so the interval grows with the number of exports. */
export function exportPollIntervalMs(open: number): number {
  return Math.min(Math.max(minGapMs, intervalPerExportMs * open), maxGapMs);
}

/** Results by export id. Exports that could not be read are left out. */
export async function pollExports(
  client: Client,
  exportIds: readonly string[],
  requests: RequestCounter,
): Promise<Map<string, ExportPollResult>> {
  const options = { priority: 'status' as const, scope: requests };
  return readEach(exportIds, async (exportId) => {
    const read = () => client.getProductionFileExport({ params: { exportId } }, options);
    const found = await nullWhenMissing(read);
    return found && { sheet: toSheetRef(found), status: found.status };
  });
}

/** Results are keyed by export id. */
export const exportPollCoordinator = sharedPerPoller(
  ({ client, lagMonitor, now }) =>
    new PollCoordinator<string, ExportPollResult>({
      name: 'exports',
      idOf: (exportId) => exportId,
      poll: (exportIds, requests) => pollExports(client, exportIds, requests),
      isFinished: isExportFinished,
      lagMonitor,
      minGapMs: (open) => Math.max(exportPollIntervalMs(open), pollGapMs(client.pollBudget, open)),
      now,
    }),
);
