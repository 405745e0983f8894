// Costs of a step for `renderline plan`, as its step type defines them.
import type { Json } from '../../plan/types.ts';
import type { FoundWork } from './found-work.ts';

/** Requests by operation. */
export type Requests = Record<string, number>;

export interface StepCost {
  /** Requests for one group of assets, which the step sends in batches. */
  requests?(work: StepWork): Requests;
  /** Requests for all assets of the run, however they are grouped. */
  once?(work: StepWork): Requests;
  modelFiles?(work: Pick<StepWork, 'config' | 'found'>): number;
  /** Typical time that the platform takes, seconds. */
  readonly seconds?: number;
  /** Set if the step sends one request per batch of assets. */
  readonly byBatch?: true;
  files?(work: Omit<StepWork, 'has' | 'batchesOf' | 'isMax' | 'pollSeconds'>): ExpectedFiles;
  /** Maximum number of renders per asset: render jobs, or captures, which cost the same. Absent if there are none. */
  readonly draws?: number;
  /** Kind of the resource that the step creates for a source. `supersede` deletes it when the source changes. */
  creates?(source: FoundWork['assets'][number]['source']): string;
}

/** Expected files of a run. */
export interface ExpectedFiles {
  total: number;
  /** True if `total` is a minimum: some renders may turn out to have more than one output. */
  min: boolean;
}

export interface StepWork {
  readonly config: Readonly<Record<string, Json>>;
  /** Number of assets in the group, which may need several batches. */
  readonly assets: number;
  readonly batch: number;
  readonly isRoot: boolean;
  /** For a step that polls: how long the platform takes, seconds. The estimate counts one poll per second. */
  readonly pollSeconds: number;
  /** True to count the maximum: the worst case of everything that is not known before the run. */
  readonly isMax: boolean;
  /** All assets that reach the step. */
  readonly found: FoundWork['assets'];
  /** True if the plan has a step of this type. */
  readonly has: (activity: string) => boolean;
  /** Number of requests of another step that sends one request per batch. */
  readonly batchesOf: (activity: string) => number;
}

export interface Estimate {
  /** `max` is the total if the platform takes twice as long and assets become ready a few at a time. */
  requests: { total: number; max: number; byOperation: Requests };
  /** Rate-limit windows of 60 s that the requests need. Null if the allowance is unknown. */
  windows: number | null;
  /**
   * Render jobs and captures, counted as one per asset and step. A production file with several variants needs more.
   */
  renders: number;
  /** True if some renders depend on a `when:` that only the run can decide. In this case, the numbers are maxima. */
  max: boolean;
  files: ExpectedFiles;
  /** Maximum number of resources that the steps create, by kind. */
  creates: Record<string, number>;
  /** Model files that are delivered, including those that exist already. Absent if there are none. */
  modelFiles?: number;
  /** By step: maximum number of assets that reach it. For `undecided` of them, `when:` is known only in the run. */
  countsByStep: Record<string, { assets: number; undecided: number }>;
  /** Number of old versions of changed files that are deleted on the platform after their new version is complete. */
  deletes: number;
  /** Expected duration. The platform's own time is an estimate. */
  seconds: number;
}
