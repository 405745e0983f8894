// The variants of an asset's model: those that it has, and the colorway that is being made of it.
import type { RefSlice } from '../../store/records/ref-book.ts';

/** The colorway that is being made of an asset's model. */
export interface ColorwayRef {
  /** Variants that the model had before, as marks: what is not among them is new. */
  before: string;
  /** Hash of the rules of its cell of a grid. */
  cell?: string;
  /** Empty where its answer was lost, and a new variant tells that it was made. */
  batchId?: string;
  /** Times that its job was started again. */
  tries?: number;
  /** The job failed and waits for its retry. */
  failedJobId?: string;
  /** The job that made it; only for who looks for it. */
  jobId?: string;
  /** What the platform said about the model when it made the batch. */
  warning?: string;
}

declare module '../../plan/refs.ts' {
  interface Refs {
    colorway?: ColorwayRef;
    /** Ids of the variants that were chosen: what `render` draws. */
    variants?: string[];
    /** Mark of the variants that were added to a project that was there before them. */
    added?: string;
    /** Name of the chosen variant, where there is exactly one. */
    variantName?: string;
  }
}

export const variantRefs: RefSlice = {
  passing: ['colorway'],
  made: ['colorway'],
  ofColorway: ['variants', 'variantName'],
};
