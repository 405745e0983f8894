// Builds the state of each asset of a shard from the shard's pages with asset updates. Pure.
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { StepInput, WaitRules } from '../../plan/shard/step-contract.ts';
import type { Asset, DeliveredFile, EarlierResults, StepAsset } from '../../plan/types.ts';
import type { IdRules } from '../records/id-rules.ts';
import type { AssetUpdate, ShardPage } from './shard-pages.ts';

export interface AssetState extends Asset {
  assetIndex: number;
  files: DeliveredFile[];
  warnings: string[];
  /** The last failure of each node. The empty node name stands for why no step may process the asset. */
  failures: Map<string, NonNullable<AssetUpdate['failure']>>;
  retriesByStep: Map<string, number>;
  renderContinues: boolean;
}

/** Builds the states of some assets by index. @param page page of run assets @param pages updates, oldest first */
export function buildAssetStates(
  page: readonly Pick<Asset, 'key' | 'source'>[],
  pages: readonly ShardPage[],
  assetIndexes: readonly number[],
  idRules: IdRules,
): AssetState[] {
  const states = new Map<number, AssetState>();
  for (const assetIndex of assetIndexes) {
    const asset = page[assetIndex];
    if (!asset) throw new RangeError(`the shard has no asset ${assetIndex}`);
    const { key, source } = asset;
    states.set(assetIndex, {
      assetIndex,
      key,
      source,
      platformIds: {},
      files: [],
      warnings: [],
      failures: new Map(),
      retriesByStep: new Map(),
      renderContinues: false,
    });
  }
  for (const { node, updates } of pages) {
    for (const update of updates) {
      const state = states.get(update.assetIndex);
      if (state) applyUpdate(state, node, update, idRules);
    }
  }
  return [...states.values()];
}

function applyUpdate(state: AssetState, node: string, update: AssetUpdate, idRules: IdRules): void {
  const platformIds = update.platformIds
    ? idRules.merge(state.platformIds, update.platformIds)
    : state.platformIds;
  state.platformIds = removeIds(platformIds, update.forget);
  state.files.push(...(update.files ?? []));
  state.warnings.push(...(update.warnings ?? []));
  if (update.failure) state.failures.set(node, update.failure);
  const newRetries = update.retryStep === undefined ? [] : [[update.retryStep, 1] as const];
  for (const [step, times] of [...newRetries, ...Object.entries(update.retriesByStep ?? {})]) {
    state.retriesByStep.set(step, (state.retriesByStep.get(step) ?? 0) + times);
  }
  if (update.renderContinues) state.renderContinues = true;
}

/** Leaves out ids that a later run must not build on. */
export function removeIds(
  platformIds: PlatformIds,
  forget: readonly (keyof PlatformIds)[] = [],
): PlatformIds {
  if (forget.length === 0) return platformIds;
  const forgottenFields = new Set<string>(forget);
  const entries = Object.entries(platformIds).filter(([name]) => !forgottenFields.has(name));
  return Object.fromEntries(entries);
}

/** Returns the state of an open asset as a single update. */
export function compactUpdateOf(state: AssetState): AssetUpdate {
  const { assetIndex, platformIds, files, warnings, failures, retriesByStep } = state;
  const failure = failures.get('');
  return {
    assetIndex,
    platformIds,
    ...(files.length > 0 ? { files } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(failure ? { failure } : {}),
    ...(retriesByStep.size > 0 ? { retriesByStep: Object.fromEntries(retriesByStep) } : {}),
  };
}

interface WaitingStep {
  step: Pick<StepInput['step'], 'timeoutMs' | 'isSideStep'>;
  wait: Pick<WaitRules, 'enteredAtMs'> | null;
}

/** Returns the assets in the order of `states`, which is the order of the step's input. */
export function stepAssets(
  states: readonly AssetState[],
  { step, wait }: WaitingStep,
): StepAsset[] {
  return states.map((state, index) => {
    const { key, source, platformIds } = state;
    const enteredAtMs = wait?.enteredAtMs[index];
    const waits =
      enteredAtMs === undefined ? {} : { enteredAtMs, deadlineMs: enteredAtMs + step.timeoutMs };
    const results = step.isSideStep ? { earlierResults: earlierResultsOf(state) } : {};
    return { key, source, platformIds, ...waits, ...results };
  });
}

/** Maximum number of files, and of warnings, that a side step receives for an asset: one notice covers a hundred. */
const maxFiles = 20;

function earlierResultsOf({ files, warnings }: AssetState): EarlierResults {
  const filesTotal = files.length;
  return { files: files.slice(0, maxFiles), filesTotal, warnings: warnings.slice(0, maxFiles) };
}
