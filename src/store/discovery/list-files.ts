// The files of a connector as assets: what the globs take, once it has stopped changing.
import { createHash } from 'node:crypto';
import type { Connector, Entry, SkipReason } from '../../connectors/connector.ts';
import { hostilePart } from '../../connectors/safe-path.ts';
import { pathFailures } from '../../failures/places.ts';
import type { Failure } from '../../plan/types.ts';
import { sourceOf } from '../records/source-version.ts';
import { refusal, unnamedFile } from './asset-keys.ts';
import type { Listed, ListedSource, Lister } from './lister.ts';
import { settleDown } from './settle-down.ts';
import { fileTaker } from './take-files.ts';

export interface FileListerInput {
  connector: Connector;
  config: { include: readonly string[]; exclude: readonly string[]; stableForMs: number };
  /** Node that refusals are reported under. */
  node: string;
  now: () => number;
  wait?: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;
}

export function fileLister(input: FileListerInput): Lister {
  const { connector, config, now, wait } = input;
  const { stableForMs } = config;
  return {
    list: (signal) => listFiles(input, signal),
    settle: (sources, signal) => settleDown(sources, { connector, stableForMs, now, wait, signal }),
    hash: ({ path }, signal) => sha256Of(connector, path, signal),
  };
}

async function listFiles(
  { connector, config, node }: FileListerInput,
  signal: AbortSignal | undefined,
): Promise<Listed> {
  const takes = fileTaker(config);
  const { entries, refused } = await listEntries({ connector, takes, node }, signal);
  const found = entries.map(
    (entry): ListedSource => ({ unnamed: unnamedFile(entry.path), source: sourceOf(entry) }),
  );
  return { found, refused };
}

/** The files of a connector that are taken, and those of them that nobody can use. */
export async function listEntries(
  {
    connector,
    takes,
    node,
  }: Pick<FileListerInput, 'connector' | 'node'> & {
    takes: (path: string) => boolean;
  },
  signal: AbortSignal | undefined,
): Promise<{ entries: Entry[]; refused: Failure[] }> {
  const refused: Failure[] = [];
  const entries: Entry[] = [];
  const accept = (path: string) => {
    if (!takes(path)) return false;
    const why = hostilePart(path);
    if (why !== null) refused.push(refusal(pathFailures.HOSTILE_PATH, path, node, why));
    return why === null;
  };
  const onSkipped = (path: string, reason: SkipReason) => {
    refused.push(
      reason !== 'link-outside'
        ? refusal(pathFailures.UNREADABLE, path, node, 'reading is not allowed')
        : refusal(
            pathFailures.HOSTILE_PATH,
            path,
            node,
            'it is a link that leads out of the folder',
          ),
    );
  };
  for await (const entry of connector.list('', { signal, accept, onSkipped })) {
    entries.push(entry);
  }
  return { entries, refused };
}

/** sha256 (hex) of a file's content. */
export async function sha256Of(
  connector: Connector,
  path: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const hash = createHash('sha256');
  const file = await connector.open(path, signal);
  try {
    const content = await file.content();
    if (content instanceof Uint8Array) return hash.update(content).digest('hex');
    const chunks: AsyncIterable<Uint8Array> = content;
    for await (const chunk of chunks) {
      signal?.throwIfAborted();
      hash.update(chunk);
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}
