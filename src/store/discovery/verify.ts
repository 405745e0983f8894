// Compares the content of assets that look unchanged: sources with the hashes of what was uploaded, and delivered files
// with the hashes of what was delivered. Each page of results is stored, so that a crash repeats only one page.
import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import type { VerifiedCounts } from '../../plan/contract/verified-counts.ts';
import { stageTimesOf } from '../../plan/freshness.ts';
import { chunks } from '../../plan/helpers/chunks.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { workStages } from '../../plan/stages.ts';
import type { AssetSource, DeliveredFile } from '../../plan/types.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import type { AssetRecord, RecordEntry, Records } from '../records/records.ts';
import { contentVersionOf } from '../records/source-version.ts';
import type { RunAsset } from '../runs/run-assets.ts';
import type { VerifyPage, VerifyPages, VerifyResult } from '../runs/verify-pages.ts';
import { sourceFailure } from './asset-keys.ts';
import { computeSha256 } from './list-files.ts';
import type { Lister } from './listed-source.ts';

/** Files that are read concurrently, one chunk at a time. */
const maxConcurrentReads = 8;
/** Maximum number of assets that are read again after a crash. */
const assetsPerPage = 200;

/** A delivered asset with unchanged content, whose record lacks the current version or the hash of the source. */
export interface TouchedAsset {
  record: AssetRecord;
  source: AssetSource;
  previous: string[];
}

export interface UnchangedAsset {
  key: string;
  source: AssetSource;
  record: RecordEntry;
}

/** The connector of a delivered file. Null if the pipeline no longer has it. */
export type FindConnector = (file: Pick<DeliveredFile, 'delivery'>) => Promise<Connector | null>;

export interface VerifyInput {
  lister: Pick<Lister, 'hash'>;
  node: string;
  records: Pick<Records, 'read'>;
  connectorOf: FindConnector;
  /** Stores finished pages. Absent for a preview, which writes nothing. */
  pages?: VerifyPages;
  onTouched?: (touched: TouchedAsset) => Promise<void>;
  signal?: AbortSignal | undefined;
}

export async function verifyUnchanged(
  unchanged: readonly UnchangedAsset[],
  input: VerifyInput,
): Promise<VerifyResult> {
  const sorted = [...unchanged].sort((a, b) => (a.key < b.key ? -1 : 1));
  const unchangedKeys = new Set(sorted.map(({ key }) => key));
  const pages: VerifyPage[] = (await input.pages?.readAll()) ?? [];
  const last = pages.at(-1)?.last;
  const openAssets = last === undefined ? sorted : sorted.filter(({ key }) => key > last);
  const { signal } = input;
  for (const chunk of chunks(openAssets, assetsPerPage)) {
    const result = await mapBounded(chunk, (asset) => verifyAsset(asset, input), {
      maxConcurrent: maxConcurrentReads,
      signal,
    });
    const page = { last: chunk.at(-1)?.key ?? '', result: sumVerified(result) };
    await input.pages?.write(pages.length, page);
    pages.push(page);
  }
  const { assets, refused, counts } = sumVerified(pages.map(({ result }) => result));
  // Stored results are dropped for assets that have changed since they were compared.
  const isStillUnchanged = ({ key }: { key: string }) => unchangedKeys.has(key);
  return {
    assets: assets.filter(isStillUnchanged),
    refused: refused.filter(isStillUnchanged),
    counts,
  };
}

async function verifyAsset({ key, source, record: entry }: UnchangedAsset, input: VerifyInput) {
  const verified: VerifyResult = { assets: [], refused: [], counts: { ...noCounts, assets: 1 } };
  const { counts } = verified;
  const previous = [entry.name, ...entry.older];
  const record = await input.records.read(entry.name);
  if (record === null) {
    verified.assets.push({ key, source, reason: 'changed', previous });
    return verified;
  }
  const sha256 = await hashSource(input.lister, source, input.signal);
  if (sha256 instanceof ConnectorError) {
    verified.refused.push(sourceFailure(sha256.failure, key, input.node, sha256.what));
    return verified;
  }
  if (sha256 !== null) {
    counts.files += 1;
    counts.bytes += source.bytes;
    const knownHash = record.sourceSha256;
    if (knownHash !== undefined && knownHash !== sha256) {
      const version = contentVersionOf(source.version, sha256);
      counts.sources += 1;
      verified.assets.push({ key, source: { ...source, version }, reason: 'changed', previous });
      return verified;
    }
    if (knownHash === undefined) counts.unknown += 1;
  }
  const hashFields = sha256 === null ? {} : { sourceSha256: sha256 };
  if (await areFilesDelivered(record, input, counts)) {
    const isBehind = record.source.version !== source.version || record.sourceSha256 !== sha256;
    const now = { ...record, ...hashFields };
    if (sha256 !== null && isBehind) await input.onTouched?.({ record: now, source, previous });
    return verified;
  }
  counts.outputs += 1;
  verified.assets.push({
    ...toRedeliveredAsset({ key, source, record: entry }, record),
    ...hashFields,
  });
  return verified;
}

/** Returns an asset whose files are delivered again and whose ids are all reused. */
export function toRedeliveredAsset(
  { key, source, record: { name, older } }: UnchangedAsset,
  record: AssetRecord,
): RunAsset {
  const { platformIds, earlier, sourceSha256, run: deliveredBy } = record;
  const made = stageTimesOf(workStages, record);
  const reused = { deliveredBy, platformIds, made, ...omitUndefined({ earlier, sourceSha256 }) };
  return { key, source, reason: 'redeliver', previous: [name, ...older], ...reused };
}

/** True if the files of a record exist unchanged, apart from files without a connector. @param counts what is read */
export async function areFilesDelivered(
  { files }: Pick<AssetRecord, 'files'>,
  { connectorOf, signal }: Pick<VerifyInput, 'connectorOf' | 'signal'>,
  counts: Pick<VerifiedCounts, 'files' | 'bytes'>,
): Promise<boolean> {
  for (const file of files) {
    const { path, bytes, sha256 } = file;
    const connector = await connectorOf(file);
    if (connector === null) continue;
    const entry = await connector.stat(path).catch(fileErrorOf);
    if (entry instanceof ConnectorError || entry?.bytes !== bytes) return false;
    counts.files += 1;
    counts.bytes += bytes;
    if ((await computeSha256(connector, path, signal).catch(fileErrorOf)) !== sha256) return false;
  }
  return true;
}

/** Returns the sha256 (hex) of a source, null for unreadable content, or the error if it concerns this file alone. */
export async function hashSource(
  { hash }: Pick<Lister, 'hash'>,
  source: AssetSource,
  signal: AbortSignal | undefined,
): Promise<string | ConnectorError | null> {
  return (await hash?.(source, signal).catch(fileErrorOf)) ?? null;
}

function fileErrorOf(error: unknown): ConnectorError {
  if (error instanceof ConnectorError && error.isOfOneFile) return error;
  throw error;
}

const noCounts = { assets: 0, files: 0, bytes: 0, sources: 0, outputs: 0, unknown: 0 };
const countNames = Object.keys(noCounts) as (keyof VerifiedCounts)[];

function sumVerified(results: readonly VerifyResult[]): VerifyResult {
  const sum: VerifyResult = { assets: [], refused: [], counts: { ...noCounts } };
  for (const { assets, refused, counts } of results) {
    sum.assets.push(...assets);
    sum.refused.push(...refused);
    for (const name of countNames) sum.counts[name] += counts[name];
  }
  return sum;
}
