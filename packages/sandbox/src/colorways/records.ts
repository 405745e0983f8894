// The facts of colorway batches. Statuses follow from them and the time.
import type { ModelScope, SwapRule } from 'renderline/api/operations/colorways';

export interface ColorwayBatchRecord {
  readonly id: string;
  readonly createdAt: number;
  readonly swapRules: readonly SwapRule[];
  readonly modelScope: ModelScope;
  readonly jobIds: readonly string[];
}

/** The job of one model. It outlives the model, as history. Times are epoch milliseconds. */
export interface ColorwayJobRecord {
  readonly id: string;
  readonly batchId: string;
  /** One for all jobs of a batch: the colorway that its rules define. */
  readonly definitionId: string;
  readonly modelId: string;
  /** The variant that the model has once the job is complete. */
  readonly variantId: string;
  readonly variantName: string;
  /** Slot id to material id, as the rules matched when the batch was made. */
  readonly swaps: Readonly<Record<string, string>>;
  readonly swapAt: number;
  readonly endAt: number;
  readonly retryCount: number;
  /** The job ends failed with this message. */
  readonly failure?: string;
}
