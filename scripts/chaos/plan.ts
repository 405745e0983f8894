// What a round is made of: a pure function of its seed and of the kinds of faults that are left out.
import type { Budget } from './check/evidence.ts';
import { type Dice, diceOf } from './dice.ts';

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
] as const;
export type FaultKind = (typeof faultKinds)[number];

export const pipelineKinds = ['stills', 'several', 'colorway', 'sheets', 'twins'] as const;
export type PipelineKind = (typeof pipelineKinds)[number];

export interface PipelinePlan {
  name: string;
  kind: PipelineKind;
  /** Folder of its models below that of the round; twins share one. */
  folder: string;
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
);

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
    dice.pick(pipelineKinds, 'pipeline kind', index),
  );
  const most = Math.floor(40 / kinds.length);
  return kinds.flatMap((kind, index) => {
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
}

/** Far more than a run needs, and than all runs of a round spend that do nothing twice. */
function budgetFor(models: number): Budget {
  const things = 3 * models + 3;
  return { models: things, projects: things, renders: things, requests: 200 + 10 * models };
}

interface Stage {
  dice: Dice;
  workers: number;
  pipelines: readonly PipelinePlan[];
}

/** A moment while the runs are busy. */
function moment(dice: Dice, ...what: (string | number)[]): number {
  return dice.between(500, fineAtMs - 1_500, 'moment', ...what);
}

function actionsOf(kind: FaultKind, { dice, workers, pipelines }: Stage): Action[] {
  const atMs = moment(dice, kind);
  const pipeline = pipelines[dice.between(0, pipelines.length - 1, kind)]?.name ?? '';
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
    default:
      return [];
  }
}
