// Plans a round. The plan is a pure function of the seed and the selected fault kinds.
import type { PipelineLimits } from './check/evidence.ts';
import { type CallStage, type CreatingCall, callsOf } from './creating-calls.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';

/** Fault kinds, including actions of people. `--without` and `--only` accept these names. */
export const faultKinds = [
  'kills', // a worker is killed, and another one is started
  'zombies', // a worker is frozen, and continues after another one has taken over
  'temporal', // the Temporal server is killed and restarted
  'platform', // the platform is killed or stopped, and restarted
  'drops-before', // the connection breaks before the platform receives the request
  'drops-after', // the connection breaks after the platform has done the work
  'errors-before', // the platform responds with 500, 502, 503 or 504, and does no work
  'errors-after', // the platform responds with such an error after doing the work
  'forgets', // the platform fails after the work, and does not store the idempotency key
  'slow', // responses are delayed, or arrive in small pieces
  'cuts', // bodies are truncated
  'limits', // many requests in a row are refused with 429
  'gateway', // a gateway responds with a web page (403, 404 or 405) instead of the platform
  'pages', // after the work, the response is a web page with status 200, or empty
  'stale', // reads repeat a response that is several seconds old
  'short-pages', // lists return only a few items, whatever page size is requested
  'clock', // the platform's clock is an hour or a day off
  'lag', // reading a new resource results in 404 for a while
  'lag-writes', // using a new resource results in 404 for a while
  'lists', // lists lack new resources for a while
  'batches', // a batch, or a job of several models, lacks new parts for a while
  'cancel',
  'pause',
  'second', // a second run is started
  'replace', // a source file is replaced
  'unmount', // the destination, with the records, is replaced by an empty folder for a while
  'unplug', // the source is replaced by an empty folder for a while
  'files', // a worker can open no more files for a while
  'full', // a worker can write no files for a while
  'terminate', // a run or its shards are terminated in Temporal during a call, and the pipeline is run again
  'reset', // a run or its shards are reset in Temporal during a call
] as const;
export type FaultKind = (typeof faultKinds)[number];

const modelPipelineKinds = ['stills', 'several', 'colorway', 'sheets', 'sharedFolder'] as const;
export const pipelineKinds = [...modelPipelineKinds, 'library'] as const;
export type PipelineKind = (typeof pipelineKinds)[number];

export interface PipelinePlan {
  name: string;
  kind: PipelineKind;
  /** Folder of the pipeline's models within the round's folder. The two `sharedFolder` pipelines share one. */
  folder: string;
  /** Number of models, or number of library items. */
  models: number;
  batchSize: number;
  /** Name of an existing template, or of the round's own template with several cameras. */
  template: string;
  /** How the pipeline is completed: by running its file again, or by a `rerun` of its last run. */
  completeWith: 'run' | 'rerun';
  /** The `limits` of the pipeline file. Absent if the file has none. */
  limits?: PipelineLimits;
}

export type Action = { kind: FaultKind; atMs: number } & (
  | { do: 'kill-worker'; worker: number }
  | { do: 'freeze-worker'; worker: number; forMs: number }
  | { do: 'restart-temporal'; downMs: number }
  | { do: 'restart-platform'; downMs: number; isGraceful: boolean }
  | { do: 'cancel' | 'second-run' | 'replace-file'; pipeline: string }
  | { do: 'pause' | 'unmount' | 'unplug'; pipeline: string; forMs: number }
  | { do: 'limit-worker'; worker: number; resource: 'nofile' | 'fsize'; forMs: number }
  | Intervention
);

/** Terminates or resets workflows in Temporal while a call is in flight, then does what a person would do next. */
export interface Intervention {
  do: 'terminate' | 'reset';
  pipeline: string;
  /** The run alone, all of its open shards, or first the shards and then the run. */
  target: 'run' | 'shards' | 'all';
  heldCall: CreatingCall;
  /** Position of the held call among calls of the kind `heldCall`, counted from 1. */
  nth: number;
  /** Whether the call is held before the platform receives it or after the platform has done the work. */
  heldAt: CallStage;
  /** Delay before `followUp`, so that shards can clean up. */
  followUpDelayMs: number;
  /**
   * Commands that are started immediately. `some` runs the pipeline without its first assets, so that each new shard
   * takes over work from two earlier ones.
   */
  followUp: readonly ('run' | 'rerun' | 'some')[];
  /** Number of first assets that `some` leaves out. */
  skippedAssets: number;
  /** How long the call is held after `followUp`, so that the new runs have started before it continues. */
  forMs: number;
}

export interface RoundPlan {
  seed: number;
  workers: number;
  /** Number of requests per second that the platform allows. 0 means no limit. */
  rateLimit: number;
  pipelines: PipelinePlan[];
  faults: FaultKind[];
  /** Share of requests that encounter a network fault. */
  faultShare: number;
  actions: Action[];
  /** All actions start before this time. Network faults may last longer. */
  faultsEndAtMs: number;
}

/** Kinds that make a round much longer, or that would hide the effects of others if they were frequent. */
const rareKinds: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'zombies',
  'gateway',
  'pages',
  'stale',
  'short-pages',
  'clock',
  'unmount',
  'unplug',
  'files',
  'full',
]);

const faultsEndAtMs = 6_000;
export const multiCameraTemplate = 'Three cameras';

export interface KindChoice {
  /** Kinds to leave out. All other choices stay the same. */
  without?: readonly FaultKind[];
  /** Exactly these kinds, whatever the seed would choose. */
  only?: readonly FaultKind[];
}

export function planRound(seed: number, { without = [], only }: KindChoice = {}): RoundPlan {
  const rng = createSeededRandom(seed);
  const isDue = (kind: FaultKind) =>
    only ? only.includes(kind) : rng.chance(rareKinds.has(kind) ? 0.2 : 0.4, 'kind', kind);
  const faults = faultKinds.filter((kind) => isDue(kind) && !without.includes(kind));
  const pipelines = planPipelines(rng);
  // There are few workers, because each takes seconds of CPU time to start.
  const workers = rng.pick([2, 2, 2, 3], 'workers');
  const actions = faults.flatMap((kind) => actionsOf(kind, { rng, workers, pipelines }));
  return {
    seed,
    workers,
    rateLimit: rng.pick([0, 0, 40], 'rate limit'),
    pipelines,
    faults,
    faultShare: rng.between(15, 45, 'bad share') / 100,
    actions: actions.sort((a, b) => a.atMs - b.atMs),
    faultsEndAtMs,
  };
}

function planPipelines(rng: SeededRandom): PipelinePlan[] {
  const count = rng.pick([1, 1, 2, 2], 'pipelines');
  const kinds = Array.from({ length: count }, (_, index) =>
    rng.pick(modelPipelineKinds, 'pipeline kind', index),
  );
  const max = Math.floor(40 / kinds.length);
  const ofModels = kinds.flatMap((kind, index) => {
    const folder = `m${index + 1}`;
    // There are few models, because the platform takes seconds to draw each production file.
    const models = kind === 'sheets' ? rng.between(1, 3, folder) : rng.between(5, max, folder);
    const base = { kind, folder, models, batchSize: rng.between(3, 20, 'batch', index) };
    const redo = rng.pick<PipelinePlan['completeWith']>(['run', 'rerun'], 'redo', index);
    const template = kind === 'several' ? multiCameraTemplate : 'Studio White';
    const limits = rng.chance(0.5, 'limits', index) ? { limits: limitsFor(models) } : {};
    const name = `${kind}-${index + 1}`;
    const first: PipelinePlan = { name, ...base, template, completeWith: redo, ...limits };
    if (kind !== 'sharedFolder') return [first];
    return [first, { ...first, name: `${first.name}-dark`, template: 'Hero Dark' }];
  });
  return rng.chance(0.25, 'library') ? [...ofModels, planLibrary(rng)] : ofModels;
}

function planLibrary(rng: SeededRandom): PipelinePlan {
  return {
    name: 'library',
    kind: 'library',
    folder: 'library',
    models: rng.between(3, 9, 'library items'),
    batchSize: rng.between(3, 20, 'library batch'),
    template: '',
    completeWith: rng.pick(['run', 'rerun'], 'library redo'),
  };
}

/** Returns limits far above the needs of all runs of a round together, provided that the runs create nothing twice. */
function limitsFor(models: number): PipelineLimits {
  const resources = 3 * models + 3;
  return {
    models: resources,
    projects: resources,
    renders: resources,
    requests: 200 + 10 * models,
  };
}

/** False for a pipeline of library items. */
export function hasModels({ kind }: PipelinePlan): boolean {
  return kind !== 'library';
}

interface PlanContext {
  rng: SeededRandom;
  workers: number;
  pipelines: readonly PipelinePlan[];
}

/** Picks a time at which the runs are busy. */
function pickTimeMs(rng: SeededRandom, ...labels: (string | number)[]): number {
  return rng.between(500, faultsEndAtMs - 1_500, 'moment', ...labels);
}

function actionsOf(kind: FaultKind, context: PlanContext): Action[] {
  const { rng, workers, pipelines } = context;
  const atMs = pickTimeMs(rng, kind);
  const ofModels = pipelines.filter(hasModels);
  const pipeline = ofModels[rng.between(0, ofModels.length - 1, kind)]?.name ?? '';
  switch (kind) {
    case 'kills':
      return Array.from({ length: rng.between(1, 2, kind) }, (_, index) => ({
        kind,
        atMs: pickTimeMs(rng, kind, index),
        do: 'kill-worker',
        worker: rng.between(0, workers - 1, kind, 'which', index),
      }));
    case 'zombies': {
      // The time is longer than the 20 s of silence after which Temporal assigns the work to another worker.
      const worker = rng.between(0, workers - 1, kind, 'which');
      return [
        { kind, atMs, do: 'freeze-worker', worker, forMs: rng.between(22_000, 24_000, kind) },
      ];
    }
    case 'temporal':
      return [{ kind, atMs, do: 'restart-temporal', downMs: rng.between(0, 2_000, kind, 'down') }];
    case 'platform': {
      const isGraceful = rng.chance(0.3, kind, 'gently');
      const downMs = rng.between(0, 2_000, kind, 'down');
      return [{ kind, atMs, do: 'restart-platform', downMs, isGraceful }];
    }
    case 'pause':
      return [{ kind, atMs, do: 'pause', pipeline, forMs: rng.between(500, 3_000, kind, 'long') }];
    case 'unmount':
    case 'unplug':
      return [{ kind, atMs, do: kind, pipeline, forMs: rng.between(500, 3_000, kind, 'long') }];
    case 'files':
    case 'full':
      return Array.from({ length: workers }, (_, worker) => ({
        kind,
        atMs,
        do: 'limit-worker',
        worker,
        resource: kind === 'files' ? 'nofile' : 'fsize',
        forMs: rng.between(500, 4_000, kind, 'long'),
      }));
    case 'cancel':
      return [{ kind, atMs, do: 'cancel', pipeline }];
    case 'second':
      return [{ kind, atMs, do: 'second-run', pipeline }];
    case 'replace':
      return [{ kind, atMs, do: 'replace-file', pipeline }];
    case 'terminate':
    case 'reset':
      return planInterventions(kind, context);
    default:
      return [];
  }
}

const followUps: readonly [Intervention['followUp'], ...Intervention['followUp'][]] = [
  ['run'],
  ['rerun'],
  ['run', 'run'],
  ['run', 'rerun'],
  ['some'],
  ['some', 'run'],
];

/** Plans to hold one creating call of each pipeline. Waiting starts with the round. Some calls come too late. */
function planInterventions(kind: Intervention['do'], { rng, pipelines }: PlanContext): Action[] {
  return pipelines.map((pipeline) => {
    const pick = <T>(choices: readonly [T, ...T[]], label: string) =>
      rng.pick(choices, kind, pipeline.name, label);
    return {
      kind,
      atMs: 0,
      do: kind,
      pipeline: pipeline.name,
      target: pick(['run', 'shards', 'all'], 'of'),
      heldCall: pick(callsOf[pipeline.kind], 'during'),
      nth: pick([1, 1, 2, 3], 'nth'),
      heldAt: pick(['before', 'after'], 'held'),
      followUpDelayMs: pick([0, 1_000, 4_000], 'then'),
      followUp: pick(followUps, 'next'),
      skippedAssets: rng.between(
        1,
        Math.min(pipeline.batchSize, pipeline.models) - 1,
        kind,
        pipeline.name,
        'without',
      ),
      forMs: rng.between(500, 4_000, kind, pipeline.name, 'for'),
    };
  });
}
