// An export of the same variants that is capturing, or a production file of them made since we asked for one.
import type { NodeContext } from '../../machinery/node-context.ts';
import { nullWhenGone } from '../../machinery/null-when-gone.ts';
import { bodyOf, collect, sheetOf } from '../../machinery/submit/answers.ts';
import { found, type Look, lookOptions } from '../../machinery/submit/looks/finding.ts';
import { listedSince } from '../../machinery/submit/looks/listed-since.ts';
import type { SheetRef } from '../../plan/types.ts';
import type { Intent } from '../../store/calls/intents.ts';

export const lookForSheets: Look = async (intent, context) => {
  // Neither shows its options: what another step has asked of the same model would look like ours.
  const calls = await context.store.callsOf(context.shard);
  if (calls.some((other) => isAlike(intent, other))) return { is: 'unknown' };
  const sheet = (await runningExport(intent, context)) ?? (await madeFile(intent, context));
  return found(sheet === null ? {} : collect(intent.assets, () => ({ sheet })));
};

function isAlike(intent: Intent, other: Intent): boolean {
  return (
    other.operation === intent.operation &&
    other.params?.['modelId'] === intent.params?.['modelId'] &&
    other.bodyText !== intent.bodyText
  );
}

async function runningExport(intent: Intent, context: NodeContext): Promise<SheetRef | null> {
  const params = { modelId: intent.params?.['modelId'] ?? '' };
  const read = () => context.client.listProductionFileExports({ params }, lookOptions(context));
  const { exports = [] } = (await nullWhenGone(read)) ?? {};
  const running = exports.find((one) => one.status === 'CAPTURING' && isOfVariants(one, intent));
  return running === undefined ? null : sheetOf(running);
}

/** Which is there already when the views of all variants were current, or has come meanwhile. */
async function madeFile(intent: Intent, context: NodeContext): Promise<SheetRef | null> {
  const params = { modelId: intent.params?.['modelId'] ?? '' };
  const files = await listedSince(
    {
      operation: 'listProductionFiles',
      isNewestFirst: true,
      async read(_place, options) {
        const read = context.client.callWithMeta('listProductionFiles', { params }, options);
        const { output, meta } = await read;
        return { meta, output: { ...output, total: output.productionFiles.length } };
      },
    },
    intent,
    context,
  );
  // The list is newest first: of several the oldest is the first try's.
  const file = files?.findLast((one) => isOfVariants(one, intent));
  if (file === undefined) return null;
  return sheetOf({ id: null, status: 'READY', productionFile: file, reason: null });
}

function isOfVariants(
  { variantIds = [] }: { variantIds?: readonly string[] | undefined },
  intent: Intent,
): boolean {
  const wanted = new Set(bodyOf<{ variantIds: string[] }>(intent).variantIds);
  return variantIds.length === wanted.size && variantIds.every((id) => wanted.has(id));
}
