// Lists the files of a connector that match the globs, as sources, and finds those that have stopped changing.
import { createHash } from 'node:crypto';
import type { Connector, Entry, SkipReason } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { compareNames, isNameAtOrBefore } from '../../connectors/disk/name-order.ts';
import { findPathProblem } from '../../connectors/safe-path.ts';
import type { KnownFailure } from '../../failures/define.ts';
import { pathFailures } from '../../failures/storage.ts';
import type { AssetSource, Failure } from '../../plan/types.ts';
import { isMissingError } from '../objects/json-objects.ts';
import { entryFieldsOfVersion, sourceOf } from '../records/source-version.ts';
import { sourceFailure, toUnkeyedFile } from './asset-keys.ts';
import { createFileFilter } from './file-filter.ts';
import type { ListedPage, ListedSource, Lister, PageLimits } from './listed-source.ts';
import { splitStableFiles } from './stable-files.ts';

/** Maximum number of files with the same stem that a discovery page takes beyond its limit. */
const maxTogether = 10_000;

export interface FileListerInput {
  connector: Connector;
  config: { include: readonly string[]; exclude: readonly string[]; stableForMs: number };
  node: string;
  now: () => number;
  wait?: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;
}

export function createFileLister(input: FileListerInput): Lister {
  const { connector, config, node, now, wait } = input;
  const { stableForMs } = config;
  const entryFieldsOf = ({ version }: AssetSource) => entryFieldsOfVersion(version);
  const options = { connector, stableForMs, now, entryFieldsOf, wait };
  return {
    async list(signal) {
      const takes = createFileFilter(config);
      const { entries, refused } = await listEntries({ connector, takes, node }, signal);
      return { sources: entries.map(foundOf), failures: refused };
    },
    listPage: (after, limits, signal) => listPage(input, { after, ...limits }, signal),
    splitStable: (sources, signal) => splitStableFiles(sources, { ...options, signal }),
    hash: ({ path }, signal) => computeSha256(connector, path, signal),
    exists: (path) => fileExists(connector, path),
  };
}

async function fileExists(connector: Connector, path: string): Promise<boolean> {
  try {
    return (await connector.stat(path)) !== null;
  } catch (error) {
    if (isMissingError(error)) return false;
    if (error instanceof ConnectorError && error.isOfOneFile) return true;
    throw error;
  }
}

function foundOf(entry: Entry): ListedSource {
  return { unkeyed: toUnkeyedFile(entry.path), source: sourceOf(entry) };
}

async function listPage(
  { connector, config, node, now }: FileListerInput,
  { after, names, ms, onListed }: PageLimits & { after: string },
  signal: AbortSignal | undefined,
): Promise<ListedPage> {
  const refusals = new Refusals(node);
  const accept = refusals.accepting(createFileFilter(config));
  const { onSkipped } = refusals;
  const deadlineAtMs = now() + ms;
  const sources: ListedSource[] = [];
  let last: string | null = null;
  let isOrdered = true;
  for await (const entry of connector.list('', { signal, accept, onSkipped, after })) {
    if (isNameAtOrBefore(entry.path, last ?? after)) isOrdered = false;
    if (!isOrdered && after !== '') throw unorderedError(connector.describe(), entry.path);
    const excess = sources.length - names;
    const isFull = excess >= 0 || now() >= deadlineAtMs;
    // A connector that lists without order cannot resume, so its first page contains everything.
    if (isOrdered && last !== null && isFull && canSplitPage(last, entry.path, excess)) {
      return { sources, failures: refusals.between(after, last), after: last };
    }
    sources.push(foundOf(entry));
    onListed?.(sources.length);
    last = entry.path;
  }
  return { sources, failures: refusals.between(after, null), after: null };
}

/** True if a page may end here. Files whose keys may clash stay together, within `maxTogether` more files. */
function canSplitPage(last: string, next: string, excess: number): boolean {
  return stemOf(last) !== stemOf(next) || excess >= maxTogether;
}

/** Returns the path up to the first dot of the name. Paths with the same stem and a dot are adjacent in a listing. */
function stemOf(path: string): string {
  const dot = path.indexOf('.', path.lastIndexOf('/') + 1);
  return dot < 0 ? path : path.slice(0, dot);
}

function unorderedError(location: string, path: string): ConnectorError {
  return new ConnectorError(
    'STORE_UNSUITABLE',
    path,
    `${location} does not list its files in the order of their names: "${path}" comes after a later name, so a long listing cannot be split into pages`,
    'choose a prefix with fewer files, or a store that lists in this order (on Azure, an account without hierarchical namespace)',
  );
}

/** Lists the matching files of a connector, and failures for those that cannot be used. */
export async function listEntries(
  options: Pick<FileListerInput, 'connector' | 'node'> & { takes: (path: string) => boolean },
  signal: AbortSignal | undefined,
): Promise<{ entries: Entry[]; refused: Failure[] }> {
  const { connector, takes, node } = options;
  const refusals = new Refusals(node);
  const accept = refusals.accepting(takes);
  const { onSkipped } = refusals;
  const entries: Entry[] = [];
  for await (const entry of connector.list('', { signal, accept, onSkipped })) entries.push(entry);
  return { entries, refused: refusals.between('', null) };
}

/** Entries that exist but cannot be used. A paged listing encounters some of them again. */
class Refusals {
  readonly #node: string;
  /** Failures by the name that decides their position in the listing. */
  readonly #failures = new Map<string, Failure>();

  constructor(node: string) {
    this.#node = node;
  }

  accepting(isIncluded: (path: string) => boolean): (path: string) => boolean {
    return (path) => {
      if (!isIncluded(path)) return false;
      const problem = findPathProblem(path);
      if (problem !== null) this.#add(path, path, pathFailures.HOSTILE_PATH, problem);
      return problem === null;
    };
  }

  readonly onSkipped = (path: string, reason: SkipReason): void => {
    const problem = 'the path is a link that leads out of the folder';
    if (reason === 'link-outside') this.#add(path, path, pathFailures.HOSTILE_PATH, problem);
    else {
      const orderKey = reason === 'unreadable-folder' ? `${path}/` : path;
      this.#add(orderKey, path, pathFailures.UNREADABLE, 'the worker is not allowed to read it');
    }
  };

  /** Returns the failures after one path, up to and including another. If the other path is null, up to the end. */
  between(after: string, last: string | null): Failure[] {
    return [...this.#failures].flatMap(([orderKey, failure]) => {
      const isBefore = after !== '' && compareNames(orderKey, after) <= 0;
      const isBehind = last !== null && compareNames(orderKey, last) > 0;
      return isBefore || isBehind ? [] : [failure];
    });
  }

  #add(orderKey: string, path: string, failure: KnownFailure, problem: string): void {
    this.#failures.set(orderKey, sourceFailure(failure, path, this.#node, problem));
  }
}

/** Returns the sha256 (hex) of a file's content. `onChunk` receives the bytes as they are read. */
export async function computeSha256(
  connector: Connector,
  path: string,
  signal: AbortSignal | undefined,
  onChunk?: (chunk: Uint8Array) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256');
  const file = await connector.open(path, signal);
  try {
    const content = await file.content();
    const chunks: AsyncIterable<Uint8Array> | [Uint8Array] =
      content instanceof Uint8Array ? [content] : content;
    for await (const chunk of chunks) {
      signal?.throwIfAborted();
      hash.update(chunk);
      await onChunk?.(chunk);
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}
