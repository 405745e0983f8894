// Stored facts about colorway batches. Statuses are computed from the facts and the time.
import type { ModelScope, SwapRule } from 'renderline/api/operations/colorways';

export interface ColorwayBatchRecord {
  readonly id: string;
  readonly createdAt: number;
  readonly swapRules: readonly SwapRule[];
  readonly modelScope: ModelScope;
  readonly jobIds: readonly string[];
}

/** The job of one model. It is kept as history after the model is deleted. Times are epoch milliseconds. */
export interface ColorwayJobRecord {
  readonly id: string;
  readonly batchId: string;
  /** Id of the colorway that the rules define. It is the same for all jobs of a batch. */
  readonly definitionId: string;
  readonly modelId: string;
  /** The variant that the completed job adds to the model. */
  readonly variantId: string;
  readonly variantName: string;
  /** Material ids by slot id, matched when the batch was created. */
  readonly swaps: Readonly<Record<string, string>>;
  readonly swapAt: number;
  readonly endAt: number;
  readonly retryCount: number;
  /** If set, the job fails with this message. */
  readonly failure?: string;
}
