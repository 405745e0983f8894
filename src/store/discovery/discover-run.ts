// The discovery of a run: finds the assets, writes the manifest once, and updates the records of touched files.
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

/** The part of a discovery source that the store does not provide. */
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
  /** Where files were delivered to, to compare their content; absent: content is not compared. */
  verify?: { destination: Connector | null };
  /** Id of the location that is listed; absent if assets are not files. */
  place?: string;
  /** Finds assets to withdraw; absent if the pipeline withdraws nothing. */
  findGone?: FindGone;
};

/** Finds the assets of a run without writing anything, for `renderline plan`. */
export async function previewDiscovery(
  store: RunStore,
  source: DiscoverySource,
): Promise<Discovered & { gone: FoundGone }> {
  const known = await knownWork(store, source.signal);
  const found = await look(store, source, known, {});
  const gone = await goneIn(store, source, known, found);
  return { ...found, removed: withoutGone(found.removed, gone), gone };
}

/** The missing sources according to a complete listing. */
async function goneIn(
  store: RunStore,
  source: DiscoverySource,
  { index, earlier }: Pick<KnownWork, 'index'> & { earlier?: TakenKeys },
  { taken, standings, assets, counts, refused }: Discovered,
): Promise<FoundGone> {
  if (!source.findGone || !isAll(source)) return { records: [], warnings: [] };
  const keys = new Set([...taken, ...standings].map(({ key }) => key));
  // A source that moved to another key is not missing.
  for (const { moved } of assets) if (moved) keys.add(moved.key);
  const isListed = (key: string) => keys.has(key) || earlier?.find(fold(key)) != null;
  return source.findGone(store, { index, total: counts.total, refused, isListed }, source.signal);
}

/** Removed cells that are withdrawn are reported as withdrawn only. */
function withoutGone(removed: readonly string[], { records }: FoundGone): string[] {
  const gone = new Set(records.map(({ record }) => record.key));
  return removed.filter((key) => !gone.has(key));
}

/**
 * @param known what the listing is compared with
 * @param writing what a run updates during discovery
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
    /** Throws if the assets found must not be started; then nothing is written. */
    check?: (found: Discovered) => Promise<void>;
    hold?: Hold;
    /** Deletes the files under a source's old key if the run that moved the source died first. */
    tidy?: Tidy;
    /** Inspects a file that the canary would take; absent if the root lists no files. */
    isBroken?: (asset: ManifestAsset) => Promise<boolean>;
  };

/** Finds the assets of a run and writes its manifest. A repeated call returns the first result. */
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
  // Written before the manifest, which marks the discovery as complete. A partial run does not become the pipeline's last
  // run.
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

/** Finishes the moves of records that dead runs have started. */
async function finishDeadMoves(
  store: RunStore,
  { tidy = async () => undefined, ...source }: RunSource,
  { moves }: KnownWork,
): Promise<void> {
  if (moves.length === 0) return;
  await beforeWriting(source);
  await finishMoves(store, moves, tidy);
}

/** Warns that all sources are missing, unless they are withdrawn on purpose. */
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

/** Only for files: which platform objects are listed depends on the run. */
function isEmptied({ lister }: DiscoverySource, { counts }: Pick<Discovered, 'counts'>): boolean {
  return lister.hash !== undefined && counts.total === 0;
}

/** Later runs use this to know what they can reuse. */
async function keepRecipe(
  { parameterSets, recipes, context }: RunStore,
  { parameters, stages }: RunSource,
): Promise<void> {
  await parameterSets.keep(parameters);
  if (stages) await recipes.keep(context.recipe, stages);
}

/** False if the run takes only a part of the assets. */
function isAll({ again, choice }: Pick<RunSource, 'again' | 'choice'>): boolean {
  return !again && !choice;
}

/** Must run before every write. A run that was cancelled during discovery writes nothing. */
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

/** Limits of a discovery page: a few hundred bytes for each name, and the time that is lost with a worker. */
export const stretchNames = 10_000;
export const stretchMs = 60_000;

/** True if each part of the listing can be discovered without the rest. */
export function goesInStretches(source: Partial<RunSource>) {
  const { lister, grid, again, verify, canary, identity } = source;
  const isWhole = grid || again || verify || canary || identity === 'content';
  return lister?.stretch !== undefined && !isWhole;
}

/**
 * Like `discoverRun`, for one discovery page; the pages before must be written. Safe to repeat, also by two workers at
 * once.
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
    const part = { number, before, after: last, keys };
    const written = await writeFound(
      store,
      source,
      {
        ...found,
        counts: {
          ...found.counts,
          ...(warnings.length > 0 ? { warnings } : {}),
          ...(await keepGone(store, gone)),
        },
      },
      part,
    );
    if (written.next === undefined) forgetWork(store);
    return written;
  } catch (error) {
    // The cached records may be outdated: records of touched files have been renamed.
    forgetWork(store);
    throw error;
  }
}

/** Failures of the pages before. If not all are known, adds a failure that marks the listing as incomplete. */
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
  if (!listed) throw new TypeError('this root cannot be listed in pages');
  if (!before) await finishDeadMoves(store, source, known);
  const isPart = before !== null || listed.after !== null;
  const part: Lister = { ...lister, list: async () => listed };
  const all = { ...source, lister: part };
  const found = await look(store, all, { ...known, isPart }, writingFor(store, source));
  return { ...found, after: listed.after };
}
/** Warns about files that are still being written. If a person selected them by name, no later run takes them. */
function stillWritten(later: readonly string[], node: string): RunWarning[] {
  if (later.length === 0) return [];
  const more = later.length > filesShown ? ` and ${later.length - filesShown} more` : '';
  const few = later.slice(0, filesShown).join(', ');
  const message = `not taken, since they are still being written: ${few}${more}; rerun once they are complete`;
  return [{ key: node, message }];
}
