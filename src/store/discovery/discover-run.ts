// The discovery of a run: finds its assets, writes its manifest once, brings touched records up to date.
import type { Connector } from '../../connectors/connector.ts';
import { pathFailures } from '../../failures/places.ts';
import type { Discovery, RunWarning } from '../../plan/contract.ts';
import { type Sharing, toDoOf } from '../../plan/shares.ts';
import type { Failure } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import type { Hold } from '../claims/hold.ts';
import { finishMoves, type Tidy } from '../claims/moves.ts';
import type { LastRun } from '../runs/last-run.ts';
import { addedCounts, type ManifestAsset, type NewStretch } from '../runs/manifest.ts';
import type { ManifestHead } from '../runs/manifest-heads.ts';
import type { RunStore } from '../runs/run-store.ts';
import { fold, type TakenKeys } from './asset-keys.ts';
import { canariesFirst } from './canaries-first.ts';
import { type DiscoverAssetsInput, type Discovered, discoverAssets } from './discover.ts';
import { emptiedWarnings } from './emptied.ts';
import { deliveredOf, type FindGone, type FoundGone } from './gone.ts';
import { groupingWarnings } from './grouping-warnings.ts';
import { forgetWork, type KnownWork, keptWork, knownWork, writtenKey } from './known-work.ts';
import type { ListedStretch, Lister, StretchLimits } from './lister.ts';
import { movedWarnings } from './moved-words.ts';
import { removedWarnings } from './removed-cells.ts';
import { type TouchedAsset, type VerifyInput, verifyUnchanged } from './verify.ts';

/** Files that a warning names. */
const filesShown = 5;

/** The part of a source that the store itself does not know. */
export type DiscoverySource = Pick<
  DiscoverAssetsInput,
  | 'lister'
  | 'node'
  | 'keyOf'
  | 'again'
  | 'choice'
  | 'signal'
  | 'grid'
  | 'category'
  | 'pathsAhead'
  | 'stages'
  | 'identity'
  | 'freshness'
> & {
  /** Where files were delivered to, for a look at their content as well; absent: looks are believed. */
  verify?: { destination: Connector | null };
  /** Mark of the place that is listed; absent where assets are no files. */
  place?: string;
  /** Finds what is to be withdrawn; absent where the pipeline withdraws nothing. */
  findGone?: FindGone;
};

/** Finds the assets of a run without writing anything: what `renderline plan` shows. */
export async function previewDiscovery(
  store: RunStore,
  source: DiscoverySource,
): Promise<Discovered & { gone: FoundGone }> {
  const known = await knownWork(store, source.signal);
  const found = await look(store, source, known, {});
  const gone = await goneIn(store, source, known, found);
  return { ...found, removed: withoutGone(found.removed, gone), gone };
}

/** What is gone by a listing of everything. */
async function goneIn(
  store: RunStore,
  source: DiscoverySource,
  { index, earlier }: Pick<KnownWork, 'index'> & { earlier?: TakenKeys },
  { taken, standings, assets, counts, refused }: Discovered,
): Promise<FoundGone> {
  if (!source.findGone || !isAll(source)) return { records: [], warnings: [] };
  const keys = new Set([...taken, ...standings].map(({ key }) => key));
  // What goes on under another key is not gone.
  for (const { moved } of assets) if (moved) keys.add(moved.key);
  const isListed = (key: string) => keys.has(key) || earlier?.find(fold(key)) != null;
  return source.findGone(store, { index, total: counts.total, refused, isListed }, source.signal);
}

/** Cells that go are told of by themselves. */
function withoutGone(removed: readonly string[], { records }: FoundGone): string[] {
  const gone = new Set(records.map(({ record }) => record.key));
  return removed.filter((key) => !gone.has(key));
}

/**
 * @param known what the listing is compared with
 * @param writing what a run brings up to date as it looks
 */
async function look(
  store: RunStore,
  { verify, ...source }: DiscoverySource,
  { moves, ...known }: KnownWork & Pick<DiscoverAssetsInput, 'earlier' | 'isPart'>,
  writing: Pick<VerifyInput, 'learn' | 'pages'>,
): Promise<Discovered> {
  const { recipe } = store.context;
  const { records, recipes, refs } = store;
  const ended = new Set(moves.map(({ moved }) => moved.record));
  const input = { ...source, ...writing, ...known, ended, recipe, records, recipes, refs };
  if (!verify) return discoverAssets(input);
  return discoverAssets({
    ...input,
    verify: (unchanged) => verifyUnchanged(unchanged, { ...input, ...verify }),
  });
}

type RunSource = DiscoverySource &
  Sharing & {
    category?: string | null;
    parameters: LastRun['parameters'];
    /** Throws when what was found must not be begun; nothing is written then. */
    check?: (found: Discovered) => Promise<void>;
    hold?: Hold;
    /** Deletes what was delivered under the old key of a source, where a run that died has not. */
    tidy?: Tidy;
    /** A look at a file that the canary would take; absent where the root lists no files. */
    isBroken?: (asset: ManifestAsset) => Promise<boolean>;
  };

/** Finds the assets of a run and writes its manifest. A second call answers what the first one found. */
export async function discoverRun(store: RunStore, source: RunSource): Promise<Discovery> {
  const standing = await store.manifest.discovery();
  if (standing) return standing;
  const known = await knownWork(store, source.signal);
  await finishDeadMoves(store, source, known);
  const found = await look(store, source, known, writingFor(store, source));
  await source.check?.(found);
  const { counts, grouping } = found;
  const gone = await goneIn(store, source, known, found);
  await beforeWriting(source);
  // Before the manifest, whose presence says that all of this was done. A part of the assets is no new state of the pipeline.
  await keepRecipe(store, source);
  if (isAll(source)) await store.keepLastRun({ parameters: source.parameters, counts });
  const warnings = !isAll(source)
    ? [...movedWarnings(found.moved, source.node), ...stillWritten(found.later, source.node)]
    : [
        ...movedWarnings(found.moved, source.node),
        ...(grouping ? groupingWarnings(grouping, source.node) : []),
        ...removedWarnings(withoutGone(found.removed, gone), source.node),
        ...emptiedIn(source, found, known, gone),
        ...gone.warnings,
      ];
  return writeFound(store, source, {
    ...found,
    counts: {
      ...counts,
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(await keepGone(store, gone)),
    },
  });
}

/** Ends the moves of records that a run which died had written. */
async function finishDeadMoves(
  store: RunStore,
  { tidy = async () => undefined, ...source }: RunSource,
  { moves }: KnownWork,
): Promise<void> {
  if (moves.length === 0) return;
  await beforeWriting(source);
  await finishMoves(store, moves, tidy);
}

/** Says that all is gone, where nobody says that this is meant. */
function emptiedIn(
  source: RunSource,
  found: Pick<Discovered, 'counts'>,
  { index }: Pick<KnownWork, 'index'>,
  { records }: FoundGone,
): RunWarning[] {
  if (!isEmptied(source, found) || records.length > 0) return [];
  return emptiedWarnings(deliveredOf(index), source);
}

/** Writes down what the run withdraws at its end. */
async function keepGone(
  { withdrawals }: RunStore,
  { records }: FoundGone,
): Promise<Pick<Discovery, 'withdraws'>> {
  if (records.length === 0) return {};
  await withdrawals.write(records.map(({ entry }) => entry.name));
  return { withdraws: records.length };
}

/** True for files: objects of the platform are listed by what a run is for. */
function isEmptied({ lister }: DiscoverySource, { counts }: Pick<Discovered, 'counts'>): boolean {
  return lister.hash !== undefined && counts.total === 0;
}

/** So that later runs know what they may use again. */
async function keepRecipe(
  { parameterSets, recipes, context }: RunStore,
  { parameters, stages }: RunSource,
): Promise<void> {
  await parameterSets.keep(parameters);
  if (stages) await recipes.keep(context.recipe, stages);
}

/** False where it takes a part of what there is. */
function isAll({ again, choice }: Pick<RunSource, 'again' | 'choice'>): boolean {
  return !again && !choice;
}

/** Before all that is written. A run that was cancelled while it looked has found nothing. */
async function beforeWriting({ hold, signal }: Pick<RunSource, 'hold' | 'signal'>): Promise<void> {
  await hold?.();
  signal?.throwIfAborted();
}

function writingFor(store: RunStore, { hold }: RunSource): Pick<VerifyInput, 'learn' | 'pages'> {
  const learn = async ({ record, source: now, previous }: TouchedAsset) => {
    await hold?.();
    const { schema: _schema, ...kept } = record;
    await store.records.write({ ...kept, source: now }, previous);
  };
  return { learn, pages: store.verified };
}

async function writeFound(
  store: RunStore,
  { shardSize, canary, category = null, place, isBroken }: RunSource,
  { assets, counts, refused }: Pick<Discovered, 'assets' | 'counts' | 'refused'>,
  stretch?: NewStretch,
): Promise<Discovery> {
  return store.manifest.write({
    assets: canary ? await canariesFirst(assets, canary.assets, isBroken) : assets,
    lineage: store.context.lineage,
    shardSize,
    ...withoutUndefined({ canary, stretch, place }),
    category,
    counts,
    refused,
  });
}

/** Names of a stretch, and its time: a few hundred bytes each, and what is lost with a worker. */
export const stretchNames = 10_000;
export const stretchMs = 60_000;

/** True where a part of the listing tells what is an asset, whatever else there is. */
export function goesInStretches(source: Partial<RunSource>) {
  const { lister, grid, again, verify, canary, identity } = source;
  const isWhole = grid || again || verify || canary || identity === 'content';
  return lister?.stretch !== undefined && !isWhole;
}

/**
 * As `discoverRun`, for one stretch of the listing: what the stretches before it found must be written. A call that
 * is made twice, also by two workers at once, comes to the same.
 */
export async function discoverStretch(
  store: RunStore,
  source: RunSource,
  number: number,
  limits: Partial<StretchLimits> = {},
): Promise<Discovery> {
  const { heads } = store.manifest;
  const standing = await heads.at(number);
  if (standing) return standing.discovery;
  const before = number === 0 ? null : await heads.at(number - 1);
  if (number > 0 && !before) throw store.manifest.gone();
  try {
    const so = before?.discovery.total ?? 0;
    const most = {
      names: stretchNames,
      ms: stretchMs,
      ...limits,
      told: (listed: number) => limits.told?.(so + listed),
    };
    const found = await lookOn(store, source, before, most);
    const isOver = found.after === null;
    if (!before || toDoOf(before.discovery) === 0) await source.check?.(found);
    await beforeWriting(source);
    const { parameters } = source;
    if (!before) await keepRecipe(store, source);
    const counts = addedCounts(before?.discovery ?? null, found.counts);
    if (isAll(source) && (!before || isOver)) await store.keepLastRun({ parameters, counts });
    const { after: last } = found;
    const keys = found.taken.map(writtenKey);
    const all = { ...found, counts, refused: [...refusedBefore(before), ...found.refused] };
    const work = isOver ? await keptWork(store, before) : null;
    const gone = work ? await goneIn(store, source, work, all) : { records: [], warnings: [] };
    const warnings = [
      ...movedWarnings(found.moved, source.node),
      ...(work ? [...emptiedIn(source, all, work, gone), ...gone.warnings] : []),
    ];
    const told = {
      ...found.counts,
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(await keepGone(store, gone)),
    };
    const part = { number, before, after: last, keys };
    const written = await writeFound(store, source, { ...found, counts: told }, part);
    if (written.next === undefined) forgetWork(store);
    return written;
  } catch (error) {
    // What is known may be behind: records of files that were touched have other names now.
    forgetWork(store);
    throw error;
  }
}

/** Refusals of the stretches before, as far as they are told; where they are not, something may not have been listed. */
function refusedBefore(before: ManifestHead | null): Failure[] {
  const { refused = 0, refusals = [] } = before?.discovery ?? {};
  if (refused <= refusals.length) return refusals;
  const { code } = pathFailures.UNREADABLE;
  return [...refusals, { key: '', node: '', code, message: '', attempts: 0 }];
}

async function lookOn(
  store: RunStore,
  source: RunSource,
  before: ManifestHead | null,
  limits: StretchLimits,
): Promise<Discovered & Pick<ListedStretch, 'after'>> {
  const { lister, signal } = source;
  const [listed, known] = await Promise.all([
    lister.stretch?.(before?.onward?.after ?? '', limits, signal),
    keptWork(store, before, signal),
  ]);
  if (!listed) throw new TypeError('this root is listed as a whole');
  if (!before) await finishDeadMoves(store, source, known);
  const isPart = before !== null || listed.after !== null;
  const part: Lister = { ...lister, list: async () => listed };
  const all = { ...source, lister: part };
  const found = await look(store, all, { ...known, isPart }, writingFor(store, source));
  return { ...found, after: listed.after };
}
/** Warns of files that are still written. Where they were asked for by name, no next run would take them. */
function stillWritten(later: readonly string[], node: string): RunWarning[] {
  if (later.length === 0) return [];
  const more = later.length > filesShown ? ` and ${later.length - filesShown} more` : '';
  const few = later.slice(0, filesShown).join(', ');
  const message = `not taken, since still being written: ${few}${more}; rerun once they are whole`;
  return [{ key: node, message }];
}
