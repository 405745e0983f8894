// Recognises by their content sources that were delivered under another key: moved, renamed, or copied. Only sources are read
// whose size, to the byte, is that of a record; a record is taken over only where its own source is not there any more.
import type { AssetSource } from '../../plan/types.ts';
import { mapBounded } from '../objects/bounded.ts';
import { parseRecordName } from '../objects/object-name.ts';
import { modelKeyOf } from '../records/asset-names.ts';
import type { AssetRecord, RecordEntry, RecordIndex, Records } from '../records/records.ts';
import { bytesOfVersion } from '../records/source-version.ts';
import type { ManifestAsset } from '../runs/manifest.ts';
import { identityOf } from './lister.ts';

/** `content`: a source that was moved goes on with the work of its old key. `path`: it is another asset, and only a hint tells. */
export type SourceIdentity = 'path' | 'content';

/** What is read for a hint, at most. */
const hintAtMost = { files: 16, bytes: 256 * 1024 ** 2, records: 64 };
/** What is read, at most, of files that may be copies and cannot have been moved. */
const copiesAtMost = { files: 1_000, bytes: 4 * 1024 ** 3 };
/** Files that are read at once, each a piece at a time. */
const readAtOnce = 8;
const recordsAtOnce = 32;

export interface MovedInput {
  index: RecordIndex;
  records: Pick<Records, 'read'>;
  /** sha256 (hex) of a source; anything else where it cannot be read. */
  hash: (source: AssetSource) => Promise<unknown>;
  /** True for a record whose source is there still: it is delivered under its key, or nobody can tell. */
  isHeld: (name: string) => boolean;
  /** The same for what only its path tells; asked once the content is the same. */
  isThere: (record: KnownRecord) => Promise<boolean>;
  /** Names of records that another run has moved, but not ended. */
  ended: ReadonlySet<string>;
  signal?: AbortSignal | undefined;
}

/** The part of a record by which its source is recognised. */
export interface KnownRecord {
  entry: RecordEntry;
  key: string;
  path: string;
  sha256: string;
  model: string;
  look: string;
}

export interface Match {
  asset: ManifestAsset;
  sha256: string;
  /** The record that it takes over, or, of a cell that its model did not have, that of another cell. */
  record: KnownRecord;
  isSibling: boolean;
}

export interface Copy {
  key: string;
  /** Key of what has the same bytes. */
  of: string;
}

export interface Matches {
  moved: Match[];
  copies: Copy[];
  /** What was read. */
  read: { files: number; bytes: number };
  /** More may be found: a hint reads a few alone. */
  isCut: boolean;
}

const nothing: Matches = { moved: [], copies: [], read: { files: 0, bytes: 0 }, isCut: false };

/** Assets of one source, which move together. */
interface Unit {
  model: string;
  source: AssetSource;
  assets: ManifestAsset[];
}

/** @param assets that have no record of their content under their own key */
export async function matchMoved(
  assets: readonly ManifestAsset[],
  identity: SourceIdentity,
  input: MovedInput,
): Promise<Matches> {
  const units = unitsOf(assets);
  if (units.length === 0) return nothing;
  const entries = entriesOf(sizesOf(units), input);
  const { free } = entries;
  const wanted = identity === 'path' ? forHint(units, entries) : forMoves(units, entries);
  if (wanted.units.length === 0) return nothing;
  const known = await readRecords(wanted.entries, input);
  const sizes = new Set([...known.map(({ bytes }) => bytes), ...wanted.twice]);
  const few = ofSizes(wanted.units, sizes);
  const read = { files: 0, bytes: 0 };
  const hashed = await mapBounded(
    few,
    async (unit) => {
      const sha256 = await input.hash(unit.source);
      if (typeof sha256 !== 'string') return [];
      read.files += 1;
      read.bytes += unit.source.bytes;
      return [{ ...unit, sha256 }];
    },
    { atOnce: readAtOnce, signal: input.signal },
  );
  const same = new Set(hashed.flat().map(({ sha256 }) => sha256));
  const records = known.flatMap(({ record }) => (same.has(record.sha256) ? [record] : []));
  const names = new Set(free.map(({ name }) => name));
  const gone = new Set<KnownRecord>();
  const ask = async (record: KnownRecord) => {
    if (names.has(record.entry.name) && !(await input.isThere(record))) gone.add(record);
  };
  await mapBounded(records, ask, { atOnce: recordsAtOnce, signal: input.signal });
  const pairs = pair(hashed.flat(), groupRecords(records), (record) => gone.has(record));
  return { ...pairs, read, isCut: wanted.isCut };
}

function sizesOf(units: readonly Unit[]): Set<number> {
  return new Set(units.map(({ source }) => source.bytes));
}

function ofSizes(units: readonly Unit[], sizes: ReadonlySet<number>): Unit[] {
  return units.filter(({ source }) => sizes.has(source.bytes));
}

/** Sizes that several of them have. */
function twice(units: readonly Unit[]): Set<number> {
  const seen = new Set<number>();
  const sizes = units.map(({ source }) => source.bytes);
  return new Set(sizes.filter((bytes) => seen.has(bytes) || !seen.add(bytes)));
}

function unitsOf(assets: readonly ManifestAsset[]): Unit[] {
  const units = new Map<string, Unit>();
  for (const asset of assets) {
    const { source, refs } = asset;
    // What the platform has already is known by its id, and a set by all of its files.
    if (source.id !== undefined || source.set !== undefined || refs !== undefined) continue;
    const id = identityOf(source);
    const unit = units.get(id) ?? { model: modelKeyOf(asset), source, assets: [] };
    unit.assets.push(asset);
    units.set(id, unit);
  }
  return [...units.values()];
}

/** What is read, of which more may be alike. */
interface Wanted {
  units: Unit[];
  entries: SizedEntry[];
  /** Sizes of units that may be copies of each other. */
  twice: ReadonlySet<number>;
  isCut: boolean;
}

/** A few of those that may have been moved. */
function forHint(units: readonly Unit[], { free }: Entries): Wanted {
  const alike = ofSizes(units, sizesIn(free));
  const few = fewOf(alike, hintAtMost);
  const sizes = sizesOf(few);
  const entries = free.filter(({ bytes }) => sizes.has(bytes)).slice(0, hintAtMost.records);
  return { units: few, entries, twice: new Set(), isCut: few.length < alike.length };
}

/** All that may have been moved, and some that may be copies: nothing is saved by knowing these. */
function forMoves(units: readonly Unit[], { free, held }: Entries): Wanted {
  const gone = sizesIn(free);
  const doubled = twice(units);
  const there = new Set([...sizesIn(held), ...doubled]);
  const copies = ofSizes(units, there).filter(({ source }) => !gone.has(source.bytes));
  const few = fewOf(copies, copiesAtMost);
  const all = [...ofSizes(units, gone), ...few];
  const sizes = sizesOf(all);
  const entries = [...free, ...held].filter(({ bytes }) => sizes.has(bytes));
  return { units: all, entries, twice: doubled, isCut: few.length < copies.length };
}

function fewOf(units: readonly Unit[], most: { files: number; bytes: number }): Unit[] {
  let left = most.bytes;
  return units.slice(0, most.files).filter(({ source }) => {
    const fits = source.bytes <= left;
    if (fits) left -= source.bytes;
    return fits;
  });
}

function sizesIn(entries: readonly SizedEntry[]): Set<number> {
  return new Set(entries.map(({ bytes }) => bytes));
}

/** Records by whether their source is there. */
type Entries = Record<'free' | 'held', SizedEntry[]>;

interface SizedEntry extends RecordEntry {
  bytes: number;
}

/** Records of these sizes, by whether their source is there; read from their names alone. */
function entriesOf(
  sizes: ReadonlySet<number>,
  { index, isHeld, ended }: Pick<MovedInput, 'index' | 'isHeld' | 'ended'>,
): Entries {
  const found: Entries = { free: [], held: [] };
  for (const { name: newest, older } of index.entries()) {
    for (const name of [newest, ...older]) {
      const parsed = parseRecordName(name);
      const bytes = parsed && bytesOfVersion(parsed.version);
      if (!parsed || bytes === null || !sizes.has(bytes) || ended.has(name)) continue;
      const entry = { ...parsed, name, older: [], bytes };
      found[name === newest && isHeld(name) ? 'held' : 'free'].push(entry);
    }
  }
  return found;
}

/** What was read of records with a hash; without one nothing tells that a source is theirs. */
async function readRecords(
  entries: readonly RecordEntry[],
  { records, signal }: Pick<MovedInput, 'records' | 'signal'>,
): Promise<{ record: KnownRecord; bytes: number }[]> {
  const read = await mapBounded(
    entries,
    async (entry) => {
      const record = await records.read(entry.name);
      const sha256 = record?.sourceSha256;
      if (!record || sha256 === undefined || record.source.id !== undefined) return [];
      const { key, source } = record;
      const model = modelKeyOf(record);
      const known = { entry, key, path: source.path, sha256, model, look: lookOf(record) };
      return [{ record: known, bytes: source.bytes }];
    },
    { atOnce: recordsAtOnce, signal },
  );
  return read.flat();
}

/** Colorway and view; the same for all assets that are no cells. */
function lookOf({ source }: Pick<AssetRecord, 'source'>): string {
  return JSON.stringify([source.colorway?.name ?? null, source.view?.name ?? null]);
}

/** Records by their content, then by their model. */
type Known = Map<string, Map<string, KnownRecord[]>>;

function groupRecords(records: readonly KnownRecord[]): Known {
  const known: Known = new Map();
  for (const record of records) {
    const models = known.get(record.sha256) ?? new Map<string, KnownRecord[]>();
    known.set(record.sha256, models);
    models.set(record.model, [...(models.get(record.model) ?? []), record]);
  }
  return known;
}

/** Which source takes which records over. Each record goes to one; the others are copies. */
function pair(
  units: readonly (Unit & { sha256: string })[],
  known: Known,
  isFree: (record: KnownRecord) => boolean,
): Pick<Matches, 'moved' | 'copies'> {
  const moved: Match[] = [];
  const free = new Map<string, Map<string, KnownRecord[]>>();
  for (const [sha256, models] of known) {
    const all = [...models].filter(([, records]) => records.every(isFree));
    for (const [model, records] of all) {
      for (const name of new Set(['', ...records.map(({ path }) => baseOf(path))])) {
        const named = `${sha256}/${name}`;
        free.set(named, (free.get(named) ?? new Map<string, KnownRecord[]>()).set(model, records));
      }
    }
  }
  const holders = new Map<string, string>();
  const left = new Set(units);
  const taken = new Set<string>();
  // A file that kept its name comes first, then the order of paths.
  for (const nameOf of [({ source }: Unit) => baseOf(source.path), () => '']) {
    for (const unit of left) {
      const models = free.get(`${unit.sha256}/${nameOf(unit)}`);
      for (const [model, records] of models ?? []) {
        models?.delete(model);
        if (taken.has(`${unit.sha256}/${model}`)) continue;
        taken.add(`${unit.sha256}/${model}`);
        if (!holders.has(unit.sha256)) holders.set(unit.sha256, unit.model);
        moved.push(...unit.assets.flatMap((asset) => matchOf(asset, unit.sha256, records)));
        left.delete(unit);
        break;
      }
    }
  }
  const copies = [...left].flatMap(({ sha256, model, assets }) => {
    const [other] = known.get(sha256)?.keys() ?? [];
    const of = holders.get(sha256) ?? other;
    if (of === undefined) holders.set(sha256, model);
    return of === undefined ? [] : assets.map(({ key }) => ({ key, of }));
  });
  return { moved, copies };
}

function matchOf(asset: ManifestAsset, sha256: string, records: readonly KnownRecord[]): Match[] {
  const own = records.find(({ look }) => look === lookOf(asset));
  const record = own ?? records[0];
  return record ? [{ asset, sha256, record, isSibling: own === undefined }] : [];
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
