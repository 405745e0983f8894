// Polls the production file exports of a shard once and reports which are ready, failed or overdue.
import { fail } from '../../failures/fail.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import { handOn, overdue, readyResults } from '../../machinery/watch/waits.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { type ExportLook, exportLooks } from './export-board.ts';
import { sheetFailure } from './export-sheets.ts';
import { productionFailures } from './failures.ts';

export async function awaitExports(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const nowMs = context.runNow();
  const open = assets.flatMap(({ refs }) =>
    refs.sheet?.exportId === undefined || refs.sheet.fileId !== undefined
      ? []
      : [refs.sheet.exportId],
  );
  const seen = await exportLooks(context.lookout).ask(open, context);
  const found = assets.flatMap((asset) => {
    const { look, sinceMs } = seen.get(asset.refs.sheet?.exportId ?? '') ?? {};
    const what = 'its production file was not ready';
    const late = overdue(asset, nowMs, {
      failure: productionFailures.PRODUCTION_TIMEOUT,
      what,
      status: look?.status,
    });
    return readyResults(asset, judge(asset, look), late, { times: context, sinceMs });
  });
  return handOn(found, assets.length, context);
}

function judge({ key, refs }: StepAsset, look: ExportLook | undefined): AssetResult | null {
  if (refs.sheet?.fileId !== undefined) return { key, outcome: 'done' };
  const exportId = refs.sheet?.exportId;
  if (look === null || exportId === undefined) {
    const message = `production file export ${exportId ?? '(none)'} is not in the workspace; it was deleted or never created`;
    const { PRODUCTION_EXPORT_NOT_FOUND } = productionFailures;
    return fail(PRODUCTION_EXPORT_NOT_FOUND, key, message, { forget: ['sheet'], missing: true });
  }
  const { sheet } = look ?? {};
  if (sheet?.failure !== undefined) return sheetFailure(key, sheet);
  return sheet?.fileId === undefined ? null : { key, outcome: 'done', refs: { sheet } };
}
