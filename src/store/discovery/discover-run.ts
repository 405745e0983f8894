// The discovery of a run: finds its assets, writes its manifest once, brings touched records up to date.
import type { Connector } from '../../connectors/connector.ts';
import type { Discovery, RunWarning } from '../../plan/contract.ts';
import { type Sharing, toDoOf } from '../../plan/shares.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import type { Hold } from '../claims/hold.ts';
import { finishMoves, type Tidy } from '../claims/moves.ts';
import type { LastRun } from '../runs/last-run.ts';
import { addedCounts, type ManifestAsset, type NewStretch } from '../runs/manifest.ts';
import type { ManifestHead } from '../runs/manifest-heads.ts';
import type { RunStore } from '../runs/run-store.ts';
import { canariesFirst } from './canaries-first.ts';
import { type DiscoverAssetsInput, type Discovered, discoverAssets } from './discover.ts';
import { emptiedWarnings } from './emptied.ts';
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
> & {
  /** Where files were delivered to, for a look at their content as well; absent: looks are believed. */
  verify?: { destination: Connector | null };
};

/** Finds the assets of a run without writing anything: what `renderline plan` shows. */
export async function previewDiscovery(
  store: RunStore,
  source: DiscoverySource,
): Promise<Discovered> {
  return look(store, source, await knownWork(store, source.signal), {});
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
  await beforeWriting(source);
  // Before the manifest, whose presence says that all of this was done. A part of the assets is no new state of the pipeline.
  await keepRecipe(store, source);
  if (isAll(source)) await store.keepLastRun({ parameters: source.parameters, counts });
  const warnings = !isAll(source)
    ? [...movedWarnings(found.moved, source.node), ...stillWritten(found.later, source.node)]
    : [
        ...movedWarnings(found.moved, source.node),
        ...(grouping ? groupingWarnings(grouping, source.node) : []),
        ...removedWarnings(found.removed, source.node),
        ...(isEmptied(source, found) ? emptiedWarnings(known.index.size, source.node) : []),
      ];
  return writeFound(store, source, {
    ...found,
    counts: { ...counts, ...(warnings.length > 0 ? { warnings } : {}) },
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

/** True for files: objects of the platform are listed by what a run is for. */
function isEmptied({ lister }: RunSource, { counts }: Pick<Discovered, 'counts'>): boolean {
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
  { shardSize, canary, category = null, isBroken }: RunSource,
  { assets, counts, refused }: Pick<Discovered, 'assets' | 'counts' | 'refused'>,
  stretch?: NewStretch,
): Promise<Discovery> {
  return store.manifest.write({
    assets: canary ? await canariesFirst(assets, canary.assets, isBroken) : assets,
    lineage: store.context.lineage,
    shardSize,
    ...withoutUndefined({ canary, stretch }),
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
    const warnings =
      isOver && isEmptied(source, { counts })
        ? emptiedWarnings((await keptWork(store, before)).index.size, source.node)
        : movedWarnings(found.moved, source.node);
    const told = { ...found.counts, ...(warnings.length > 0 ? { warnings } : {}) };
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
