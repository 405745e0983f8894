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

/**
 * Counts what a run has paid for. Returns null if its records cannot be read, or do not exist yet.
 * @param unrenderedKeys keys of assets for which `hasNoRender` is true
 */
export async function readPaidWork(
  store: RunStore,
  unrenderedKeys: ReadonlySet<string>,
  isOver: boolean,
): Promise<PaidWork | null> {
  const { run } = store.context;
  try {
    const discovery = await store.runAssets.readDiscovery();
    if (discovery === null) return null;
    const shards = Array.from({ length: discovery.pages }, (_, shard) => shard);
    const counter = new PaidWorkCounter(run, unrenderedKeys, isOver);
    await mapBounded(shards, async (shard) =>
      counter.add(await store.callsHandledByRun({ run, shard })),
    );
    return counter.total();
  } catch {
    return null;
  }
}

/**
 * Like `readPaidWork`, but also reads the assets from the records.
 * @param onAsset called for each finalized asset
 * @returns null if the records cannot be read
 */
export async function readPaidWorkOfRun(
  store: RunStore,
  isOver: boolean,
  onAsset: (asset: FinalizedAsset) => void = () => undefined,
): Promise<PaidWork | null> {
  try {
    const unrenderedKeys = new Set<string>();
    for await (const asset of store.results.read(store.context.run)) {
      onAsset(asset);
      if (hasNoRender(asset)) unrenderedKeys.add(asset.key);
    }
    return await readPaidWork(store, unrenderedKeys, isOver);
  } catch {
    return null;
  }
}

/** Counts the paid work of a run, a shard at a time, because the calls of a large run do not fit into memory. */
export class PaidWorkCounter {
  readonly #run: string;
  readonly #unrenderedKeys: ReadonlySet<string>;
  readonly #isOver: boolean;
  readonly #models = new Set<string>();
  /** For each render job, how often it was started, and whether it failed for any of its assets. */
  readonly #jobs = new Map<string, { starts: number; isFailed: boolean }>();
  readonly #possibleDuplicates = createPaidCounts();
  #captures = 0;

  /** @param isOver if false, calls without a response are still in flight */
  constructor(run: string, unrenderedKeys: ReadonlySet<string>, isOver: boolean) {
    this.#run = run;
    this.#unrenderedKeys = unrenderedKeys;
    this.#isOver = isOver;
  }

  /** @param calls all calls of some assets, oldest first */
  add(calls: readonly Intent[]): void {
    // A call that another run finished counts for that run, so it is omitted here.
    const ownCalls = calls.filter(({ closedBy = this.#run }) => closedBy === this.#run);
    for (const [index, call] of ownCalls.entries()) {
      const kind = paidKindByOperation[call.operation];
      if (kind === undefined) continue;
      this.#possibleDuplicates[kind] += countPossibleDuplicates(
        call,
        () => ownCalls.slice(index + 1),
        this.#isOver,
      );
      if (call.state === 'done') this.#addDone(call, kind);
    }
  }

  total(): PaidWork {
    let renders = 0;
    let failedRenders = 0;
    for (const { starts, isFailed } of this.#jobs.values()) {
      renders += starts;
      failedRenders += starts - (isFailed ? 0 : 1);
    }
    return {
      renders,
      models: this.#models.size,
      captures: this.#captures,
      failedRenders,
      possibleDuplicates: this.#possibleDuplicates,
    };
  }

  #addDone(call: Intent, kind: PaidKind): void {
    const isRetry = call.operation === 'retryRenderJob';
    for (const [key, { modelId, jobId, sheet }] of Object.entries(call.result ?? {})) {
      if (kind === 'models' && modelId !== undefined) this.#models.add(modelId);
      if (kind === 'captures' && sheet?.exportId !== undefined) {
        this.#captures += sheet.captures ?? countVariants(call);
      }
      // The response was lost, so it is unknown whether the file needed new captures.
      const isFound = kind === 'captures' && sheet?.fileId !== undefined && call.ambiguousSince;
      if (isFound) this.#possibleDuplicates.captures += countVariants(call);
      if (kind !== 'renders' || jobId === undefined) continue;
      const job = this.#jobs.get(jobId) ?? { starts: 0, isFailed: false };
      this.#jobs.set(jobId, job);
      if (isRetry || job.starts === 0) job.starts += 1;
      job.isFailed ||= this.#unrenderedKeys.has(key);
    }
  }
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

/** True if the render of an asset failed, or was cancelled before it had an output. */
export function hasNoRender({
  outcome,
  failure,
  platformIds,
  renderContinues,
}: PaidAsset): boolean {
  if (outcome === 'cancelled') return renderContinues !== true && platformIds.outputs === undefined;
  const { RENDER_FAILED, RENDER_CANCELLED } = renderFailures;
  return failure?.code === RENDER_FAILED.code || failure?.code === RENDER_CANCELLED.code;
}
