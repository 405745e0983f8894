// Warnings about the source of a run: it may be the wrong one, or still be written.
import type { RunWarning } from '../../plan/contract/contract.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import { memoize } from '../../plan/helpers/memoize.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import type { RecordIndex } from '../records/records.ts';
import type { RunAsset } from '../runs/run-asset.ts';
import type { RunStore } from '../runs/run-store.ts';

/** Number of changed assets whose records are read. Assets of one source usually have records of one run. */
const maxRecordsRead = 8;
const maxFilesShown = 5;

/**
 * Warns if a source with delivered assets has no files, because it may be the wrong folder.
 * @param deliveredCount number of delivered assets
 */
export function checkEmptySource(
  deliveredCount: number,
  { node, findMissingSources }: { node: string; findMissingSources?: unknown },
): RunWarning[] {
  if (deliveredCount === 0) return [];
  const fix = findMissingSources ? ' To withdraw all of them, run once with --withdraw-all.' : '';
  const message = `the source no longer has any files, but files of ${formatCount(deliveredCount, 'asset')} were delivered from it and remain. Check that the source is the right folder.${fix}`;
  return [{ key: node, message }];
}

/** Warns if changed assets were delivered from another source, whose files they replace, and which may still exist. */
export async function checkOtherSources(
  store: RunStore,
  { node, location, sources }: { node: string; location?: string; sources?: string },
  { index }: { index: RecordIndex },
  { assets }: { assets: readonly RunAsset[] },
): Promise<RunWarning[]> {
  if (sources === undefined) return [];
  const changed = assets.filter(({ reason }) => reason === 'changed').slice(0, maxRecordsRead);
  const locationOf = memoize(
    async (run: string) => (await store.runAssetsOf(run).head())?.location,
  );
  const findOtherRun = async ({ key }: RunAsset) => {
    const entry = index.get(key);
    const record = entry && (await store.records.read(entry.name));
    const deliveredFrom = record && (await locationOf(record.run));
    return deliveredFrom && deliveredFrom !== location ? [{ key, run: record.run }] : [];
  };
  const [first] = (await mapBounded(changed, findOtherRun, { maxConcurrent: 8 })).flat();
  if (first === undefined) return [];
  const message = `files such as "${first.key}" were delivered by the run ${first.run} from another source (connector settings or table), and this run replaces them. If both sources are in use, each run renders again what the other has replaced: give one of the two pipelines another \`name:\` and destination.`;
  return [{ key: node, message }];
}

/** Warns that a run of selected assets leaves out files that are still being written. */
export function unstableFileWarningsOf(laterPaths: readonly string[], node: string): RunWarning[] {
  if (laterPaths.length === 0) return [];
  const names = formatFirst(laterPaths, maxFilesShown);
  const message = `left out, because somebody is still writing these files: ${names}; rerun once the files are complete`;
  return [{ key: node, message }];
}
