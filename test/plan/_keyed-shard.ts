// A shard addressed by asset keys: its state, and in-memory pages of the assets' data.
import { idRules } from '../../src/features/run-store.ts';
import type { FinalizedAsset } from '../../src/plan/contract/contract.ts';
import type { StepEntry } from '../../src/plan/shard/cells.ts';
import { ShardState } from '../../src/plan/shard/shard-state.ts';
import type { ShardAssetOutcome } from '../../src/plan/shard/step-contract.ts';
import type { Asset, AssetResult, Step, StepAsset } from '../../src/plan/types.ts';
import { computeGridCells } from '../../src/store/discovery/grid/compute-grid-cells.ts';
import {
  type AssetState,
  buildAssetStates,
  compactUpdateOf,
  stepAssets,
} from '../../src/store/runs/asset-states.ts';
import type { AssetUpdate, ShardPage } from '../../src/store/runs/shard-pages.ts';
import {
  createFinalizedAssets,
  reportResults,
  warningsOf,
} from '../../src/store/runs/step-report.ts';

export class KeyedShard {
  readonly #steps: readonly Step[];
  readonly #assets: readonly Asset[];
  readonly #pages: ShardPage[] = [];
  #state: ShardState;

  constructor(steps: readonly Step[], assets: readonly Asset[]) {
    this.#steps = steps;
    this.#assets = assets;
    const positions = assets.map((_, at) => at);
    const first = this.#write(
      '',
      assets.map(({ platformIds }, at) => ({ assetIndex: at, platformIds })),
    );
    const cells = computeGridCells(assets.map((asset, at) => ({ ...asset, assetIndex: at })));
    this.#state = new ShardState(steps, positions, first, cells ? { cells } : {});
  }

  get state(): ShardState {
    return this.#state;
  }

  get ended(): boolean {
    return this.#state.isFinished;
  }

  get onlyAside(): boolean {
    return this.#state.hasOnlySideSteps;
  }

  stop(steps: ReadonlySet<string>): void {
    this.#state.stop(steps);
  }

  hasReady(index: number): boolean {
    return this.#state.ready(index, 0).length > 0;
  }

  /** Assigns assets to steps like the shard workflow: calls of a step, or one wait for all. */
  takeCalls(index: number, nowMs: number): StepAsset[][] {
    if (this.#stepAt(index).mode === 'wait') return [this.takeReady(index, nowMs)];
    const { calls } = this.#state.takeCalls(index, nowMs);
    return calls.map((taken) => this.#assetsOf(index, taken));
  }

  takeReady(index: number, nowMs: number): StepAsset[] {
    return this.#assetsOf(index, this.#state.takeReady(index, nowMs));
  }

  #assetsOf(index: number, taken: readonly StepEntry[]): StepAsset[] {
    const step = this.#stepAt(index);
    const sheets = this.#sheets(taken.map(({ assetIndex: at }) => at));
    const enteredAtMs = taken.map((one) => one.enteredAtMs);
    return stepAssets(sheets, { step, wait: step.mode === 'wait' ? { enteredAtMs } : null });
  }

  apply(index: number, given: readonly Pick<Asset, 'key'>[], results: readonly AssetResult[]) {
    const step = this.#stepAt(index);
    const positions = this.#positions(given);
    const { report, updates } = reportResults(step, this.#sheets(positions), results);
    this.#state.apply(index, positions, { ...report, pages: this.#write(step.node, updates) });
  }

  /** The activity itself has failed. */
  fail(index: number, given: readonly Pick<Asset, 'key'>[], code: string, message: string): void {
    const keyOf = (at: number) => this.#assets[at]?.key ?? '';
    this.#state.fail(index, this.#positions(given), { code, message }, keyOf);
  }

  release(index: number, given: readonly Pick<Asset, 'key'>[]): void {
    this.#state.release(index, this.#positions(given));
  }

  takeSettled(): FinalizedAsset[] {
    return this.#settled(this.#state.takeFinalized());
  }

  takeCancelled(): FinalizedAsset[] {
    return this.#settled(this.#state.takeCancelled());
  }

  failures() {
    return this.#state.failures();
  }

  failedModels() {
    return this.#state.failedModels();
  }

  totals() {
    return this.#state.totals();
  }

  counts() {
    return this.#state.counts();
  }

  /** Continues as new. Finalized assets are left behind, and the pages of the other assets are compacted. */
  continueAsNew(): void {
    const { open } = this.#state;
    const warned = new Map(this.#state.openWarnings());
    const updates = this.#sheets(open).map((sheet) => {
      const more = warningsOf(warned.get(sheet.assetIndex), this.#state.causes);
      return compactUpdateOf({ ...sheet, warnings: [...sheet.warnings, ...more] });
    });
    const carried = this.#state.carried(this.#write('', updates));
    // Sent as JSON.
    this.#state = ShardState.fromCarried(this.#steps, JSON.parse(JSON.stringify(carried)));
  }

  #settled(settled: readonly ShardAssetOutcome[]): FinalizedAsset[] {
    const { causes } = this.#state;
    return createFinalizedAssets(this.#sheets(settled.map(({ assetIndex: at }) => at)), settled, {
      causes,
      idRules,
    });
  }

  #sheets(positions: readonly number[]): AssetState[] {
    const pages = this.#state.pagesOf(positions).flatMap((name) => this.#pages[Number(name)] ?? []);
    return buildAssetStates(this.#assets, pages, positions, idRules);
  }

  #write(node: string, updates: readonly AssetUpdate[]): string[] {
    if (updates.length === 0) return [];
    const page: ShardPage = { node, updates: [...updates] };
    return [String(this.#pages.push(page) - 1)];
  }

  #positions(given: readonly Pick<Asset, 'key'>[]): number[] {
    return given.map(({ key }) => this.#assets.findIndex((asset) => asset.key === key));
  }

  #stepAt(index: number): Step {
    const step = this.#steps[index];
    if (!step) throw new RangeError(`no step ${index}`);
    return step;
  }
}
