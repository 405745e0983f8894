// Polls the production file exports of a shard once and reports which are ready, failed or overdue.

import type { NodeContext } from '../../engine/node-context.ts';
import { awaitItems } from '../../engine/wait-results.ts';
import { fail } from '../../failures/fail.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { sheetFailure } from './export-sheets.ts';
import { type ExportPollResult, exportStatusPoller } from './export-status-poller.ts';
import { productionFailures } from './failures.ts';

export function awaitExports(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  return awaitItems(assets, context, {
    poller: exportStatusPoller(context.pollerContext),
    itemOf: ({ platformIds }) =>
      platformIds.sheet?.fileId === undefined ? (platformIds.sheet?.exportId ?? null) : null,
    resultOf: toResult,
    timeout: {
      failure: productionFailures.PRODUCTION_TIMEOUT,
      what: 'its production file was not ready',
    },
    canEndAtOnce: true,
  });
}

function toResult(
  { key, platformIds }: StepAsset,
  polled: ExportPollResult | undefined,
): AssetResult | null {
  if (platformIds.sheet?.fileId !== undefined) return { key, outcome: 'done' };
  const exportId = platformIds.sheet?.exportId;
  if (polled === null || exportId === undefined) {
    const message = `production file export ${exportId ?? '(none)'} is not in the workspace; it was deleted or never created`;
    const { PRODUCTION_EXPORT_NOT_FOUND } = productionFailures;
    return fail(PRODUCTION_EXPORT_NOT_FOUND, key, message, { forgetIds: ['sheet'], missing: true });
  }
  const { sheet } = polled ?? {};
  if (sheet?.failure !== undefined) return sheetFailure(key, sheet);
  return sheet?.fileId === undefined ? null : { key, outcome: 'done', platformIds: { sheet } };
}
