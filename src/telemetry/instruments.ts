// The registry of our metrics: every name, unit and label there is. The page of metrics is generated from it, and tests hold
// the dashboard and the alert rules against it.

/** Labels come from files and fixed lists, never from assets or runs. */
export type Label =
  | 'operation'
  | 'status'
  | 'board'
  | 'by'
  | 'direction'
  | 'result'
  | 'pipeline'
  | 'node'
  | 'step'
  | 'outcome'
  | 'kind'
  | 'cause'
  | 'verdict'
  | 'version'
  | 'build_id'
  | 'process'
  | 'state'
  | 'schedule'
  | 'code';

export interface Instrument {
  kind: 'counter' | 'gauge' | 'histogram';
  /** As OpenTelemetry names it; in Prometheus unit and `_total` follow. */
  name: string;
  unit?: 'seconds' | 'bytes';
  help: string;
  labels: readonly Label[];
  /** Upper bounds of a histogram. */
  buckets?: readonly number[];
  /** Which process has it. */
  of: 'worker' | 'receiver' | 'both';
}

const short = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const long = [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900, 3_600];
const runs = [10, 60, 300, 900, 3_600, 14_400, 43_200, 86_400, 259_200];

const again = 'An attempt that is made again counts again.';
const readEachMinute =
  'Every worker reads it from Temporal once a minute: take the maximum of all workers, not the sum. NaN while it cannot be read.';

export const instruments = {
  requests: {
    kind: 'counter',
    name: 'renderline_api_requests',
    help: 'API requests by operation and answer; status is the HTTP status, or none where no answer came. 429 are refusals by the limit.',
    labels: ['operation', 'status'],
    of: 'both',
  },
  requestTime: {
    kind: 'histogram',
    name: 'renderline_api_request_duration',
    unit: 'seconds',
    help: 'From sending an API request until its answer was read, without the wait for the allowance.',
    labels: ['operation'],
    buckets: short,
    of: 'both',
  },
  waits: {
    kind: 'histogram',
    name: 'renderline_allowance_wait',
    unit: 'seconds',
    help: 'How long API requests waited for a place in the allowance; those that did not wait count as 0.',
    labels: [],
    buckets: long,
    of: 'both',
  },
  used: {
    kind: 'gauge',
    name: 'renderline_allowance_used',
    help: 'Requests of this worker that count against the allowance of the last window. Sampled every 5 s.',
    labels: [],
    of: 'worker',
  },
  limit: {
    kind: 'gauge',
    name: 'renderline_allowance_limit',
    help: 'Requests that the key may send in a window, all its workers together; absent until it is known.',
    labels: [],
    of: 'worker',
  },
  pressure: {
    kind: 'gauge',
    name: 'renderline_allowance_pressure_ratio',
    help: "Share of the key's whole allowance that is spent, by all who share it, 0 to 1.",
    labels: [],
    of: 'worker',
  },
  waiting: {
    kind: 'gauge',
    name: 'renderline_allowance_waiting',
    help: 'API requests of this worker that wait for a place in the allowance now.',
    labels: [],
    of: 'worker',
  },
  looks: {
    kind: 'counter',
    name: 'renderline_looks',
    help: 'Looks at the platform for all that wait for things of a kind; by says whether a notification or the clock caused it.',
    labels: ['board', 'by'],
    of: 'worker',
  },
  lookItems: {
    kind: 'counter',
    name: 'renderline_look_items',
    help: 'Things that looks were about.',
    labels: ['board'],
    of: 'worker',
  },
  noticed: {
    kind: 'histogram',
    name: 'renderline_noticed_within',
    unit: 'seconds',
    help: 'From the last look that found a thing unfinished until the one that found it ready: it was ready for no longer than this before it was noticed.',
    labels: ['board', 'by'],
    buckets: long,
    of: 'worker',
  },
  transfers: {
    kind: 'counter',
    name: 'renderline_transfers',
    help: `Files to the platform (upload) and from it (download). ${again}`,
    labels: ['direction', 'result'],
    of: 'worker',
  },
  transferBytes: {
    kind: 'counter',
    name: 'renderline_transfer_bytes',
    unit: 'bytes',
    help: 'Bytes of transfers that went through.',
    labels: ['direction'],
    of: 'worker',
  },
  transferTime: {
    kind: 'histogram',
    name: 'renderline_transfer_duration',
    unit: 'seconds',
    help: 'How long transfers took that went through.',
    labels: ['direction'],
    buckets: long,
    of: 'worker',
  },
  stepAssets: {
    kind: 'counter',
    name: 'renderline_step_assets',
    help: `Assets that a step is done with; a node of a file may be several steps. Outcomes: done, pruned (its when was false), failed, redo (started again). ${again}`,
    labels: ['pipeline', 'node', 'step', 'outcome'],
    of: 'worker',
  },
  stepTime: {
    kind: 'histogram',
    name: 'renderline_step_duration',
    unit: 'seconds',
    help: 'How long attempts of steps took. Of a wait only the attempt that found something counts.',
    labels: ['pipeline', 'node', 'step'],
    buckets: long,
    of: 'worker',
  },
  stepFailures: {
    kind: 'counter',
    name: 'renderline_step_failures',
    help: 'Attempts of steps that failed as a whole, most of which Temporal makes again.',
    labels: ['pipeline', 'node', 'step'],
    of: 'worker',
  },
  assetsFound: {
    kind: 'counter',
    name: 'renderline_assets_found',
    help: 'Assets that runs found, by kind: new, changed, unchanged (nothing to do), refused.',
    labels: ['pipeline', 'kind'],
    of: 'worker',
  },
  assets: {
    kind: 'counter',
    name: 'renderline_assets',
    help: `Assets that came to their end, by outcome: complete, failed, skipped, cancelled. ${again}`,
    labels: ['pipeline', 'outcome'],
    of: 'worker',
  },
  assetFailures: {
    kind: 'counter',
    name: 'renderline_asset_failures',
    help: `Assets that failed for good, by the code of their failure; a code that docs/errors.md does not list counts as OTHER. ${again}`,
    labels: ['pipeline', 'code'],
    of: 'worker',
  },
  runsStarted: {
    kind: 'counter',
    name: 'renderline_runs_started',
    help: 'Runs whose first task this worker did.',
    labels: ['pipeline'],
    of: 'worker',
  },
  runsEnded: {
    kind: 'counter',
    name: 'renderline_runs',
    help: 'Runs that ended on this worker, by outcome. Never counted by a replay; a last task that fails and is done again counts again, and a run that somebody terminates counts nowhere.',
    labels: ['pipeline', 'outcome'],
    of: 'worker',
  },
  runTime: {
    kind: 'histogram',
    name: 'renderline_run_duration',
    unit: 'seconds',
    help: 'From the start of a run to its end.',
    labels: ['pipeline'],
    buckets: runs,
    of: 'worker',
  },
  runPauses: {
    kind: 'counter',
    name: 'renderline_run_pauses',
    help: 'Times that runs began to wait for a person, by the code of the cause; by hand where somebody paused it.',
    labels: ['pipeline', 'cause'],
    of: 'worker',
  },
  scheduleLag: {
    kind: 'histogram',
    name: 'renderline_schedule_lag',
    unit: 'seconds',
    help: 'From the time that a schedule names until a worker began the run, its jitter included.',
    labels: ['pipeline'],
    buckets: runs,
    of: 'worker',
  },
  runNotices: {
    kind: 'counter',
    name: 'renderline_run_notices',
    help: `Attempts to tell receivers of a run (notify:). ${again}`,
    labels: ['result'],
    of: 'worker',
  },
  notifications: {
    kind: 'counter',
    name: 'renderline_webhook_notifications',
    help: 'Notifications of the platform by verdict: accepted, repeated, stale, refused (the signature is wrong), misdirected (signed, at another path), unreadable, unknown, failed (could not be kept).',
    labels: ['verdict'],
    of: 'receiver',
  },
  hints: {
    kind: 'counter',
    name: 'renderline_webhook_hints',
    help: 'Hints given to workers; each worker that listens counts.',
    labels: [],
    of: 'receiver',
  },
  lastNotification: {
    kind: 'gauge',
    name: 'renderline_webhook_last_accepted_timestamp_seconds',
    help: 'When the receiver last accepted a notification of the platform, in seconds since 1970; absent until the first.',
    labels: [],
    of: 'receiver',
  },
  openRuns: {
    kind: 'gauge',
    name: 'renderline_open_runs',
    help: `Open runs of the task queue by state: working, paused (waits for a person), or unknown (started without search attributes). ${readEachMinute}`,
    labels: ['pipeline', 'state'],
    of: 'worker',
  },
  openRunAge: {
    kind: 'gauge',
    name: 'renderline_open_run_age_seconds',
    help: `Age of the oldest open run, 0 where none is open. ${readEachMinute}`,
    labels: ['pipeline'],
    of: 'worker',
  },
  strandedRuns: {
    kind: 'gauge',
    name: 'renderline_stranded_runs',
    help: `Open runs that are pinned to a build without workers, by build. ${readEachMinute}`,
    labels: ['build_id'],
    of: 'worker',
  },
  queueWorkers: {
    kind: 'gauge',
    name: 'renderline_queue_workers',
    help: `Workers that asked the task queue for work lately, by build; empty: workers without a version. ${readEachMinute}`,
    labels: ['build_id'],
    of: 'worker',
  },
  failingWorkflows: {
    kind: 'gauge',
    name: 'renderline_failing_workflows',
    help: `Open runs, shards and others of the task queue whose workflow tasks failed at every attempt for a minute or longer; of more than 40 those that were found so far. ${readEachMinute}`,
    labels: [],
    of: 'worker',
  },
  scheduleSuccess: {
    kind: 'gauge',
    name: 'renderline_schedule_last_success_timestamp_seconds',
    help: `When a run of the schedule last ended with all assets complete, in seconds since 1970; absent where Temporal remembers none. ${readEachMinute}`,
    labels: ['schedule'],
    of: 'worker',
  },
  schedulePeriod: {
    kind: 'gauge',
    name: 'renderline_schedule_period_seconds',
    help: `Longest time between the next starts of the schedule; NaN while it is paused. ${readEachMinute}`,
    labels: ['schedule'],
    of: 'worker',
  },
  uptime: {
    kind: 'gauge',
    name: 'renderline_uptime_seconds',
    help: 'How long the process has served its metrics. The alert rules tell by it which counts are new after a restart.',
    labels: [],
    of: 'both',
  },
  build: {
    kind: 'gauge',
    name: 'renderline_build_info',
    help: 'Always 1; its labels are the version of the program, the build id of its workflow code (that of its Worker Deployment where it has one), and the process: worker or receiver.',
    labels: ['version', 'build_id', 'process'],
    of: 'both',
  },
} as const satisfies Record<string, Instrument>;

export type InstrumentId = keyof typeof instruments;

/** As Prometheus has it. Those of a histogram end with `_bucket`, `_sum` and `_count` beyond. */
export function prometheusName({ kind, name, unit }: Instrument): string {
  if (kind === 'counter') return `${name}_total`;
  if (kind === 'histogram' && unit !== undefined) return `${name}_${unit}`;
  return name;
}
