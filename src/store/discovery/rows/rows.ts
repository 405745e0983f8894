// Rows of tables next to the pipeline file, as far as discovery needs them.
import type { KnownFailure } from '../../../failures/define.ts';
import type { RunWarning } from '../../../plan/contract/contract.ts';
import type { Row } from '../../../plan/rows.ts';
import type { AssetSource } from '../../../plan/types.ts';

export type RowOutcome =
  | { row: Row }
  | { failure: KnownFailure; message: string }
  /** The pipeline skips assets without a row. */
  | 'skipped';

export interface Rows {
  /** True if the pipeline's `key:` reads the row, so that the source needs its row before it has a key. */
  readonly isForKeys: boolean;
  /** The row of a source or of a cell. @param key the model's key. Null if the source has none yet */
  readonly rowOf: (key: string | null, source: AssetSource) => RowOutcome;
  readonly version: string;
  /** @throws if the tables differ from those at the start of the run's listing */
  readonly assertVersion: (version: string) => void;
  /** Warnings about rows that belong to no listed asset, and about files that no row refers to. */
  readonly unusedWarnings: (node: string) => RunWarning[];
}
