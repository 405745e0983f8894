// Gives sources and cells their rows, and refuses those whose row is missing or cannot be used.
import type { Failure } from '../../../plan/types.ts';
import { refusal } from '../asset-keys.ts';
import type { ListedSource } from '../listed-source.ts';
import type { Rows } from './rows.ts';

interface RowTaker {
  /** The sources that the pipeline takes, with their rows. */
  take<Source extends ListedSource>(
    sources: readonly Source[],
    keyOf: (source: Source) => string | null,
  ): Source[];
  /** Sources that were refused so far. */
  readonly refused: Failure[];
}

/** @param rows null: sources have no rows */
export function createRowTaker(rows: Rows | null, node: string): RowTaker {
  const refused: Failure[] = [];
  return {
    refused,
    take(sources, keyOf) {
      if (rows === null) return [...sources];
      return sources.flatMap((one) => {
        const found = rows.rowOf(keyOf(one), one.source);
        if (found === 'skipped') return [];
        if ('row' in found) return [{ ...one, source: { ...one.source, row: found.row } }];
        refused.push(refusal(found.failure, one.unkeyed.label, node, found.message));
        return [];
      });
    },
  };
}
