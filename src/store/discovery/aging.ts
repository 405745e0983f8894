// Assets of which something is older than the pipeline allows. The ages are read from their records, one for each asset.
import { outlived, standingBut } from '../../plan/freshness.ts';
import type { Refs } from '../../plan/refs.ts';
import { makingStages } from '../../plan/stages.ts';
import type { FreshnessRule } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { mapBounded } from '../objects/bounded.ts';
import type { AssetRecord, Records } from '../records/records.ts';
import type { RefBook } from '../records/ref-book.ts';
import type { ManifestAsset } from '../runs/manifest.ts';
import type { Unchanged } from './verify.ts';

/** The rules, and the current time by the platform's clock. */
export interface Freshness {
  rules: readonly FreshnessRule[];
  nowMs: number;
}

interface Known {
  records: Pick<Records, 'read'>;
  refs: RefBook;
  /** Category that the pipeline gives its models. */
  category?: string | null;
  signal?: AbortSignal;
}

/** The unchanged assets that must be done again, each from its first expired stage. */
export async function agedAssets(
  unchanged: readonly Unchanged[],
  { rules, nowMs }: Freshness,
  known: Known,
): Promise<ManifestAsset[]> {
  const { records, signal } = known;
  const decide = async (one: Unchanged): Promise<ManifestAsset[]> => {
    const record = await records.read(one.record.name);
    const stale = record === null ? [] : outlived(rules, record, nowMs);
    return record === null || stale.length === 0 ? [] : [againOf(one, record, stale, known)];
  };
  return (await mapBounded(unchanged, decide, { atOnce: 32, signal })).flat();
}

function againOf(
  { key, source, record: entry }: Unchanged,
  record: AssetRecord,
  stale: readonly FreshnessRule[],
  { refs: book, category = null }: Known,
): ManifestAsset {
  const stands = standingBut(stale.map(({ stage }) => stage));
  const { earlier, sourceSha256, run } = record;
  return {
    key,
    source,
    reason: 'age',
    stands,
    olderThanMs: Math.min(...stale.map(({ olderThanMs }) => olderThanMs)),
    madeBy: run,
    previous: [entry.name, ...entry.older],
    refs: refsOf(),
    ...withoutUndefined({ earlier, sourceSha256 }),
  };

  function refsOf(): Refs {
    const before = book.ended(book.lasting(record.refs));
    // If all stages are reusable, only the files are delivered again.
    if (stands.length === makingStages.length) return before;
    if (!stands.includes('source') && source.id === undefined) return {};
    const kept = book.standing(before, stands);
    const done = book.done(kept, stands);
    return done.length > 0 ? { ...kept, stands: done } : book.uploadedAs(before, category);
  }
}
