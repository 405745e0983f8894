// The table of real and composed texture listings, which is next to the repository.
import { sharedRows } from '../glb/_shared-data.ts';

export interface ListingRow {
  readonly case: string;
  readonly path: string;
  readonly policy?: string;
  readonly expect: {
    readonly class: 'channel' | 'packed' | 'ignored' | 'duplicate' | 'unmatched' | 'skipped';
    readonly group?: string;
    readonly channel?: string;
  };
}

/** The rows by listing. */
export function sharedListings(): ReadonlyMap<string, readonly ListingRow[]> {
  const listings = new Map<string, ListingRow[]>();
  for (const row of sharedRows<ListingRow>('texture-paths.jsonl')) {
    listings.set(row.case, [...(listings.get(row.case) ?? []), row]);
  }
  return listings;
}
