import type { FeatureIdRules } from '../../store/records/id-rules.ts';

/** A colorway that is being created from an asset's model. */
export interface ColorwayRef {
  /** Fingerprints of the variants that the model had before the batch. All other variants are new. */
  before: string;
  /** Hash of the swap rules of a grid cell. */
  cell?: string;
  /** Id of the batch. Empty if an existing variant is reused, or if only a new variant proves that the batch exists. */
  batchId?: string;
  tries?: number;
  /** Id of the failed job that waits for its retry. */
  failedJobId?: string;
  /** Id of the completed job. It is for information only. */
  jobId?: string;
  /** The platform's warning about the model from the batch response. */
  warning?: string;
}

declare module '../../plan/platform-ids.ts' {
  interface PlatformIds {
    colorway?: ColorwayRef;
    /** Ids of the chosen variants, which `render` renders. */
    variants?: string[];
    /** Fingerprint of a project and of the variants that were added to it, because the project existed before them. */
    added?: string;
    /** Name of the chosen variant, if there is exactly one. */
    variantName?: string;
  }
}

export const variantIdRules: FeatureIdRules = {
  transient: ['colorway'],
  createdFields: ['colorway'],
};
