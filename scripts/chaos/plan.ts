// Plans a round: a pure function of the seed and the selected fault kinds.
import type { Budget } from './check/evidence.ts';
import { type Dice, diceOf } from './dice.ts';
import { callsOf, type MakingCall, type Stage } from './making-calls.ts';

/** Fault kinds, including actions of people; `--without` and `--only` take these names. */
export const faultKinds = [
  'kills', // a worker is killed, another one starts
  'zombies', // a worker is frozen, and continues when another one has taken over
  'temporal', // the Temporal server is killed and restarted
  'platform', // the platform is killed and restarted
  'drops-before', // the connection breaks before the platform receives the request
  'drops-after', // … after the work is done
  'errors-before', // 500, 502, 503 or 504, and no work is done
  'errors-after', // … after the work is done
  'forgets', // the platform fails after the work, and does not store the idempotency key
  'slow', // responses are delayed, or come in small pieces
  'cuts', // bodies are truncated
  'limits', // bursts of 429
  'lag', // reading a new resource gives 404 for a while
  'lag-writes', // using a new resource gives 404 for a while
  'lists', // lists lack new resources for a while
  'batches', // a batch, or a job of several models, lacks new parts for a while
  'cancel',
  'pause',
  'second', // a second run is started
  'replace', // a source file is replaced
  'terminate', // a run or its shards are terminated in Temporal during a call, and the pipeline is run again
  'reset', // … is reset in Temporal
] as const;
export type FaultKind = (typeof faultKinds)[number];

const drawnKinds = ['stills', 'several', 'colorway', 'sheets', 'twins'] as const;
export const pipelineKinds = [...drawnKinds, 'library'] as const;
export type PipelineKind = (typeof pipelineKinds)[number];

export interface PipelinePlan {
  name: string;
  kind: PipelineKind;
  /** Folder of its models below the round's folder; both `twins` pipelines share one. */
  folder: string;
  /** Number of models, or of items of a library. */
  models: number;
  batchSize: number;
  /** Name of an existing template, or of the round's own template with several cameras. */
  template: string;
  /** How the pipeline is completed: by running its file again, or by `rerun` of its last run. */
  redo: 'run' | 'rerun';
  /** The `limits` of the pipeline file; absent if the file has none. */
  limits?: Budget;
}

export type Action = { kind: FaultKind; atMs: number } & (
  | { do: 'kill-worker'; worker: number }
  | { do: 'freeze-worker'; worker: number; forMs: number }
  | { do: 'restart-temporal'; downMs: number }
  | { do: 'restart-platform'; downMs: number; gently: boolean }
  | { do: 'cancel' | 'second-run' | 'replace-file'; pipeline: string }
  | { do: 'pause'; pipeline: string; forMs: number }
  | Press
);

/** Terminates or resets workflows in Temporal while a call is in flight, then does what a person would do next. */
export interface Press {
  do: 'terminate' | 'reset';
  pipeline: string;
  /** The run alone, all its open shards, or the shards and then the run. */
  of: 'run' | 'shards' | 'all';
  /** The creating call that is held meanwhile. */
  during: MakingCall;
  /** Which of these calls is held, counted from 1. */
  nth: number;
  /** Held before the platform receives the call, or after it has done the work. */
  held: Stage;
  /** Delay before `next`, in which shards may clean up. */
  thenMs: number;
  /**
   * Commands started at once; `some` runs the pipeline without its first assets, so that each new shard takes over
   * work of two earlier ones.
   */
  next: readonly ('run' | 'rerun' | 'some')[];
  /** How many of the first assets `some` leaves out. */
  without: number;
  /** How long the call is still held after `next`, so that those who take over have started. */
  forMs: number;
}

export interface RoundPlan {
  seed: number;
  workers: number;
  /** Requests per second that the platform allows; 0 is no limit. */
  rateLimit: number;
  pipelines: PipelinePlan[];
  /** Fault kinds of this round. */
  faults: FaultKind[];
  /** Share of the requests that meet a network fault. */
  badShare: number;
  actions: Action[];
  /** All actions start before this time; network faults may last longer. */
  fineAtMs: number;
}

const fineAtMs = 6_000;
export const severalTemplate = 'Three cameras';

export interface KindChoice {
  /** Kinds to leave out; all other choices stay the same. */
  without?: readonly FaultKind[];
  /** Exactly these kinds, whatever the seed would choose. */
  only?: readonly FaultKind[];
}

export function planRound(seed: number, { without = [], only }: KindChoice = {}): RoundPlan {
  const dice = diceOf(seed);
  const isDue = (kind: FaultKind) =>
    only ? only.includes(kind) : dice.chance(kind === 'zombies' ? 0.2 : 0.4, 'kind', kind);
  const faults = faultKinds.filter((kind) => isDue(kind) && !without.includes(kind));
  const pipelines = planPipelines(dice);
  // Few, since each worker takes seconds of CPU to start.
  const workers = dice.pick([2, 2, 2, 3], 'workers');
  const actions = faults.flatMap((kind) => actionsOf(kind, { dice, workers, pipelines }));
  return {
    seed,
    workers,
    rateLimit: dice.pick([0, 0, 40], 'rate limit'),
    pipelines,
    faults,
    badShare: dice.between(15, 45, 'bad share') / 100,
    actions: actions.sort((one, other) => one.atMs - other.atMs),
    fineAtMs,
  };
}

function planPipelines(dice: Dice): PipelinePlan[] {
  const count = dice.pick([1, 1, 2, 2], 'pipelines');
  const kinds = Array.from({ length: count }, (_, index) =>
    dice.pick(drawnKinds, 'pipeline kind', index),
  );
  const most = Math.floor(40 / kinds.length);
  const ofModels = kinds.flatMap((kind, index) => {
    const folder = `m${index + 1}`;
    // Few models, since the platform draws for seconds for each production file.
    const models = kind === 'sheets' ? dice.between(1, 3, folder) : dice.between(5, most, folder);
    const shared = { kind, folder, models, batchSize: dice.between(3, 20, 'batch', index) };
    const redo = dice.pick<PipelinePlan['redo']>(['run', 'rerun'], 'redo', index);
    const template = kind === 'several' ? severalTemplate : 'Studio White';
    const limits = dice.chance(0.5, 'limits', index) ? { limits: budgetFor(models) } : {};
    const name = `${kind}-${index + 1}`;
    const first: PipelinePlan = { name, ...shared, template, redo, ...limits };
    if (kind !== 'twins') return [first];
    return [first, { ...first, name: `${first.name}-dark`, template: 'Hero Dark' }];
  });
  return dice.chance(0.25, 'library') ? [...ofModels, planLibrary(dice)] : ofModels;
}

function planLibrary(dice: Dice): PipelinePlan {
  return {
    name: 'library',
    kind: 'library',
    folder: 'library',
    models: dice.between(3, 9, 'library items'),
    batchSize: dice.between(3, 20, 'library batch'),
    template: '',
    redo: dice.pick(['run', 'rerun'], 'library redo'),
  };
}

/** Far more than needed by all runs of a round that create nothing twice. */
function budgetFor(models: number): Budget {
  const things = 3 * models + 3;
  return { models: things, projects: things, renders: things, requests: 200 + 10 * models };
}

/** False for a pipeline of library items. */
export function isOfModels({ kind }: PipelinePlan): boolean {
  return kind !== 'library';
}

interface Scene {
  dice: Dice;
  workers: number;
  pipelines: readonly PipelinePlan[];
}

/** A time at which the runs are busy. */
function moment(dice: Dice, ...what: (string | number)[]): number {
  return dice.between(500, fineAtMs - 1_500, 'moment', ...what);
}

function actionsOf(kind: FaultKind, scene: Scene): Action[] {
  const { dice, workers, pipelines } = scene;
  const atMs = moment(dice, kind);
  const ofModels = pipelines.filter(isOfModels);
  const pipeline = ofModels[dice.between(0, ofModels.length - 1, kind)]?.name ?? '';
  switch (kind) {
    case 'kills':
      return Array.from({ length: dice.between(1, 2, kind) }, (_, index) => ({
        kind,
        atMs: moment(dice, kind, index),
        do: 'kill-worker',
        worker: dice.between(0, workers - 1, kind, 'which', index),
      }));
    case 'zombies': {
      // Longer than the 20 s of silence after which Temporal gives the work to another worker.
      const worker = dice.between(0, workers - 1, kind, 'which');
      return [
        { kind, atMs, do: 'freeze-worker', worker, forMs: dice.between(22_000, 24_000, kind) },
      ];
    }
    case 'temporal':
      return [{ kind, atMs, do: 'restart-temporal', downMs: dice.between(0, 2_000, kind, 'down') }];
    case 'platform': {
      const gently = dice.chance(0.3, kind, 'gently');
      const downMs = dice.between(0, 2_000, kind, 'down');
      return [{ kind, atMs, do: 'restart-platform', downMs, gently }];
    }
    case 'pause':
      return [{ kind, atMs, do: 'pause', pipeline, forMs: dice.between(500, 3_000, kind, 'long') }];
    case 'cancel':
      return [{ kind, atMs, do: 'cancel', pipeline }];
    case 'second':
      return [{ kind, atMs, do: 'second-run', pipeline }];
    case 'replace':
      return [{ kind, atMs, do: 'replace-file', pipeline }];
    case 'terminate':
    case 'reset':
      return pressesOf(kind, scene);
    default:
      return [];
  }
}

const afterwards: readonly [Press['next'], ...Press['next'][]] = [
  ['run'],
  ['rerun'],
  ['run', 'run'],
  ['run', 'rerun'],
  ['some'],
  ['some', 'run'],
];

/** One creating call per pipeline, waited for from the start. Some calls do not come in time. */
function pressesOf(kind: Press['do'], { dice, pipelines }: Scene): Action[] {
  return pipelines.map((pipeline) => {
    const pick = <T>(of: readonly [T, ...T[]], what: string) =>
      dice.pick(of, kind, pipeline.name, what);
    return {
      kind,
      atMs: 0,
      do: kind,
      pipeline: pipeline.name,
      of: pick(['run', 'shards', 'all'], 'of'),
      during: pick(callsOf[pipeline.kind], 'during'),
      nth: pick([1, 1, 2, 3], 'nth'),
      held: pick(['before', 'after'], 'held'),
      thenMs: pick([0, 1_000, 4_000], 'then'),
      next: pick(afterwards, 'next'),
      without: dice.between(
        1,
        Math.min(pipeline.batchSize, pipeline.models) - 1,
        kind,
        pipeline.name,
        'without',
      ),
      forMs: dice.between(500, 4_000, kind, pipeline.name, 'for'),
    };
  });
}
