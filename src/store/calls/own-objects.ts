// Objects of the platform that runs with records in one place have made, by their creating calls. They must not start runs
// on events.
import { z } from 'zod';
import type { Connector } from '../../connectors/connector.ts';
import { mapBounded } from '../objects/bounded.ts';
import { isAbsence } from '../objects/json-objects.ts';
import { type Intent, parseIntent } from './intents.ts';
import { madeBy } from './made-by.ts';

export interface OwnObjects {
  models: Set<string>;
  projects: Set<string>;
  /** Render jobs, by project. */
  jobs: Map<string, Set<string>>;
  /** When the oldest call was begun that may be under way, ms; null where none is. */
  openSinceMs: number | null;
}

const ofProjects = z.object({ projectIds: z.array(z.string()) });

/** One thing that a call has made; a render job with its project. */
type Made = { model: string } | { project: string } | { job: string; project: string };

/** The platform has told long ago of everything that older calls made. */
const lookBackMs = 7 * 24 * 3_600_000;
/** A call that has no answer for so long is none under way: its run has ended, or waits for a person. */
const openForMs = 10 * 60_000;
const intentPath = /^\.renderline\/[^/]+\/runs\/[^/]+\/intents\//;

/** Calls that have ended do not change; they are read once a process. */
const readBefore = new WeakMap<Connector, Map<string, readonly Made[]>>();

export async function ownObjects(
  connector: Connector,
  signal: AbortSignal,
  nowMs: number,
): Promise<OwnObjects> {
  const known = readBefore.get(connector) ?? new Map<string, readonly Made[]>();
  readBefore.set(connector, known);
  const paths = await recentIntents(connector, signal, nowMs);
  const begunMs: number[] = [];
  const made = await mapBounded(paths, async (path) => {
    const before = known.get(path);
    if (before) return before;
    const intent = await readIntent(connector, path);
    if (intent?.state === 'open') begunMs.push(Date.parse(intent.createdAt));
    if (!intent || intent.state === 'open') return [];
    const things = intent.state === 'done' ? toldOf(intent) : [];
    known.set(path, things);
    return things;
  });
  const current = new Set(paths);
  for (const path of known.keys()) if (!current.has(path)) known.delete(path);
  const underWay = begunMs.filter((beganMs) => nowMs - beganMs < openForMs);
  return {
    ...sorted(made.flat()),
    openSinceMs: underWay.length === 0 ? null : Math.min(...underWay),
  };
}

/** Empty where nothing was ever written: the first run makes the place. */
async function recentIntents(
  connector: Connector,
  signal: AbortSignal,
  nowMs: number,
): Promise<string[]> {
  const paths: string[] = [];
  const accept = (path: string) => intentPath.test(path);
  try {
    for await (const { path, mtimeMs } of connector.list('.renderline', { signal, accept })) {
      if (mtimeMs === 0 || nowMs - mtimeMs < lookBackMs) paths.push(path);
    }
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
  return paths;
}

/** null for an intent that was taken away meanwhile, or cut short. */
async function readIntent(connector: Connector, path: string): Promise<Intent | null> {
  try {
    return parseIntent((await connector.read(path)).toString('utf8'));
  } catch {
    return null;
  }
}

function toldOf(intent: Intent): Made[] {
  const { operation, assets, answer = {}, bodyText } = intent;
  if (operation === 'createRenders') {
    // A job is answered under the asset whose project stands at its place in the body.
    const { projectIds } = ofProjects.parse(JSON.parse(bodyText));
    return assets.flatMap((key, index) => {
      const job = answer[key]?.jobId;
      const project = projectIds[index];
      return job === undefined || project === undefined ? [] : [{ job, project }];
    });
  }
  return madeBy(intent).flatMap(({ kind, id }): Made[] => {
    if (kind === 'model') return [{ model: id }];
    return kind === 'project' ? [{ project: id }] : [];
  });
}

function sorted(made: readonly Made[]): Omit<OwnObjects, 'openSinceMs'> {
  const own: Omit<OwnObjects, 'openSinceMs'> = {
    models: new Set(),
    projects: new Set(),
    jobs: new Map(),
  };
  for (const one of made) {
    if ('model' in one) own.models.add(one.model);
    else if ('job' in one) {
      const jobs = own.jobs.get(one.project) ?? new Set();
      own.jobs.set(one.project, jobs.add(one.job));
    } else own.projects.add(one.project);
  }
  return own;
}
