import type { FeatureIdRules } from '../../store/records/id-rules.ts';

/** A colorway that is being created from an asset's model. */
export interface ColorwayRef {
  /** Fingerprints of the variants that the model had before the batch; all others are new. */
  before: string;
  /** Hash of the swap rules of a grid cell. */
  cell?: string;
  /** Empty if an existing variant is reused, or if only a new variant shows that the batch exists. */
  batchId?: string;
  tries?: number;
  /** Id of the failed job that waits for its retry. */
  failedJobId?: string;
  /** Id of the completed job; for information only. */
  jobId?: string;
  /** The platform's warning about the model from the batch response. */
  warning?: string;
}

declare module '../../plan/platform-ids.ts' {
  interface PlatformIds {
    colorway?: ColorwayRef;
    /** Ids of the chosen variants, which `render` renders. */
    variants?: string[];
    /** Fingerprint of the variants that were added to a project that existed before them, and of the project. */
    added?: string;
    /** Name of the chosen variant, if there is exactly one. */
    variantName?: string;
  }
}

export const variantIdRules: FeatureIdRules = {
  transient: ['colorway'],
  createdFields: ['colorway'],
};
