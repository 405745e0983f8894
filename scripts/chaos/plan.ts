// What a round is made of: a pure function of its seed and of the kinds of faults that are left out.
import type { Budget } from './check/evidence.ts';
import { type Dice, diceOf } from './dice.ts';
import { callsOf, type MakingCall, type Stage } from './making-calls.ts';

/** What can go wrong, and what people do meanwhile; `--without` names these. */
export const faultKinds = [
  'kills', // a worker is killed, another one starts
  'zombies', // a worker stands still, and goes on when another one has taken over
  'temporal', // the Temporal server is killed and started again
  'platform', // the platform is killed and started again
  'drops-before', // a connection breaks before the platform has seen the request
  'drops-after', // … after it has done the work
  'errors-before', // 500, 502, 503, 504, and nothing was done
  'errors-after', // … after the work was done
  'forgets', // the platform fails after the work, and does not know its key again
  'slow', // answers come late, or byte by byte
  'cuts', // bodies end in the middle
  'limits', // bursts of 429
  'lag', // reading what was made a moment ago answers 404
  'lag-writes', // using it answers 404
  'lists', // lists lack what was made a moment ago
  'batches', // a batch, or a job of several models, lacks some of its parts for a moment
  'cancel',
  'pause',
  'second', // a second run is started meanwhile
  'replace', // a source file is replaced meanwhile
  'terminate', // a run or its shard is terminated in Temporal while a call is on its way, and the pipeline is run again
  'reset', // … is reset in Temporal
] as const;
export type FaultKind = (typeof faultKinds)[number];

const drawnKinds = ['stills', 'several', 'colorway', 'sheets', 'twins'] as const;
export const pipelineKinds = [...drawnKinds, 'library'] as const;
export type PipelineKind = (typeof pipelineKinds)[number];

export interface PipelinePlan {
  name: string;
  kind: PipelineKind;
  /** Folder of its models below that of the round; twins share one. */
  folder: string;
  /** Of a library the number of its items. */
  models: number;
  batchSize: number;
  /** Name of a template that is there, or of one that the round makes with several cameras. */
  template: string;
  /** How it is brought to its end: by running its file again, or by `rerun` of its last run. */
  redo: 'run' | 'rerun';
  /** What its file allows each run; absent where it says nothing. */
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

/** A button of Temporal, pressed while a call is on its way, and what a person does then. */
export interface Press {
  do: 'terminate' | 'reset';
  pipeline: string;
  /** The run alone, all of its shards that go on, or these and then the run. */
  of: 'run' | 'shards' | 'all';
  /** The call is held when it comes, until all is done. */
  during: MakingCall;
  /** Which of these calls it is, from 1. */
  nth: number;
  /** Held before the platform has seen the call, or when it has done the work. */
  held: Stage;
  /** Between the button and what is next: shards may clean up meanwhile. */
  thenMs: number;
  /** At once; `some` is a run without the first assets, whose shards take work over from two earlier ones each. */
  next: readonly ('run' | 'rerun' | 'some')[];
  /** How many first assets `some` leaves out. */
  without: number;
  /** How long the call is held after all that; those who take the work over have begun by then. */
  forMs: number;
}

export interface RoundPlan {
  seed: number;
  workers: number;
  /** Requests a second that the platform allows; 0 is no limit. */
  rateLimit: number;
  pipelines: PipelinePlan[];
  /** Kinds of faults that come in this round. */
  faults: FaultKind[];
  /** Share of the requests that meet a fault of the network. */
  badShare: number;
  actions: Action[];
  /** All that is done to processes and runs begins before; the network may be bad for longer. */
  fineAtMs: number;
}

const fineAtMs = 6_000;
export const severalTemplate = 'Three cameras';

export interface KindChoice {
  /** Kinds that are left out; everything else stays as it was. */
  without?: readonly FaultKind[];
  /** These kinds and no others, whether the seed would have them or not. */
  only?: readonly FaultKind[];
}

export function planRound(seed: number, { without = [], only }: KindChoice = {}): RoundPlan {
  const dice = diceOf(seed);
  const isDue = (kind: FaultKind) =>
    only ? only.includes(kind) : dice.chance(kind === 'zombies' ? 0.2 : 0.4, 'kind', kind);
  const faults = faultKinds.filter((kind) => isDue(kind) && !without.includes(kind));
  const pipelines = planPipelines(dice);
  // Each takes seconds of a core to start.
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
    // A production file takes the platform seconds of drawing.
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

/** Far more than a run needs, and than all runs of a round spend that do nothing twice. */
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

/** A moment while the runs are busy. */
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
      // Long enough that its work is given to another one, which takes twenty seconds of silence.
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

/** Of each pipeline one call is waited for from the start; some do not come in time. */
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
