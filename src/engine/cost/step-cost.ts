// Costs of a step for `renderline plan`, as its step type defines them.
import type { Json } from '../../plan/types.ts';
import type { FoundWork } from './found-work.ts';

/** Numbers of requests by operation. */
export type Requests = Record<string, number>;

export interface StepCost {
  /** Returns the requests for one group of assets, which the step sends in batches. */
  requests?(work: StepWork): Requests;
  /** Returns the requests for all assets of the run, regardless of how they are grouped. */
  once?(work: StepWork): Requests;
  modelFiles?(work: Pick<StepWork, 'config' | 'found'>): number;
  /** Typical time that the platform takes, in seconds. */
  readonly seconds?: number;
  /** Set if the step sends one request per batch of assets. */
  readonly byBatch?: true;
  files?(work: Omit<StepWork, 'has' | 'batchesOf' | 'isMax' | 'pollSeconds'>): ExpectedFiles;
  /** Maximum number of renders per asset: render jobs and captures, which cost the same. Absent if there are none. */
  readonly draws?: number;
  /** Returns the kind of resource that the step creates for a source. `supersede` deletes it if the source changes. */
  creates?(source: FoundWork['assets'][number]['source']): string;
}

/** Number of files that a run is expected to deliver. */
export interface ExpectedFiles {
  total: number;
  /** True if `total` is a minimum, because some renders may turn out to have more than one output. */
  min: boolean;
}

export interface StepWork {
  readonly config: Readonly<Record<string, Json>>;
  /** Number of assets in the group, which may need several batches. */
  readonly assets: number;
  readonly batch: number;
  readonly isRoot: boolean;
  /** How long the platform takes for a step that polls, in seconds. The estimate counts one poll per second. */
  readonly pollSeconds: number;
  /** True to count the maximum, that is, the worst case of everything that is unknown before the run. */
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
  /** Number of 60 s rate-limit windows that the requests need. Null if the allowance is unknown. */
  windows: number | null;
  /** Render jobs and captures, one per asset and step. */
  renders: number;
  /** Set if `renders` is a minimum, because each variant of a production file is a render. */
  min?: true;
  /**
   * True if `renders` is a maximum, because some depend on a `when:` that only the run can decide, or on captures that
   * may be up to date.
   */
  max: boolean;
  files: ExpectedFiles;
  /** Maximum number of resources that the steps create, by kind. */
  creates: Record<string, number>;
  /** Number of model files that are delivered, including those that already exist. Absent if there are none. */
  modelFiles?: number;
  /** By step: maximum number of assets that reach it. For `undecided` of them, `when:` is known only in the run. */
  countsByStep: Record<string, { assets: number; undecided: number }>;
  /** By step: maximum number of assets that reach it. For `undecided` of them, only the run can decide `when:`. */
  deletes: number;
  /** Expected duration in seconds. The platform's own time is an estimate. */
  seconds: number;
}
