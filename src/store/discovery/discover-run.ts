// The discovery of a run: finds the assets, writes the run assets once, and updates the records of touched files.

import type { Connector } from '../../connectors/connector.ts';
import { pathFailures } from '../../failures/storage.ts';
import type { Discovery, RunWarning } from '../../plan/contract/contract.ts';
import { countToProcess, type ShardingOptions } from '../../plan/contract/sharding.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { DeliveredFile, Failure } from '../../plan/types.ts';
import type { AssertLease } from '../claims/assert-lease.ts';
import { finishMoves, type RemoveOldFiles } from '../claims/moves.ts';
import { createConnectorFinder } from '../records/recipes.ts';
import type { AssetRecord } from '../records/records.ts';
import type { LastRun } from '../runs/last-run.ts';
import { addCounts, type NewDiscoveryPage, type RunAsset } from '../runs/run-assets.ts';
import type { RunAssetsHead } from '../runs/run-assets-heads.ts';
import type { RunStore } from '../runs/run-store.ts';
import { foldKey, type TakenKeys } from './asset-keys.ts';
import {
  type DiscoverAssetsInput,
  type DiscoveredAssets,
  discoverAssets,
  type Verify,
} from './discover.ts';
import { removedCellWarningsOf } from './grid/removed-cells.ts';
import { groupingWarningsOf } from './grouping-warnings.ts';
import {
  dropCachedWork,
  encodeTakenKey,
  type KnownWork,
  readKnownWork,
  readKnownWorkCached,
} from './known-work.ts';
import type { ListedPage, Lister, PageLimits } from './listed-source.ts';
import { formatMoveWarnings } from './moves/format-moves.ts';
import {
  countDelivered,
  createLocationCheck,
  type FindMissingSources,
  isSourceMissing,
  type MissingSources,
} from './moves/missing-sources.ts';
import { refuseKeptNames } from './moves/refuse-kept-names.ts';
import { leaveOutSkipped, orderCanariesFirst } from './order-canaries.ts';
import { checkEmptySource, checkOtherSources, unstableFileWarningsOf } from './source-warnings.ts';
import { type TouchedAsset, type VerifyInput, verifyUnchanged } from './verify.ts';

/** Fields of a discovery source that the store does not provide. */
export type DiscoverySource = Pick<
  DiscoverAssetsInput,
  | 'lister'
  | 'node'
  | 'keyOf'
  | 'rerunSelection'
  | 'selector'
  | 'signal'
  | 'grid'
  | 'rows'
  | 'category'
  | 'planPaths'
  | 'comparesAllNames'
  | 'stages'
  | 'identity'
  | 'freshness'
  | 'readsCellNames'
> & {
  /** The connector of an export. Null if the pipeline no longer has it. If absent, nothing is delivered. */
  getConnector?: (connector: string) => Connector | null;
  /** True to compare assets that look unchanged, and their delivered files, by content. @default false */
  verify?: boolean;
  /** Id of the location that is listed, with its tables. */
  location?: string;
  /** Connector of the listed files. Absent if assets are not files. */
  sources?: string;
  parametersHash?: string;
  findMissingSources?: FindMissingSources;
  /** Warns about file names that are probably not intended. */
  findNameWarnings?: (assets: readonly RunAsset[]) => RunWarning[];
};

/** Finds the assets of a run without writing anything, for `renderline plan`. */
export async function previewDiscovery(
  store: RunStore,
  source: DiscoverySource,
): Promise<DiscoveredAssets & { missingSources: MissingSources; sourceWarnings: RunWarning[] }> {
  const knownWork = await readKnownWork(store, source.signal);
  const listing = await discoverAgainst(store, source, knownWork, {});
  const missingSources = await findMissingSourcesIn(store, source, knownWork, listing);
  const findings = await refuseKept(store, source, knownWork, { ...listing, missingSources });
  return {
    ...findings,
    removed: excludeMissing(findings.removed, missingSources),
    missingSources,
    sourceWarnings: await checkOtherSources(store, source, knownWork, findings),
  };
}

type Known = Pick<KnownWork, 'index' | 'claimed'> & { earlier?: TakenKeys };

/** Refuses new assets that want file names of assets that the run does not list. */
function refuseKept(
  store: RunStore,
  { node, planPaths, comparesAllNames, signal, ...source }: DiscoverySource,
  known: Known,
  { missingSources, ...findings }: DiscoveredAssets & { missingSources: MissingSources },
): Promise<DiscoveredAssets> {
  const isListed = createListedCheck(known, findings);
  const { sources, location, getConnector = () => null } = source;
  const connector = sources === undefined ? null : getConnector(sources);
  const isOfThisLocation = createLocationCheck(store, location);
  const isGone = async (record: AssetRecord) =>
    connector !== null &&
    (await isOfThisLocation(record)) &&
    (await isSourceMissing(record, { connector }));
  const describe = (name: string) => getConnector(name)?.describe();
  const options = { node, planPaths, comparesAllNames, isListed, missingSources, signal };
  return refuseKeptNames(store, findings, { ...known, ...options, isGone, describe });
}

/** Returns the missing sources. Empty if nothing is withdrawn, or if the run takes only a part of the assets. */
async function findMissingSourcesIn(
  store: RunStore,
  source: DiscoverySource,
  known: Known,
  findings: DiscoveredAssets,
): Promise<MissingSources> {
  if (!source.findMissingSources || !isWholeListing(source)) return { records: [], warnings: [] };
  const { counts, refused } = findings;
  const isListed = createListedCheck(known, findings);
  const listing = { index: known.index, total: counts.total, refused, isListed };
  return source.findMissingSources(store, listing, source.signal);
}

function createListedCheck(
  { earlier }: Known,
  { takenKeys, assets }: DiscoveredAssets,
): (key: string) => boolean {
  // If a destination ignores case, a source that was renamed only in case still owns its delivered files.
  const keys = new Set(takenKeys.map(({ key }) => foldKey(key)));
  // A source that moved to another key is not missing, so its old key counts as present.
  for (const { moved } of assets) if (moved) keys.add(foldKey(moved.key));
  return (key) => keys.has(foldKey(key)) || earlier?.find(foldKey(key)) != null;
}

/** Leaves out removed cells that the run withdraws, since they are reported as withdrawn. */
function excludeMissing(cells: readonly string[], { records }: MissingSources): string[] {
  const withdrawnKeys = new Set(records.map(({ record }) => record.key));
  return cells.filter((key) => !withdrawnKeys.has(key));
}

/**
 * @param knownWork what the listing is compared with
 * @param writing what a run updates during discovery
 */
async function discoverAgainst(
  store: RunStore,
  { verify, getConnector, ...source }: DiscoverySource,
  { moves, ...knownWork }: KnownWork & Pick<DiscoverAssetsInput, 'earlier' | 'isPart'>,
  writing: Pick<VerifyInput, 'onTouched' | 'pages'>,
): Promise<DiscoveredAssets> {
  const { recipe } = store.context;
  const { claims, records, recipes, idRules } = store;
  const movedRecords = new Set(moves.map(({ moved }) => moved.record));
  const stores = { claims, records, recipes, idRules };
  let nameOf: ReturnType<typeof createConnectorFinder> | undefined;
  const connectorOf = async ({ delivery }: Pick<DeliveredFile, 'delivery'>) => {
    nameOf ??= createConnectorFinder(await recipes.readKnown());
    const name = nameOf(delivery);
    return (name !== undefined && getConnector?.(name)) || null;
  };
  const isOfThisGrid = createLocationCheck(store, source.location, source.parametersHash);
  const context = { ...stores, movedRecords, recipe, connectorOf, isOfThisGrid };
  const input = { ...source, ...writing, ...knownWork, ...context };
  const compare: Verify = (unchanged) => verifyUnchanged(unchanged, input);
  return discoverAssets(verify ? { ...input, verify: compare } : input);
}

type RunSource = DiscoverySource &
  ShardingOptions & {
    category?: string | null;
    parameters: LastRun['parameters'];
    /** Throws if the found assets must not be started. In that case, no run assets are written. */
    check?: (findings: DiscoveredAssets) => Promise<void>;
    assertLease?: AssertLease;
    /** Deletes the files under a source's old key if the run that moved the source died first. */
    removeOldFiles?: RemoveOldFiles;
    /** Inspects a file that the canary would take. Absent if the root lists no files. */
    isBroken?: (asset: RunAsset) => Promise<boolean>;
  };

/** Finds the assets of a run and writes its run assets. A repeated call returns the first result. */
export async function discoverRun(store: RunStore, source: RunSource): Promise<Discovery> {
  const existingDiscovery = await store.runAssets.readDiscovery();
  if (existingDiscovery) return existingDiscovery;
  const knownWork = await readKnownWork(store, source.signal);
  await finishMovesOfDeadRuns(store, source, knownWork);
  const listing = await discoverAgainst(store, source, knownWork, createWriters(store, source));
  const { when } = source.canary ?? {};
  const taken = when === undefined ? listing : leaveOutSkipped(listing, when, source.parameters);
  const missingSources = await findMissingSourcesIn(store, source, knownWork, taken);
  const findings = await refuseKept(store, source, knownWork, { ...taken, missingSources });
  await source.check?.(findings);
  const { counts } = findings;
  await assertMayWrite(source);
  // Written before the run assets, which complete the discovery. A partial run does not become the last run.
  await writeRecipe(store, source);
  if (isWholeListing(source)) await store.writeLastRun({ parameters: source.parameters, counts });
  const warnings = [
    ...(await checkOtherSources(store, source, knownWork, findings)),
    ...warningsAbout(findings, source, knownWork, missingSources),
  ];
  return writeFound(store, source, findings, { missingSources, warnings });
}

/** @param knownWork null while the listing is incomplete */
function warningsAbout(
  findings: DiscoveredAssets,
  source: RunSource,
  knownWork: KnownWork | null,
  missingSources: MissingSources,
): RunWarning[] {
  const { node } = source;
  const { moved, grouping, later, removed } = findings;
  const ofAssets = [
    ...(source.findNameWarnings?.(findings.assets) ?? []),
    ...formatMoveWarnings(moved, node),
  ];
  if (!isWholeListing(source)) return [...ofAssets, ...unstableFileWarningsOf(later, node)];
  return [
    ...ofAssets,
    ...(grouping ? groupingWarningsOf(grouping, node) : []),
    ...removedCellWarningsOf(excludeMissing(removed, missingSources), node),
    ...(knownWork ? findEmptySourceWarnings(source, findings, knownWork, missingSources) : []),
    ...missingSources.warnings,
  ];
}

async function finishMovesOfDeadRuns(
  store: RunStore,
  { removeOldFiles = async () => undefined, ...source }: RunSource,
  { moves }: KnownWork,
): Promise<void> {
  if (moves.length === 0) return;
  await assertMayWrite(source);
  await finishMoves(store, moves, removeOldFiles);
}

/** Warns if the source has no files any more, unless the run withdraws. Lists of platform objects may be empty. */
function findEmptySourceWarnings(
  source: RunSource,
  { counts }: Pick<DiscoveredAssets, 'counts'>,
  { index }: KnownWork,
  { records }: MissingSources,
): RunWarning[] {
  const isEmpty = source.lister.hash !== undefined && counts.total === 0;
  return isEmpty && records.length === 0 ? checkEmptySource(countDelivered(index), source) : [];
}

async function writeWithdrawals(
  { withdrawals }: RunStore,
  { records }: MissingSources,
): Promise<Pick<Discovery, 'withdraws'>> {
  if (records.length === 0) return {};
  await withdrawals.write(records.map(({ entry }) => entry.name));
  return { withdraws: records.length };
}

/** Stores parameters and stages, which later runs use to determine what they can reuse. */
async function writeRecipe(
  { parameterSets, recipes, context }: RunStore,
  { parameters, stages }: RunSource,
): Promise<void> {
  await parameterSets.write(parameters);
  await recipes.write(context.recipe, stages);
}

/** False if the run takes only a part of the assets. */
function isWholeListing({ rerunSelection, selector }: DiscoverySource): boolean {
  return !rerunSelection && !selector;
}

/** Throws if another attempt may be writing, or if the run was cancelled. */
async function assertMayWrite({ assertLease, signal }: RunSource): Promise<void> {
  await assertLease?.();
  signal?.throwIfAborted();
}

function createWriters(
  store: RunStore,
  { assertLease }: RunSource,
): Pick<VerifyInput, 'onTouched' | 'pages'> {
  const onTouched = async ({ record, source: now, previous }: TouchedAsset) => {
    await assertLease?.();
    const { schema: _schema, ...recordFields } = record;
    await store.records.write({ ...recordFields, source: now }, previous);
  };
  return { onTouched, pages: store.verifyPages };
}

async function writeFound(
  store: RunStore,
  { shardSize, canary, category = null, location, sources, parametersHash, isBroken }: RunSource,
  { assets, counts, refused }: DiscoveredAssets,
  { missingSources, warnings }: { missingSources: MissingSources; warnings: RunWarning[] },
  discoveryPage?: NewDiscoveryPage,
): Promise<Discovery> {
  const withdraws = await writeWithdrawals(store, missingSources);
  return store.runAssets.write({
    assets: canary ? await orderCanariesFirst(assets, canary.assets, isBroken) : assets,
    lineage: store.context.lineage,
    shardSize,
    ...omitUndefined({ canary, discoveryPage, location, sources, parametersHash }),
    category,
    counts: { ...counts, ...(warnings.length > 0 ? { warnings } : {}), ...withdraws },
    refused,
  });
}

/** Limits of a discovery page: names take a few hundred bytes each, and a crash loses the work of a page. */
export const maxPageNames = 10_000;
export const maxPageMs = 60_000;

/** True if each part of the listing can be discovered without the rest. */
export function canDiscoverInPages(source: Partial<RunSource>) {
  const { lister, grid, rerunSelection, verify, canary, identity, comparesAllNames } = source;
  const isWhole =
    grid || rerunSelection || verify || canary || comparesAllNames || identity === 'content';
  return lister?.listPage !== undefined && !isWhole;
}

/**
 * Like `discoverRun`, for one discovery page. The previous pages must have been written already. Two workers may
 * discover the same page, even at the same time.
 */
export async function discoverPage(
  store: RunStore,
  source: RunSource,
  number: number,
  limits: Partial<PageLimits> = {},
): Promise<Discovery> {
  const { heads } = store.runAssets;
  const existingHead = await heads.read(number);
  if (existingHead) return existingHead.discovery;
  const previousHead = number === 0 ? null : await heads.read(number - 1);
  if (number > 0 && !previousHead) throw store.runAssets.missingError();
  try {
    const listedBefore = previousHead?.discovery.total ?? 0;
    const max = {
      names: maxPageNames,
      ms: maxPageMs,
      ...limits,
      onListed: (count: number) => limits.onListed?.(listedBefore + count),
    };
    const findings = await discoverNextPage(store, source, previousHead, max);
    const isLastPage = findings.after === null;
    if (!previousHead || countToProcess(previousHead.discovery) === 0)
      await source.check?.(findings);
    await assertMayWrite(source);
    const { parameters } = source;
    if (!previousHead) await writeRecipe(store, source);
    const counts = addCounts(previousHead?.discovery ?? null, findings.counts);
    if (isWholeListing(source) && (!previousHead || isLastPage))
      await store.writeLastRun({ parameters, counts });
    const { after, takenKeys } = findings;
    const refused = [...findEarlierRefusals(previousHead), ...findings.refused];
    const allFindings = { ...findings, counts, refused };
    const knownWork =
      isLastPage || !previousHead ? await readKnownWorkCached(store, previousHead) : null;
    const missingSources =
      knownWork && isLastPage
        ? await findMissingSourcesIn(store, source, knownWork, allFindings)
        : { records: [], warnings: [] };
    const warnings = [
      ...(knownWork && !previousHead
        ? await checkOtherSources(store, source, knownWork, findings)
        : []),
      ...warningsAbout(allFindings, source, isLastPage ? knownWork : null, missingSources),
    ];
    const keys = takenKeys.map(encodeTakenKey);
    const page = { number, before: previousHead, after, tables: source.rows?.version, keys };
    const results = { missingSources, warnings };
    const discovery = await writeFound(store, source, findings, results, page);
    if (discovery.nextDiscoveryPage === undefined) dropCachedWork(store);
    return discovery;
  } catch (error) {
    // The cached records may be outdated, because records of touched files may have been renamed.
    dropCachedWork(store);
    throw error;
  }
}

/** Returns failures of earlier discovery pages. If some are unknown, adds one that marks the listing incomplete. */
function findEarlierRefusals(previousHead: RunAssetsHead | null): Failure[] {
  const { refused = 0, refusals = [] } = previousHead?.discovery ?? {};
  if (refused <= refusals.length) return refusals;
  const { code } = pathFailures.UNREADABLE;
  return [...refusals, { key: '', node: '', code, message: '', attempts: 0 }];
}

async function discoverNextPage(
  store: RunStore,
  source: RunSource,
  previousHead: RunAssetsHead | null,
  limits: PageLimits,
): Promise<DiscoveredAssets & Pick<ListedPage, 'after'>> {
  const { lister, signal } = source;
  if (previousHead?.continuation?.tables !== undefined) {
    source.rows?.assertVersion(previousHead.continuation.tables);
  }
  const [page, knownWork] = await Promise.all([
    lister.listPage?.(previousHead?.continuation?.after ?? '', limits, signal),
    readKnownWorkCached(store, previousHead, signal),
  ]);
  if (!page) throw new TypeError('this root cannot be listed in pages');
  if (!previousHead) await finishMovesOfDeadRuns(store, source, knownWork);
  const isPart = previousHead !== null || page.after !== null;
  const part: Lister = { ...lister, list: async () => page };
  const input = { ...knownWork, isPart };
  const writers = createWriters(store, source);
  const findings = await discoverAgainst(store, { ...source, lister: part }, input, writers);
  return { ...findings, after: page.after };
}
