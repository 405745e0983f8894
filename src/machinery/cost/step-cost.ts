// Costs of a step, as its type states them for `renderline plan`.
import type { Json } from '../../plan/types.ts';
import type { FoundWork } from './found-work.ts';

/** Requests by operation. */
export type Requests = Record<string, number>;

export interface StepCost {
  /** Requests for assets that are worked on together. */
  requests?(work: StepWork): Requests;
  /** Requests for all assets of the run, whoever works on them together. */
  once?(work: StepWork): Requests;
  /** Files of models that it delivers. */
  modelFiles?(work: Pick<StepWork, 'config' | 'found'>): number;
  /** Time that the platform takes as a rule, seconds. */
  readonly seconds?: number;
  /** Its requests are for so many assets each as the step has in a batch. */
  readonly byBatch?: true;
  /** Files that it delivers. */
  files?(work: StepWork): FilesAhead;
  /** Each asset is a render job or a capture, which cost the same (4.13). */
  readonly draws?: true;
  /** Kind of the thing that it makes of a source, which goes where the source has changed and the file says so. */
  makes?(source: FoundWork['assets'][number]['source']): string;
}

/** Files of a run in advance. */
export interface FilesAhead {
  total: number;
  /** Some renders may have more outputs than one, which nobody knows before they are done. */
  atLeast: boolean;
}

/** Work that comes to a step. */
export interface StepWork {
  readonly config: Readonly<Record<string, Json>>;
  /** Assets that are worked on together. */
  readonly assets: number;
  readonly batch: number;
  readonly isRoot: boolean;
  /** All assets that come to the step. */
  readonly found: FoundWork['assets'];
  /** True where the plan has a step of this type. */
  readonly has: (activity: string) => boolean;
  /** Requests of another step of the plan, which sends them by batch. */
  readonly batchesOf: (activity: string) => number;
}

export interface Estimate {
  requests: { total: number; byOperation: Requests };
  /** Rate-limit windows of 60 s that the requests need; null when the allowance is not known. */
  windows: number | null;
  /** Render jobs and captures: one an asset and step; of several variants more. */
  renders: number;
  /** True where some of the renders depend on a `when:` that only the run can decide: it makes no more than these. */
  atMost: boolean;
  /** Files that are delivered of the assets that come to exports. */
  files: FilesAhead;
  /** Things that steps make of the assets that come to them, at most, by kind. */
  makes: Record<string, number>;
  /** Files of models that are delivered, also those that lie there already; absent where none are. */
  modelFiles?: number;
  /** By step: the assets that come to it, at most, and those among them for which only the run can decide. */
  taken: Record<string, { assets: number; undecided: number }>;
  /** Old versions of changed files that are deleted on the platform, each once its new one is complete. */
  deletes: number;
  /** Expected duration; what the platform itself takes is a guess. */
  seconds: number;
}
