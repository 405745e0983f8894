// Looks again for what earlier runs paid for and did not find: a platform that lags may show it by now.
import type { CallOptions, Client } from '../src/api/client.ts';
import { nullWhenGone } from '../src/machinery/null-when-gone.ts';
import { orUnreadable } from '../src/machinery/unreadable.ts';
import { isYoung } from '../src/machinery/visibility.ts';
import type { RunContext } from '../src/plan/run-context.ts';
import type { Asset, Refs } from '../src/plan/types.ts';
import { mapBounded } from '../src/store/objects/bounded.ts';
import { withoutForgotten } from '../src/store/runs/asset-sheets.ts';
import type { Deps } from './deps.ts';

type Read = (client: Client, refs: Refs, options: CallOptions) => Promise<unknown>;

/** By what an asset names, the outermost first: who has no project any more has no use for its renders. */
const reads: readonly [keyof Refs, Read][] = [
  [
    'projectId',
    (client, { projectId = '' }, options) => client.getProject({ params: { projectId } }, options),
  ],
  [
    'jobId',
    (client, { jobId = '' }, options) => client.getRenderJob({ params: { jobId } }, options),
  ],
  [
    'colorway',
    (client, { colorway }, options) =>
      client.getColorwayBatch({ params: { batchId: colorway?.batchId ?? '' } }, options),
  ],
  [
    'sheet',
    (client, { sheet }, options) =>
      client.getProductionFileExport({ params: { exportId: sheet?.exportId ?? '' } }, options),
  ],
  ['propId', (client, { propId = '' }, options) => client.getProp({ params: { propId } }, options)],
  [
    'decalId',
    (client, { decalId = '' }, options) => client.getDecal({ params: { decalId } }, options),
  ],
  [
    'materialId',
    (client, { materialId = '' }, options) =>
      client.getMaterial({ params: { materialId } }, options),
  ],
];
const atOnce = 8;

/**
 * Adopted models that the platform does not have any more are taken up again from their files: they were
 * deleted, or the records come from another workspace. Models that the run was to take are not adopted.
 */
export async function withoutLost<A extends Asset>(
  assets: A[],
  deps: Deps,
  run: string,
): Promise<A[]> {
  const adopted = assets.filter(
    ({ source, refs }) => source.id === undefined && refs.modelId !== undefined,
  );
  if (adopted.length === 0) return assets;
  const { models } = deps.lookout;
  // An earlier look says nothing about what a run has missed since.
  models.doubt(idsOf(adopted.filter(({ refs }) => refs.missing?.includes('modelId'))));
  const looks = await models.know(idsOf(adopted), deps.requestsOf(run));
  const lost = new Set<A>(
    adopted.filter(
      ({ refs }) => looks.get(refs.modelId ?? '')?.look === null && !isYoung(refs, deps.now()),
    ),
  );
  return assets.map((asset) => (lost.has(asset) ? { ...asset, refs: {} } : asset));
}

function idsOf(assets: readonly Asset[]): string[] {
  return assets.flatMap(({ refs }) => refs.modelId ?? []);
}

/** A request for each asset that has missed something; the others cost none. */
export function withoutMissing<A extends Asset>(
  assets: readonly A[],
  deps: Deps,
  context: RunContext,
): Promise<A[]> {
  const { client } = deps.platformOf(context);
  const options = { priority: 'status', scope: deps.requestsOf(context.run) } as const;
  const work = async (asset: A): Promise<A> => {
    const { missing, ...refs } = asset.refs;
    if (missing === undefined) return asset;
    const isThere = await showsAgain(client, refs, missing, options);
    return { ...asset, refs: isThere ? refs : withoutForgotten(refs, missing) };
  };
  return mapBounded(assets, work, { atOnce });
}

async function showsAgain(
  client: Client,
  refs: Refs,
  missing: readonly (keyof Refs)[],
  options: CallOptions,
): Promise<boolean> {
  // Models are looked at in any case, many at once.
  if (missing.includes('modelId')) return true;
  const read = reads.find(([name]) => missing.includes(name) && refs[name] !== undefined)?.[1];
  if (read === undefined) return false;
  // An answer that cannot be read is one about something.
  return (await orUnreadable(() => nullWhenGone(() => read(client, refs, options)))) !== null;
}
