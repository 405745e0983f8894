// Rules about an asset's platform ids. The store knows no ids itself, because each feature declares its rules. Pure.
import type { Position } from '../../plan/grid.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { ReusableStages } from '../../plan/stages.ts';
import type { DeliveredFile, WorkStage } from '../../plan/types.ts';

declare module '../../plan/platform-ids.ts' {
  interface PlatformIds {
    /** Stages that are reused although the pipeline has changed. Their steps have nothing to do. */
    reusableStages?: readonly WorkStage[];
    /** Files that exports delivered in an attempt that did not finish. */
    delivered?: readonly DeliveredFile[];
  }
}

/** The rules of one feature about the platform ids that it assigns to assets. */
export interface FeatureIdRules {
  /** Ids that only count while a run works on the asset. */
  readonly transient?: readonly (keyof PlatformIds)[];
  /** Ids of resources that were created for one asset alone. A call that returned one is never forgotten. */
  readonly createdFields?: readonly (keyof PlatformIds)[];
  /** Ids that all cells of a model share. */
  readonly ofModel?: readonly (keyof PlatformIds)[];
  /**
   * Ids that become invalid when the render is created again. `ofSheet` lists the ids that become invalid when the
   * production file is created again. All other ids belong to earlier stages.
   */
  readonly ofRender?: readonly (keyof PlatformIds)[];
  readonly ofSheet?: readonly (keyof PlatformIds)[];
  /** A stage, and whether the feature's ids show that it is complete. */
  readonly completion?: { readonly stage: WorkStage; isDone(platformIds: PlatformIds): boolean };
  /**
   * Ids that depend only on the bytes of the file, whatever a pipeline does with it. Empty if the file was not
   * uploaded.
   * @param category category that the pipeline assigns to its models, or null for none. If absent, any category
   */
  uploadIds?(platformIds: PlatformIds, category?: string | null): PlatformIds;
  /** Returns the ids that a later run may build on once all their work has ended. */
  afterCompletion?(platformIds: PlatformIds): PlatformIds;
  /** Returns the ids that stay valid after a run and its platform work were cancelled. */
  afterCancel?(platformIds: PlatformIds): PlatformIds;
  /** Merges ids of parallel nodes that each know a part. */
  merge?(base: PlatformIds, update: PlatformIds): PlatformIds;
  /** Describes the platform work that a cancellation ends. Null if there is none. */
  formatWorkInProgress?(platformIds: PlatformIds): string | null;
}

const common: FeatureIdRules = {
  transient: [
    'retries',
    'possibleDuplicate',
    'idConflict',
    'uploadStarted',
    'missingIds',
    'lastCreatedAtMs',
    'reusableStages',
    'delivered',
  ],
};

/** The rules of all features together. */
export class IdRules {
  readonly #slices: readonly FeatureIdRules[];
  readonly #transient: ReadonlySet<string>;
  readonly #createdFields: readonly (keyof PlatformIds)[];
  readonly #ofModel: ReadonlySet<string>;
  readonly #ofPositions: Readonly<Record<string, readonly string[]>>;
  readonly #ofRender: ReadonlySet<string>;
  readonly #ofSheet: ReadonlySet<string>;

  /** @param ofPositions by dimension: ids that cells share if they look the same along it and all outer dimensions */
  constructor(
    slices: readonly FeatureIdRules[],
    ofPositions: Readonly<Record<string, readonly (keyof PlatformIds)[]>> = {},
  ) {
    this.#slices = [common, ...slices];
    this.#transient = new Set(this.#slices.flatMap(({ transient = [] }) => transient));
    this.#createdFields = slices.flatMap(({ createdFields = [] }) => createdFields);
    this.#ofModel = new Set(slices.flatMap(({ ofModel = [] }) => ofModel));
    this.#ofPositions = ofPositions;
    this.#ofRender = new Set(slices.flatMap(({ ofRender = [] }) => ofRender));
    this.#ofSheet = new Set(slices.flatMap(({ ofSheet = [] }) => ofSheet));
  }

  withoutTransient(platformIds: PlatformIds): PlatformIds {
    return pick(platformIds, (name) => !this.#transient.has(name));
  }

  hasCreated(platformIds: PlatformIds): boolean {
    return this.#createdFields.some((name) => platformIds[name] !== undefined);
  }

  /** True if another run need not upload the file again. */
  isUploaded(platformIds: PlatformIds): boolean {
    return Object.keys(this.uploadIds(platformIds)).length > 0;
  }

  /** Returns the ids of the upload. A model counts only in the pipeline's category (null for none, absent for any). */
  uploadIds(platformIds: PlatformIds, category?: string | null): PlatformIds {
    return Object.assign(
      {},
      ...this.#slices.map((slice) => slice.uploadIds?.(platformIds, category)),
    );
  }

  ofModel(platformIds: PlatformIds): PlatformIds {
    return pick(platformIds, (name) => this.#ofModel.has(name));
  }

  /** Returns the ids that belong to these positions of a cell, outermost first. */
  ofPositions(platformIds: PlatformIds, positions: readonly Position[]): PlatformIds {
    const names = new Set(positions.flatMap(({ dimension }) => this.#ofPositions[dimension] ?? []));
    return pick(platformIds, (name) => names.has(name));
  }

  /** Returns the ids that another recipe may reuse if these stages are reusable. Empty if the composition is not. */
  reusable(platformIds: PlatformIds, stages: ReusableStages): PlatformIds {
    if (!stages.includes('composition')) return {};
    const isDropped = (stage: WorkStage, names: ReadonlySet<string>, name: string) =>
      !stages.includes(stage) && names.has(name);
    return pick(
      platformIds,
      (name) =>
        !isDropped('render', this.#ofRender, name) && !isDropped('sheet', this.#ofSheet, name),
    );
  }

  /** Returns the given stages that the ids show to be complete. A project implies that the file is uploaded. */
  completedStages(platformIds: PlatformIds, stages: ReusableStages): WorkStage[] {
    const isDone = (stage: WorkStage) =>
      this.#slices.some(
        ({ completion }) => completion?.stage === stage && completion.isDone(platformIds),
      );
    const isComposed = stages.includes('composition') && isDone('composition');
    if (!isComposed) return stages.filter((stage) => stage === 'source' && isDone(stage));
    return stages.filter((stage) => stage === 'source' || isDone(stage));
  }

  afterCompletion(platformIds: PlatformIds): PlatformIds {
    return this.#slices.reduce((ids, slice) => slice.afterCompletion?.(ids) ?? ids, platformIds);
  }

  afterCancel(platformIds: PlatformIds): PlatformIds {
    return this.#slices.reduce((ids, slice) => slice.afterCancel?.(ids) ?? ids, platformIds);
  }

  /** Merges ids. `update` replaces `base`, unless a feature has its own rule (`merged`). */
  merge(base: PlatformIds, update: PlatformIds): PlatformIds {
    const mergedIds = this.#slices.map((slice) => slice.merge?.(base, update));
    return Object.assign({}, base, update, ...mergedIds);
  }

  formatWorkInProgress(platformIds: PlatformIds): string | null {
    return (
      this.#slices.flatMap((slice) => slice.formatWorkInProgress?.(platformIds) ?? []).at(0) ?? null
    );
  }
}

function pick(platformIds: PlatformIds, isPicked: (name: string) => boolean): PlatformIds {
  return Object.fromEntries(Object.entries(platformIds).filter(([name]) => isPicked(name)));
}
