// The registry of Renderline's metrics, with every name, unit and label. The metrics page is generated from it. Tests
// check the dashboard and the alert rules against it.

export interface Instrument {
  kind: 'counter' | 'gauge' | 'histogram';
  /** The name in OpenTelemetry. Prometheus appends the unit or `_total`. */
  name: string;
  unit?: 'seconds' | 'bytes';
  help: string;
  /** Names of the labels. Label values come from files and fixed lists, never from assets or runs. */
  labels: readonly string[];
  buckets?: readonly number[];
  /** The processes that record the metric. @default 'worker' */
  process?: 'receiver' | 'both';
}

const shortBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const longBuckets = [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900, 3_600];
const runBuckets = [10, 60, 300, 900, 3_600, 14_400, 43_200, 86_400, 259_200];

const retryNote = 'A retried attempt counts again.';
const readEachMinute =
  'Every worker reads the value from Temporal once a minute, so take the maximum of all workers, not the sum. NaN while the value cannot be read.';

export const instruments = {
  requests: {
    kind: 'counter',
    name: 'renderline_api_requests',
    help: 'API requests by operation and status: the HTTP status, or none without a response. 429 means that the rate limit refused the request.',
    labels: ['operation', 'status'],
    process: 'both',
  },
  requestTime: {
    kind: 'histogram',
    name: 'renderline_api_request_duration',
    unit: 'seconds',
    help: 'Time from sending an API request until its response was read, without the wait for the allowance.',
    labels: ['operation'],
    buckets: shortBuckets,
    process: 'both',
  },
  waits: {
    kind: 'histogram',
    name: 'renderline_allowance_wait',
    unit: 'seconds',
    help: 'How long API requests waited for the allowance; requests that did not wait count as 0.',
    labels: [],
    buckets: longBuckets,
    process: 'both',
  },
  used: {
    kind: 'gauge',
    name: 'renderline_allowance_used',
    help: 'Requests of this worker in the last window of the allowance. Sampled every 5 s.',
    labels: [],
  },
  limit: {
    kind: 'gauge',
    name: 'renderline_allowance_limit',
    help: 'Requests that all workers of the key together may send in a window; absent until the limit is known.',
    labels: [],
  },
  pressure: {
    kind: 'gauge',
    name: 'renderline_allowance_pressure_ratio',
    help: "Share of the key's allowance that all workers together use, from 0 to 1.",
    labels: [],
  },
  waiting: {
    kind: 'gauge',
    name: 'renderline_allowance_waiting',
    help: 'API requests of this worker that are waiting for the allowance.',
    labels: [],
  },
  polls: {
    kind: 'counter',
    name: 'renderline_polls',
    help: 'Status polls of the platform by kind of resource, each for all waiting assets. The label by states whether a notification or the clock caused the poll.',
    labels: ['poller', 'by'],
  },
  polledItems: {
    kind: 'counter',
    name: 'renderline_polled_items',
    help: 'Resources whose status was polled.',
    labels: ['poller'],
  },
  completionDelay: {
    kind: 'histogram',
    name: 'renderline_completion_delay',
    unit: 'seconds',
    help: 'Upper bound of the delay until a completed resource was noticed: the time between the last poll that found it unfinished and the poll that found it complete.',
    labels: ['poller', 'by'],
    buckets: longBuckets,
  },
  transfers: {
    kind: 'counter',
    name: 'renderline_transfers',
    help: `Transfers of files to the platform (upload) and from the platform (download). ${retryNote}`,
    labels: ['direction', 'result'],
  },
  transferBytes: {
    kind: 'counter',
    name: 'renderline_transfer_bytes',
    unit: 'bytes',
    help: 'Bytes of successful transfers.',
    labels: ['direction'],
  },
  transferTime: {
    kind: 'histogram',
    name: 'renderline_transfer_duration',
    unit: 'seconds',
    help: 'Duration of successful transfers.',
    labels: ['direction'],
    buckets: longBuckets,
  },
  stepAssets: {
    kind: 'counter',
    name: 'renderline_step_assets',
    help: `Assets that a step has finished; a node may consist of several steps. Outcomes: done, pruned (its when was false), failed, retry (will be retried). ${retryNote}`,
    labels: ['pipeline', 'node', 'step', 'outcome'],
  },
  stepTime: {
    kind: 'histogram',
    name: 'renderline_step_duration',
    unit: 'seconds',
    help: 'Duration of step attempts. For a wait, only the attempt that found a result counts.',
    labels: ['pipeline', 'node', 'step'],
    buckets: longBuckets,
  },
  stepFailures: {
    kind: 'counter',
    name: 'renderline_step_failures',
    help: 'Step attempts that failed as a whole; Temporal retries most of them.',
    labels: ['pipeline', 'node', 'step'],
  },
  assetsFound: {
    kind: 'counter',
    name: 'renderline_assets_found',
    help: 'Assets that runs discovered, by kind: new, changed, unchanged (nothing to do), refused.',
    labels: ['pipeline', 'kind'],
  },
  assets: {
    kind: 'counter',
    name: 'renderline_assets',
    help: `Finished assets by outcome: complete, failed, skipped, cancelled. ${retryNote}`,
    labels: ['pipeline', 'outcome'],
  },
  assetFailures: {
    kind: 'counter',
    name: 'renderline_asset_failures',
    help: `Failed assets by failure code; a code that docs/errors.md does not list counts as OTHER. ${retryNote}`,
    labels: ['pipeline', 'code'],
  },
  runsStarted: {
    kind: 'counter',
    name: 'renderline_runs_started',
    help: 'Runs that started on this worker.',
    labels: ['pipeline'],
  },
  runsEnded: {
    kind: 'counter',
    name: 'renderline_runs',
    help: 'Runs that finished on this worker, by outcome. Replays do not count; a last workflow task that is retried counts again; terminated runs are not counted.',
    labels: ['pipeline', 'outcome'],
  },
  runTime: {
    kind: 'histogram',
    name: 'renderline_run_duration',
    unit: 'seconds',
    help: 'Time from the start of a run to its end.',
    labels: ['pipeline'],
    buckets: runBuckets,
  },
  runPauses: {
    kind: 'counter',
    name: 'renderline_run_pauses',
    help: 'How often runs started to wait for a person, by the code of the cause. The cause is "by hand" if somebody paused the run.',
    labels: ['pipeline', 'cause'],
  },
  runsLate: {
    kind: 'counter',
    name: 'renderline_runs_late',
    help: 'Runs that missed their deadline, or were expected to miss it.',
    labels: ['pipeline', 'lateness'],
  },
  scheduleLag: {
    kind: 'histogram',
    name: 'renderline_schedule_lag',
    unit: 'seconds',
    help: 'Time from the scheduled start until a worker started the run, including jitter.',
    labels: ['pipeline'],
    buckets: runBuckets,
  },
  runNotices: {
    kind: 'counter',
    name: 'renderline_run_notices',
    help: `Attempts to send run notices (notify:). ${retryNote}`,
    labels: ['result'],
  },
  notifications: {
    kind: 'counter',
    name: 'renderline_webhook_notifications',
    help: 'Notifications from the platform by verdict: accepted, repeated, stale, refused (wrong signature), misdirected (signed, but at another path), unreadable, unknown, failed (could not be stored).',
    labels: ['verdict'],
    process: 'receiver',
  },
  wakeUps: {
    kind: 'counter',
    name: 'renderline_webhook_wake_ups',
    help: 'Wake-ups sent to workers, counted once per listening worker.',
    labels: [],
    process: 'receiver',
  },
  lastNotification: {
    kind: 'gauge',
    name: 'renderline_webhook_last_accepted_timestamp_seconds',
    help: 'When the receiver last accepted a notification from the platform, as Unix time; absent before the first notification.',
    labels: [],
    process: 'receiver',
  },
  openRuns: {
    kind: 'gauge',
    name: 'renderline_open_runs',
    help: `Open runs of the task queue by state: working, paused (waiting for a person), or unknown (started without search attributes). ${readEachMinute}`,
    labels: ['pipeline', 'state'],
  },
  openRunAge: {
    kind: 'gauge',
    name: 'renderline_open_run_age_seconds',
    help: `Age of the oldest open run; 0 if none is open. ${readEachMinute}`,
    labels: ['pipeline'],
  },
  strandedRuns: {
    kind: 'gauge',
    name: 'renderline_stranded_runs',
    help: `Open runs that are pinned to a build without workers, by build. ${readEachMinute}`,
    labels: ['build_id'],
  },
  queueWorkers: {
    kind: 'gauge',
    name: 'renderline_queue_workers',
    help: `Workers that recently polled the task queue, by build; an empty build stands for unversioned workers. ${readEachMinute}`,
    labels: ['build_id'],
  },
  failingWorkflows: {
    kind: 'gauge',
    name: 'renderline_failing_workflows',
    help: `Open runs, shards and other workflows of the task queue whose workflow tasks failed at every attempt for a minute or longer. With more than 40 open workflows, those found so far. ${readEachMinute}`,
    labels: [],
  },
  scheduleSuccess: {
    kind: 'gauge',
    name: 'renderline_schedule_last_success_timestamp_seconds',
    help: `When a run of the schedule last finished with all assets complete, as Unix time; absent if no such run is in Temporal. ${readEachMinute}`,
    labels: ['schedule'],
  },
  schedulePeriod: {
    kind: 'gauge',
    name: 'renderline_schedule_period_seconds',
    help: `Longest time between the next starts of the schedule, or from the last success to the first start that was planned after it; NaN while it is paused. ${readEachMinute}`,
    labels: ['schedule'],
  },
  uptime: {
    kind: 'gauge',
    name: 'renderline_uptime_seconds',
    help: 'How long the process has served metrics. The alert rules use it to detect counts that are new after a restart.',
    labels: [],
    process: 'both',
  },
  build: {
    kind: 'gauge',
    name: 'renderline_build_info',
    help: 'Always 1. Labels: the program version, the build id of its workflow code (or of its Worker Deployment version), and the process: worker or receiver.',
    labels: ['version', 'build_id', 'process'],
    process: 'both',
  },
} as const satisfies Record<string, Instrument>;

export type InstrumentId = keyof typeof instruments;

/** Returns the Prometheus name, without `_bucket`, `_sum` or `_count`, which Prometheus appends for a histogram. */
export function prometheusNameOf({ kind, name, unit }: Instrument): string {
  if (kind === 'counter') return `${name}_total`;
  if (kind === 'histogram' && unit !== undefined) return `${name}_${unit}`;
  return name;
}
