// Models that runs with records in one place have made: their creating calls say so. Whoever starts runs on events
// must not start one for them.
import type { Connector } from '../connectors/connector.ts';
import { mapBounded } from './bounded.ts';
import type { Intent } from './intents.ts';

/** Older calls made models whose events have long come. */
const lookBackMs = 7 * 24 * 3_600_000;
const intentPath = /^\.renderline\/[^/]+\/runs\/[^/]+\/intents\//;

/** Calls that have ended do not change; they are read once a process. */
const readBefore = new WeakMap<Connector, Map<string, readonly string[]>>();

export async function ownModels(
  connector: Connector,
  signal: AbortSignal,
  nowMs = Date.now(),
): Promise<Set<string>> {
  const known = readBefore.get(connector) ?? new Map<string, readonly string[]>();
  readBefore.set(connector, known);
  const paths: string[] = [];
  const accept = (path: string) => intentPath.test(path);
  for await (const { path, mtimeMs } of connector.list('.renderline', { signal, accept })) {
    if (mtimeMs === 0 || nowMs - mtimeMs < lookBackMs) paths.push(path);
  }
  const models = await mapBounded(paths, async (path) => {
    const before = known.get(path);
    if (before) return before;
    const intent = await readIntent(connector, path);
    const made = Object.values(intent?.answer ?? {}).flatMap(({ modelId }) => modelId ?? []);
    if (intent?.state === 'done') known.set(path, made);
    return made;
  });
  const current = new Set(paths);
  for (const path of known.keys()) if (!current.has(path)) known.delete(path);
  return new Set(models.flat());
}

/** null for what is no intent any more: taken away meanwhile, or cut short. */
async function readIntent(connector: Connector, path: string): Promise<Partial<Intent> | null> {
  try {
    return JSON.parse((await connector.read(path)).toString('utf8')) as Partial<Intent>;
  } catch {
    return null;
  }
}
