// Calls that create production files. After a lost response, an export of the same variants counts as ours.
import type { NodeContext } from '../../engine/node-context.ts';
import { nullIfNotFound } from '../../engine/null-if-not-found.ts';
import { callOptions, toCallOutcome } from '../../engine/submit/call-outcome.ts';
import { assignIds, defineCreation, type ParsedCall } from '../../engine/submit/creation.ts';
import { listCreatedSince } from '../../engine/submit/list-created-since.ts';
import type { Intent } from '../../store/calls/intents.ts';
import { plainVariantId } from '../variants/plain-variant-id.ts';
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
    ownerOf: modelOf,
  },
  isAboutAsset: (sentCall, _index, { modelId }) => modelOf(sentCall) === modelId,
  renders: {
    requested: ({ body }) => body.variantIds.length,
    // An export without an id needed no captures, so none was started.
    started: ({ id, capturingVariantIds }) =>
      id === null ? 0 : (capturingVariantIds?.length ?? null),
  },
  async findOutcome(sentCall, context) {
    // Exports and files do not contain their options, so another step's export of the same model would look like ours.
    const calls = await context.store.callsOf(context.shard);
    if (calls.some((other) => hasOtherOptions(sentCall, other))) return { state: 'unknown' };
    const sheet =
      (await findRunningExport(sentCall, context)) ?? (await findCreatedFile(sentCall, context));
    return toCallOutcome(sheet === null ? {} : assignIds(sentCall.assets, () => ({ sheet })));
  },
});

function modelOf({ params }: Pick<Intent, 'params'>): string {
  return params?.['modelId'] ?? '';
}

function hasOtherOptions(sentCall: Intent, other: Intent): boolean {
  const isSameCall = other.operation === sentCall.operation && modelOf(other) === modelOf(sentCall);
  return isSameCall && other.bodyText !== sentCall.bodyText;
}

async function findRunningExport(
  sentCall: SentExport,
  context: NodeContext,
): Promise<SheetRef | null> {
  const params = { modelId: modelOf(sentCall) };
  const read = () => context.client.listProductionFileExports({ params }, callOptions(context));
  const { exports = [] } = (await nullIfNotFound(read)) ?? {};
  const runningExport = exports.find(
    (candidate) => candidate.status === 'CAPTURING' && hasSameVariants(candidate, sentCall),
  );
  return runningExport === undefined ? null : toSheetRef(runningExport);
}

/**
 * Finds a file created since the call. It exists at once if the captures of all variants were up to date. Otherwise the
 * export may have finished in the meantime.
 */
async function findCreatedFile(
  sentCall: SentExport,
  context: NodeContext,
): Promise<SheetRef | null> {
  const params = { modelId: modelOf(sentCall) };
  const files = await listCreatedSince(
    {
      operation: 'listProductionFiles',
      isNewestFirst: true,
      async read(_query, options) {
        const request = context.client.callWithMeta('listProductionFiles', { params }, options);
        const { output, meta } = await request;
        return { meta, output: { ...output, total: output.productionFiles.length } };
      },
    },
    sentCall,
    context,
  );
  // The list is newest first. If several files match, the oldest is from the first attempt.
  const file = files?.findLast((candidate) => hasSameVariants(candidate, sentCall));
  if (file === undefined) return null;
  return toSheetRef({ id: null, status: 'READY', productionFile: file, reason: null });
}

function hasSameVariants(
  { variantIds = [] }: { variantIds?: readonly string[] | undefined },
  { body }: SentExport,
): boolean {
  const expectedIds = new Set(body.variantIds.map(plainVariantId));
  const areExpected = variantIds.every((id) => expectedIds.has(plainVariantId(id)));
  return areExpected && variantIds.length === expectedIds.size;
}
