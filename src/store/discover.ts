// What a run has to do: lists the connector, compares with the records, writes nothing.
import { createHash } from 'node:crypto';
import type { Connector, Entry } from '../connectors/connector.ts';
import { hostilePart } from '../connectors/safe-path.ts';
import type { Discovery } from '../plan/contract.ts';
import type { AssetSource, Failure } from '../plan/types.ts';
import { assignDefaultKeys, assignKeysBy, type KeyHistory, refusal } from './asset-keys.ts';
import { mapBounded } from './bounded.ts';
import { type Standing, standingOf } from './classify.ts';
import type { ManifestAsset } from './manifest.ts';
import { encodeKey } from './object-name.ts';
import type { AssetRecord, RecordIndex, Records } from './records.ts';
import { settleDown } from './settle-down.ts';
import { sourceOf } from './source-version.ts';
import { fileTaker } from './take-files.ts';

export interface DiscoverAssetsInput {
  connector: Connector;
  config: { include: readonly string[]; exclude: readonly string[]; stableForMs: number };
  /** Node that refusals are reported under. */
  node: string;
  /** Makes a file's key from its path; null for the default. */
  keyOf: ((path: string) => string) | null;
  recipe: string;
  index: RecordIndex;
  /** Encoded keys with a claim. */
  claimed: ReadonlySet<string>;
  records: Pick<Records, 'read'>;
  now: () => number;
  wait?: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;
  signal?: AbortSignal;
}

/** A delivered file whose time changed and whose content did not. */
interface TouchedAsset {
  record: AssetRecord;
  source: AssetSource;
  previous: string[];
}

export interface Discovered {
  /** What is to be done, in the order of paths. */
  assets: ManifestAsset[];
  counts: Omit<Discovery, 'pages' | 'refused'>;
  refused: Failure[];
  /** Paths that still change; the next run takes them. */
  later: string[];
  /** Records to be brought up to date, so that the next discovery need not read the files again. */
  touched: TouchedAsset[];
}

/** Finds new and changed files. `total` counts all files that the globs take, also refused and later ones. */
export async function discoverAssets(input: DiscoverAssetsInput): Promise<Discovered> {
  const { connector, node, signal } = input;
  const { entries, refused } = await listFiles(input);
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const paths = [...byPath.keys()].sort();
  const keys = input.keyOf
    ? assignKeysBy(paths, input.keyOf, node)
    : await assignDefaultKeys(paths, historyOf(input), node);
  refused.push(...keys.refused);

  const keyOfPath = new Map(keys.keyed.map(({ path, key }) => [path, key]));
  const found = keys.keyed.flatMap(({ path, key }) => {
    const entry = byPath.get(path);
    return entry ? [{ entry, key, standing: standingOf(key, sourceOf(entry), input) }] : [];
  });
  const open = found.filter(({ standing }) => standing.reason !== 'unchanged');
  const { stable, later } = await settleDown(
    open.map(({ entry }) => entry),
    { connector, stableForMs: input.config.stableForMs, now: input.now, wait: input.wait, signal },
  );
  const standings = new Map(open.map(({ key, standing }) => [key, standing]));
  const decided = await mapBounded(
    stable,
    async (entry) => {
      const key = keyOfPath.get(entry.path) ?? '';
      return decide(key, entry, standings.get(key), input);
    },
    { signal },
  );
  return {
    ...tally(decided),
    refused,
    later: later.sort(),
    counts: countsOf(decided, {
      total: paths.length + refused.length - keys.refused.length,
      unchanged: found.length - open.length,
    }),
  };
}

type Decided = { asset: ManifestAsset } | { touched: TouchedAsset };

async function decide(
  key: string,
  entry: Entry,
  standing: Standing | undefined,
  input: DiscoverAssetsInput,
): Promise<Decided> {
  const source = sourceOf(entry);
  const record = standing?.record ?? null;
  const previous = record ? { previous: [record.name, ...record.older] } : {};
  const reason = standing?.reason ?? 'new';
  if (reason !== 'touched' && reason !== 'unchanged') {
    return { asset: { key, source, reason, ...previous } };
  }
  const before = record ? await input.records.read(record.name) : null;
  const same =
    before?.sourceSha256 !== undefined &&
    before.sourceSha256 === (await sha256Of(input.connector, entry.path, input.signal));
  if (!before || !same) return { asset: { key, source, reason: 'changed', ...previous } };
  return { touched: { record: before, source, previous: previous.previous ?? [] } };
}

async function listFiles({ connector, config, node, signal }: DiscoverAssetsInput) {
  const refused: Failure[] = [];
  const entries: Entry[] = [];
  const takes = fileTaker(config);
  const accept = (path: string) => {
    if (!takes(path)) return false;
    const why = hostilePart(path);
    if (why !== null) refused.push(refusal(path, node, 'HOSTILE_PATH', `${why}; rename it`));
    return why === null;
  };
  const onSkipped = (path: string, reason: 'link-outside' | 'unreadable') => {
    refused.push(
      reason === 'unreadable'
        ? refusal(path, node, 'UNREADABLE', 'reading is not allowed; check its permissions')
        : refusal(path, node, 'HOSTILE_PATH', 'it is a link that leads out of the folder'),
    );
  };
  for await (const entry of connector.list('', { signal, accept, onSkipped })) entries.push(entry);
  return { entries, refused };
}

function historyOf({ index, claimed, records }: DiscoverAssetsInput): KeyHistory {
  return {
    isKnown: (key) => index.get(key) !== null || claimed.has(encodeKey(key)),
    async pathOf(key) {
      const entry = index.get(key);
      return entry ? ((await records.read(entry.name))?.source.path ?? null) : null;
    },
  };
}

function tally(decided: readonly Decided[]): Pick<Discovered, 'assets' | 'touched'> {
  const assets = decided.flatMap((item) => ('asset' in item ? [item.asset] : []));
  const touched = decided.flatMap((item) => ('touched' in item ? [item.touched] : []));
  const byPath = (a: ManifestAsset, b: ManifestAsset) => (a.source.path < b.source.path ? -1 : 1);
  return { assets: assets.sort(byPath), touched };
}

function countsOf(
  decided: readonly Decided[],
  { total, unchanged }: { total: number; unchanged: number },
): Discovered['counts'] {
  const counts = { total, new: 0, changed: 0, unchanged };
  for (const item of decided) {
    if ('touched' in item) counts.unchanged += 1;
    else if (item.asset.reason === 'new' || item.asset.reason === 'retry') counts.new += 1;
    else counts.changed += 1;
  }
  return counts;
}

async function sha256Of(
  connector: Connector,
  path: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const hash = createHash('sha256');
  const file = await connector.open(path, signal);
  try {
    const content = await file.content();
    if (content instanceof Uint8Array) return hash.update(content).digest('hex');
    for await (const chunk of content) {
      signal?.throwIfAborted();
      hash.update(chunk as Buffer);
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}
