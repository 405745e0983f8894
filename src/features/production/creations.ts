// Calls that create production files. After a lost response, an export of the same variants counts as ours.
import type { NodeContext } from '../../engine/node-context.ts';
import { nullWhenMissing } from '../../engine/null-when-missing.ts';
import { callOptions, outcomeFrom } from '../../engine/submit/call-outcome.ts';
import { assignIds, defineCreation, type ParsedCall } from '../../engine/submit/creation.ts';
import { listCreatedSince } from '../../engine/submit/list-created-since.ts';
import type { Intent } from '../../store/calls/intents.ts';
import type { SheetRef } from './platform-ids.ts';
import { toSheetRef } from './to-sheet-ref.ts';

type SentExport = ParsedCall<'exportProductionFile', Intent>;

export const productionFileCreation = defineCreation({
  operation: 'exportProductionFile',
  readIds({ assets }, response) {
    const sheet = toSheetRef(response);
    return assignIds(assets, () => ({ sheet }));
  },
  unique: {
    idOf: ({ sheet }) => sheet?.exportId ?? sheet?.fileId,
    ownerOf: ({ params }) => params?.['modelId'] ?? '',
  },
  isAbout: ({ params }, _index, { modelId }) => params?.['modelId'] === modelId,
  renders: {
    requested: ({ body }) => body.variantIds.length,
    // An export without an id needed no captures.
    started: ({ id, capturingVariantIds }) =>
      id === null ? 0 : (capturingVariantIds?.length ?? null),
  },
  async findOutcome(sent, context) {
    // Exports and files do not show their options, so another step's export of the same model would look like ours.
    const calls = await context.store.callsOf(context.shard);
    if (calls.some((other) => hasOtherOptions(sent, other))) return { state: 'unknown' };
    const sheet =
      (await findRunningExport(sent, context)) ?? (await findCreatedFile(sent, context));
    return outcomeFrom(sheet === null ? {} : assignIds(sent.assets, () => ({ sheet })));
  },
});

function hasOtherOptions(sent: Intent, other: Intent): boolean {
  return (
    other.operation === sent.operation &&
    other.params?.['modelId'] === sent.params?.['modelId'] &&
    other.bodyText !== sent.bodyText
  );
}

async function findRunningExport(sent: SentExport, context: NodeContext): Promise<SheetRef | null> {
  const params = { modelId: sent.params?.['modelId'] ?? '' };
  const read = () => context.client.listProductionFileExports({ params }, callOptions(context));
  const { exports = [] } = (await nullWhenMissing(read)) ?? {};
  const running = exports.find((one) => one.status === 'CAPTURING' && hasSameVariants(one, sent));
  return running === undefined ? null : toSheetRef(running);
}

/**
 * Finds a file created since the call. It exists at once if the captures of all variants were up to date; otherwise the
 * export may have finished meanwhile.
 */
async function findCreatedFile(sent: SentExport, context: NodeContext): Promise<SheetRef | null> {
  const params = { modelId: sent.params?.['modelId'] ?? '' };
  const files = await listCreatedSince(
    {
      operation: 'listProductionFiles',
      isNewestFirst: true,
      async read(_place, options) {
        const read = context.client.callWithMeta('listProductionFiles', { params }, options);
        const { output, meta } = await read;
        return { meta, output: { ...output, total: output.productionFiles.length } };
      },
    },
    sent,
    context,
  );
  // The list is newest first. Of several files the oldest is from the first attempt.
  const file = files?.findLast((one) => hasSameVariants(one, sent));
  if (file === undefined) return null;
  return toSheetRef({ id: null, status: 'READY', productionFile: file, reason: null });
}

function hasSameVariants(
  { variantIds = [] }: { variantIds?: readonly string[] | undefined },
  { body }: SentExport,
): boolean {
  const wanted = new Set(body.variantIds);
  return variantIds.length === wanted.size && variantIds.every((id) => wanted.has(id));
}
