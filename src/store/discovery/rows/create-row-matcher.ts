// Assigns rows to sources and cells, and refuses those whose row is missing or cannot be used.
import type { Failure } from '../../../plan/types.ts';
import { sourceFailure } from '../asset-keys.ts';
import type { ListedSource } from '../listed-source.ts';
import type { Rows } from './rows.ts';

interface RowMatcher {
  /** Returns the sources that the pipeline takes, with their rows. */
  match<Source extends ListedSource>(
    sources: readonly Source[],
    keyOf: (source: Source) => string | null,
  ): Source[];
  readonly refusals: Failure[];
}

/** @param rows null if sources have no rows */
export function createRowMatcher(rows: Rows | null, node: string): RowMatcher {
  const refusals: Failure[] = [];
  return {
    refusals,
    match(sources, keyOf) {
      if (rows === null) return [...sources];
      return sources.flatMap((source) => {
        const outcome = rows.rowOf(keyOf(source), source.source);
        if (outcome === 'skipped') return [];
        if ('row' in outcome)
          return [{ ...source, source: { ...source.source, row: outcome.row } }];
        refusals.push(sourceFailure(outcome.failure, source.unkeyed.label, node, outcome.message));
        return [];
      });
    },
  };
}
