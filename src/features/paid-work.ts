// Counts the work that a run paid for, from the recorded calls that create something. Sends no requests.
import { parseJson } from '../api/responses/bounded-json.ts';
import { asRecord } from '../api/unknown-values.ts';
import type { FinalizedAsset } from '../plan/contract/contract.ts';
import { createPaidCounts, type PaidKind, type PaidWork } from '../plan/run/paid-work.ts';
import type { Intent } from '../store/calls/intents.ts';
import { isSuccessorOf } from '../store/calls/possible-duplicates.ts';
import { mapBounded } from '../store/objects/map-bounded.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { renderFailures } from './renders/failures.ts';

/** Kind of paid work that an operation starts. Other operations are not counted. */
const paidKindByOperation: Readonly<Record<string, PaidKind>> = {
  createJob: 'models',
  createModels: 'models',
  createRenders: 'renders',
  retryRenderJob: 'renders',
  exportProductionFile: 'captures',
};

type PaidAsset = Pick<
  FinalizedAsset,
  'key' | 'outcome' | 'failure' | 'platformIds' | 'renderContinues'
>;

/** Counts what a run has paid for. Returns null if its records cannot be read, or do not exist yet. */
export async function readPaidWork(
  store: RunStore,
  finalized: readonly FinalizedAsset[],
  isOver: boolean,
): Promise<PaidWork | null> {
  const { run } = store.context;
  try {
    const discovery = await store.runAssets.readDiscovery();
    if (discovery === null) return null;
    const shards = Array.from({ length: discovery.pages }, (_, shard) => shard);
    const calls = await mapBounded(shards, (shard) => store.callsHandledByRun({ run, shard }));
    return countPaidWork(run, calls.flat(), finalized, isOver);
  } catch {
    return null;
  }
}

/**
 * Like `readPaidWork`, but also reads the assets from the records. Keeps only incomplete assets in memory, because
 * complete ones do not change the counts and may be very numerous.
 * @param onAsset called for each finalized asset
 * @returns null if the records cannot be read
 */
export async function readPaidWorkOfRun(
  store: RunStore,
  isOver: boolean,
  onAsset: (asset: FinalizedAsset) => void = () => undefined,
): Promise<PaidWork | null> {
  try {
    const incomplete: FinalizedAsset[] = [];
    for await (const asset of store.results.read(store.context.run)) {
      onAsset(asset);
      if (asset.outcome !== 'complete') incomplete.push(asset);
    }
    return await readPaidWork(store, incomplete, isOver);
  } catch {
    return null;
  }
}

/** @param calls the run's calls, oldest first @param isOver if false, calls without a response are still in flight */
export function countPaidWork(
  run: string,
  calls: readonly Intent[],
  finalized: readonly PaidAsset[],
  isOver: boolean,
): PaidWork {
  // A call that another run finished counts for that run, so it is omitted here.
  const ownCalls = calls.filter(({ closedBy = run }) => closedBy === run);
  const models = new Set<string>();
  /** For each render job, how often it was started and for which assets. */
  const jobs = new Map<string, { starts: number; keys: Set<string> }>();
  const possibleDuplicates = createPaidCounts();
  let captures = 0;
  for (const [index, call] of ownCalls.entries()) {
    const kind = paidKindByOperation[call.operation];
    if (kind === undefined) continue;
    possibleDuplicates[kind] += countPossibleDuplicates(
      call,
      () => ownCalls.slice(index + 1),
      isOver,
    );
    if (call.state !== 'done') continue;
    const isRetry = call.operation === 'retryRenderJob';
    for (const [key, { modelId, jobId, sheet }] of Object.entries(call.result ?? {})) {
      if (kind === 'models' && modelId !== undefined) models.add(modelId);
      if (kind === 'captures' && sheet?.exportId !== undefined) {
        captures += sheet.captures ?? countVariants(call);
      }
      // The response was lost, so it is unknown whether the file needed new captures.
      const isFound = kind === 'captures' && sheet?.fileId !== undefined && call.ambiguousSince;
      if (isFound) possibleDuplicates.captures += countVariants(call);
      if (kind !== 'renders' || jobId === undefined) continue;
      const job = jobs.get(jobId) ?? { starts: 0, keys: new Set() };
      jobs.set(jobId, job);
      if (isRetry || job.starts === 0) job.starts += 1;
      job.keys.add(key);
    }
  }
  const failedKeys = new Set(finalized.filter(hasNoRender).map(({ key }) => key));
  let renders = 0;
  let failedRenders = 0;
  for (const { starts, keys } of jobs.values()) {
    const isFailed = [...keys].some((key) => failedKeys.has(key));
    renders += starts;
    failedRenders += starts - (isFailed ? 0 : 1);
  }
  return { renders, models: models.size, captures, failedRenders, possibleDuplicates };
}

/** Counts the assets that the call may have created duplicates for. */
function countPossibleDuplicates(
  call: Intent,
  laterCalls: () => readonly Intent[],
  isOver: boolean,
): number {
  const { state, assets, result = {}, ambiguousSince } = call;
  if (state === 'done' || state === 'abandoned') {
    return Object.values(result).filter(({ possibleDuplicate }) => possibleDuplicate !== undefined)
      .length;
  }
  if (state === 'refused' ? ambiguousSince === undefined : !isOver) return 0;
  const takeovers = laterCalls().filter(
    (other) => other.operation === call.operation && isSuccessorOf(other, call),
  );
  return assets.filter((key) => !takeovers.some((other) => other.assets.includes(key))).length;
}

/** Counts the variants that an export's request lists, the maximum number of its captures. Returns 1 for none. */
function countVariants({ bodyText }: Intent): number {
  const { variantIds } = asRecord(parseJson(bodyText));
  return Array.isArray(variantIds) ? variantIds.length : 1;
}

function hasNoRender({ outcome, failure, platformIds, renderContinues }: PaidAsset): boolean {
  if (outcome === 'cancelled') return renderContinues !== true && platformIds.outputs === undefined;
  const { RENDER_FAILED, RENDER_CANCELLED } = renderFailures;
  return failure?.code === RENDER_FAILED.code || failure?.code === RENDER_CANCELLED.code;
}
