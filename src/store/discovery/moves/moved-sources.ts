// Recognizes by content the sources that were delivered under another key, because they were moved, renamed or copied.
// Only sources whose exact size equals that of a record, or of another source, are read. A record is taken over only if
// its own source no longer exists.
import { positionNamesOf } from '../../../plan/grid.ts';
import type { AssetSource } from '../../../plan/types.ts';
import { mapBounded } from '../../objects/map-bounded.ts';
import { parseRecordName } from '../../objects/object-name.ts';
import { modelKeyOf } from '../../records/cell-keys.ts';
import type { AssetRecord, RecordEntry, RecordIndex, Records } from '../../records/records.ts';
import { bytesOfVersion } from '../../records/source-version.ts';
import type { RunAsset } from '../../runs/run-assets.ts';
import type { HashFile } from '../grid/same-file.ts';
import { sourceIdOf } from '../listed-source.ts';

/** `content`: a moved source keeps the work of its old key. `path`: it is another asset, with a hint. */
export type SourceIdentity = 'path' | 'content';

/** Limits of what is read for a hint. */
const maxHint = { files: 16, bytes: 256 * 1024 ** 2, records: 64 };
/**
 * Limits for reading files only to report them as copies: no record with a missing source has their size, so they were
 * not moved.
 */
const maxCopies = { files: 1_000, bytes: 4 * 1024 ** 3 };
/** Files that are read concurrently, one chunk at a time. */
const maxConcurrentReads = 8;
const maxConcurrentRecords = 32;

export interface MovedInput {
  index: RecordIndex;
  records: Pick<Records, 'read'>;
  hash: HashFile;
  /** True for a record whose source still exists, or may exist. */
  isHeld: (name: string) => boolean;
  /** True if the record's source still exists. Called only if the content is the same. */
  exists: (record: KnownRecord) => Promise<boolean>;
  /** Names of records that another run has moved but not deleted yet. */
  movedRecords: ReadonlySet<string>;
  signal?: AbortSignal | undefined;
}

/** The part of a record that identifies its source. */
export interface KnownRecord {
  entry: RecordEntry;
  key: string;
  path: string;
  sha256: string;
  model: string;
  appearance: string;
}

export interface Match {
  asset: RunAsset;
  /** Undefined if the record has no hash. */
  sha256: string | undefined;
  /** The record to take over. For a cell that the model did not have, this is the record of another cell. */
  record: Pick<KnownRecord, 'entry' | 'key' | 'model'>;
  isSibling: boolean;
  /** True for a cell of the same model, whose earlier key is no longer in the grid. */
  isRenamed?: boolean;
}

export interface Copy {
  key: string;
  original: string;
}

export interface Matches {
  moved: Match[];
  copies: Copy[];
  read: { files: number; bytes: number };
  /** True if there may be more matches, because reading was limited. */
  isCut: boolean;
}

export const noMatches: Matches = {
  moved: [],
  copies: [],
  read: { files: 0, bytes: 0 },
  isCut: false,
};

interface SourceGroup {
  model: string;
  source: AssetSource;
  assets: RunAsset[];
}

/** @param assets assets that have no record of their content under their own key */
export async function matchMoved(
  assets: readonly RunAsset[],
  identity: SourceIdentity,
  input: MovedInput,
): Promise<Matches> {
  const groups = groupBySource(assets);
  if (groups.length === 0) return noMatches;
  const entries = entriesOf(sizesOf(groups), input);
  const { free } = entries;
  const candidates =
    identity === 'path' ? findHintCandidates(groups, entries) : findMoveCandidates(groups, entries);
  if (candidates.groups.length === 0) return noMatches;
  const sizedRecords = await readRecords(candidates.entries, input);
  const sizes = new Set([...sizedRecords.map(({ bytes }) => bytes), ...candidates.duplicateSizes]);
  const limitedGroups = filterBySizes(candidates.groups, sizes);
  const readTotals = { files: 0, bytes: 0 };
  const { signal } = input;
  const hash = async (group: SourceGroup) => {
    const sha256 = await input.hash(group.source);
    if (typeof sha256 !== 'string') return [];
    readTotals.files += 1;
    readTotals.bytes += group.source.bytes;
    return [{ ...group, sha256 }];
  };
  const reading = { maxConcurrent: maxConcurrentReads, signal };
  const hashed = (await mapBounded(limitedGroups, hash, reading)).flat();
  const hashes = new Set(hashed.map(({ sha256 }) => sha256));
  const records = sizedRecords.flatMap(({ record }) => (hashes.has(record.sha256) ? [record] : []));
  const names = new Set(free.map(({ name }) => name));
  const missingRecords = new Set<KnownRecord>();
  const checkMissing = async (record: KnownRecord) => {
    if (names.has(record.entry.name) && !(await input.exists(record))) missingRecords.add(record);
  };
  await mapBounded(records, checkMissing, { maxConcurrent: maxConcurrentRecords, signal });
  const isFree = (record: KnownRecord) => missingRecords.has(record);
  const pairs = matchGroups(hashed, groupRecords(records), isFree);
  return { ...pairs, read: readTotals, isCut: candidates.isCut };
}

function sizesOf(groups: readonly SourceGroup[]): Set<number> {
  return new Set(groups.map(({ source }) => source.bytes));
}

function filterBySizes(groups: readonly SourceGroup[], sizes: ReadonlySet<number>): SourceGroup[] {
  return groups.filter(({ source }) => sizes.has(source.bytes));
}

function findDuplicateSizes(groups: readonly SourceGroup[]): Set<number> {
  const seenSizes = new Set<number>();
  const sizes = groups.map(({ source }) => source.bytes);
  return new Set(sizes.filter((bytes) => seenSizes.has(bytes) || !seenSizes.add(bytes)));
}

function groupBySource(assets: readonly RunAsset[]): SourceGroup[] {
  const groups = new Map<string, SourceGroup>();
  for (const asset of assets) {
    const { source, platformIds } = asset;
    // Platform objects are identified by their id, rows by their key, and sets by all of their files.
    const { id: objectId, rowKey, set } = source;
    if ([objectId, rowKey, set, platformIds].some((value) => value !== undefined)) continue;
    const id = sourceIdOf(source);
    const group = groups.get(id) ?? { model: modelKeyOf(asset), source, assets: [] };
    group.assets.push(asset);
    groups.set(id, group);
  }
  return [...groups.values()];
}

interface Candidates {
  groups: SourceGroup[];
  entries: SizedEntry[];
  /** Sizes of groups that may be copies of each other. */
  duplicateSizes: ReadonlySet<number>;
  isCut: boolean;
}

/** Finds a few of the sources that may have been moved. */
function findHintCandidates(groups: readonly SourceGroup[], { free }: Entries): Candidates {
  const alikeGroups = filterBySizes(groups, entrySizesOf(free));
  const limitedGroups = takeWithin(alikeGroups, maxHint);
  const sizes = sizesOf(limitedGroups);
  const matching = free.filter(({ bytes }) => sizes.has(bytes));
  const entries = matching.slice(0, maxHint.records);
  const isCut = limitedGroups.length < alikeGroups.length || entries.length < matching.length;
  return { groups: limitedGroups, entries, duplicateSizes: new Set(), isCut };
}

/** Finds all sources that may have been moved, and a limited number of possible copies. */
function findMoveCandidates(groups: readonly SourceGroup[], { free, held }: Entries): Candidates {
  const missingSizes = entrySizesOf(free);
  const doubledSizes = findDuplicateSizes(groups);
  const presentSizes = new Set([...entrySizesOf(held), ...doubledSizes]);
  const present = filterBySizes(groups, presentSizes);
  const copies = present.filter(({ source }) => !missingSizes.has(source.bytes));
  const limitedGroups = takeWithin(copies, maxCopies);
  const candidateGroups = [...filterBySizes(groups, missingSizes), ...limitedGroups];
  const sizes = sizesOf(candidateGroups);
  const entries = [...free, ...held].filter(({ bytes }) => sizes.has(bytes));
  const isCut = limitedGroups.length < copies.length;
  return { groups: candidateGroups, entries, duplicateSizes: doubledSizes, isCut };
}

function takeWithin(
  groups: readonly SourceGroup[],
  limits: { files: number; bytes: number },
): SourceGroup[] {
  let remainingBytes = limits.bytes;
  return groups.slice(0, limits.files).filter(({ source }) => {
    const fits = source.bytes <= remainingBytes;
    if (fits) remainingBytes -= source.bytes;
    return fits;
  });
}

function entrySizesOf(entries: readonly SizedEntry[]): Set<number> {
  return new Set(entries.map(({ bytes }) => bytes));
}

/** `held`: the record's source still exists, or may exist. `free`: all other records. */
type Entries = Record<'free' | 'held', SizedEntry[]>;

interface SizedEntry extends RecordEntry {
  bytes: number;
}

/** Records with these sizes, by whether their source exists. Computed from their names alone. */
function entriesOf(
  sizes: ReadonlySet<number>,
  { index, isHeld, movedRecords }: Pick<MovedInput, 'index' | 'isHeld' | 'movedRecords'>,
): Entries {
  const entries: Entries = { free: [], held: [] };
  for (const { name: newestName, older } of index.entries()) {
    for (const name of [newestName, ...older]) {
      const nameParts = parseRecordName(name);
      const bytes = nameParts && bytesOfVersion(nameParts.version);
      if (!nameParts || bytes === null || !sizes.has(bytes) || movedRecords.has(name)) continue;
      const entry = { ...nameParts, name, older: [], bytes };
      entries[name === newestName && isHeld(name) ? 'held' : 'free'].push(entry);
    }
  }
  return entries;
}

/** Reads the records of files that have a hash. Without a hash a source cannot be matched. */
async function readRecords(
  entries: readonly RecordEntry[],
  { records, signal }: Pick<MovedInput, 'records' | 'signal'>,
): Promise<{ record: KnownRecord; bytes: number }[]> {
  const read = async (entry: RecordEntry) => {
    const record = await records.read(entry.name);
    const sha256 = record?.sourceSha256;
    if (!record || sha256 === undefined || record.source.id !== undefined) return [];
    const { path, bytes } = record.source;
    const looks = { model: modelKeyOf(record), appearance: appearanceOf(record) };
    return [{ record: { entry, key: record.key, path, sha256, ...looks }, bytes }];
  };
  return (await mapBounded(entries, read, { maxConcurrent: maxConcurrentRecords, signal })).flat();
}

/** Returns the names of an asset's grid positions, as text to compare. All assets outside grids have the same text. */
function appearanceOf({ source }: Pick<AssetRecord, 'source'>): string {
  return JSON.stringify(positionNamesOf(source));
}

/** Records by content, then by model. */
type RecordsByContent = Map<string, Map<string, KnownRecord[]>>;

function groupRecords(records: readonly KnownRecord[]): RecordsByContent {
  const recordsByContent: RecordsByContent = new Map();
  for (const record of records) {
    const models = recordsByContent.get(record.sha256) ?? new Map<string, KnownRecord[]>();
    recordsByContent.set(record.sha256, models);
    models.set(record.model, [...(models.get(record.model) ?? []), record]);
  }
  return recordsByContent;
}

/** Decides which source takes which records. All records of a model go to one source. The other sources are copies. */
function matchGroups(
  groups: readonly (SourceGroup & { sha256: string })[],
  recordsByContent: RecordsByContent,
  isFree: (record: KnownRecord) => boolean,
): Pick<Matches, 'moved' | 'copies'> {
  const matches: Match[] = [];
  const freeRecords = new Map<string, Map<string, KnownRecord[]>>();
  for (const [sha256, models] of recordsByContent) {
    const freeModels = [...models].filter(([, records]) => records.every(isFree));
    for (const [model, records] of freeModels) {
      for (const name of new Set(['', ...records.map(({ path }) => baseOf(path))])) {
        const key = `${sha256}/${name}`;
        freeRecords.set(
          key,
          (freeRecords.get(key) ?? new Map<string, KnownRecord[]>()).set(model, records),
        );
      }
    }
  }
  const holders = new Map<string, string>();
  const remainingGroups = new Set(groups);
  const takenModels = new Set<string>();
  // Sources that kept their file name come first, then the others in the order of paths.
  for (const nameOf of [({ source }: SourceGroup) => baseOf(source.path), () => '']) {
    for (const group of remainingGroups) {
      const models = freeRecords.get(`${group.sha256}/${nameOf(group)}`);
      for (const [model, records] of models ?? []) {
        // The record is an older one of the same key that a crash has left, so the source was not moved.
        if (model === group.model) continue;
        models?.delete(model);
        if (takenModels.has(`${group.sha256}/${model}`)) continue;
        takenModels.add(`${group.sha256}/${model}`);
        if (!holders.has(group.sha256)) holders.set(group.sha256, group.model);
        matches.push(...group.assets.flatMap((asset) => findMatch(asset, group.sha256, records)));
        remainingGroups.delete(group);
        break;
      }
    }
  }
  const copies = [...remainingGroups].flatMap(({ sha256, model, assets }) => {
    const others = [...(recordsByContent.get(sha256)?.keys() ?? [])];
    const holder = holders.get(sha256) ?? others.find((other) => other !== model);
    if (holder === undefined) holders.set(sha256, model);
    return holder === undefined ? [] : assets.map(({ key }) => ({ key, original: holder }));
  });
  return { moved: matches, copies };
}

function findMatch(asset: RunAsset, sha256: string, records: readonly KnownRecord[]): Match[] {
  const ownRecord = records.find(({ appearance }) => appearance === appearanceOf(asset));
  const record = ownRecord ?? records[0];
  return record ? [{ asset, sha256, record, isSibling: ownRecord === undefined }] : [];
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
