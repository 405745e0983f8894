// The panels of the dashboard, in one row per subject.
import {
  type InstrumentId,
  instruments,
  prometheusNameOf,
} from '../../src/telemetry/instruments.ts';

export interface Panel {
  title: string;
  /** Name of the unit in Grafana. */
  unit: 'short' | 's' | 'Bps' | 'percentunit' | 'reqps';
  description: string;
  lines: readonly { expr: string; legend: string }[];
}

export interface PanelRow {
  title: string;
  panels: readonly Panel[];
}

const name = (id: InstrumentId) => prometheusNameOf(instruments[id]);
const inPipeline = 'pipeline=~"$pipeline"';
const interval = '$__rate_interval';

function rate(id: InstrumentId, grouping: string, filter = ''): string {
  return `sum by (${grouping}) (rate(${name(id)}{${filter}}[${interval}]))`;
}

function increase(id: InstrumentId, grouping: string, filter = ''): string {
  return `sum by (${grouping}) (increase(${name(id)}{${filter}}[${interval}]))`;
}

/** Returns the expression of a gauge that every worker reads from the same source, so the maximum is the value. */
function maxOf(id: InstrumentId, grouping: string, filter = ''): string {
  return `max by (${grouping}) (${name(id)}{${filter}})`;
}

function p95(metric: string, grouping = '', filter = ''): string {
  const labels = grouping === '' ? 'le' : `le, ${grouping}`;
  return `histogram_quantile(0.95, sum by (${labels}) (rate(${metric}_bucket{${filter}}[${interval}])))`;
}

const singleLine = (expr: string, legend: string) => [{ expr, legend }];

const runRow: PanelRow = {
  title: 'Runs',
  panels: [
    {
      title: 'Finished runs',
      unit: 'short',
      description: 'Finished runs by outcome. partial_failure: some assets failed.',
      lines: singleLine(increase('runsEnded', 'outcome', inPipeline), '{{outcome}}'),
    },
    {
      title: 'Runs waiting for a person',
      unit: 'short',
      description: 'Started pauses by cause. renderline show RUN explains what to do.',
      lines: singleLine(
        increase('runPauses', 'pipeline, cause', inPipeline),
        '{{pipeline}} {{cause}}',
      ),
    },
    {
      title: 'Late runs',
      unit: 'short',
      description: 'Runs that missed their deadline, or were expected to miss it.',
      lines: singleLine(
        increase('runsLate', 'pipeline, lateness', inPipeline),
        '{{pipeline}} {{lateness}}',
      ),
    },
    {
      title: 'Run duration (95%)',
      unit: 's',
      description: 'Time from the start of a run to its end.',
      lines: singleLine(p95(name('runTime'), 'pipeline', inPipeline), '{{pipeline}}'),
    },
    {
      title: 'Schedule lag (95%)',
      unit: 's',
      description:
        'Time from the scheduled start until a worker started the run. The lag of a backfill is the time that it goes back.',
      lines: singleLine(p95(name('scheduleLag'), 'pipeline', inPipeline), '{{pipeline}}'),
    },
    {
      title: 'Open runs',
      unit: 'short',
      description: 'Open runs by state. paused: waiting for a person.',
      lines: singleLine(maxOf('openRuns', 'pipeline, state', inPipeline), '{{pipeline}} {{state}}'),
    },
    {
      title: 'Age of the oldest open run',
      unit: 's',
      description: 'Age of the oldest open run of a pipeline; 0 if no run is open.',
      lines: singleLine(maxOf('openRunAge', 'pipeline', inPipeline), '{{pipeline}}'),
    },
    {
      title: 'Time since the last success of schedules',
      unit: 's',
      description: 'Time since a run of the schedule finished with all assets complete.',
      lines: singleLine(`time() - ${maxOf('scheduleSuccess', 'schedule')}`, '{{schedule}}'),
    },
    {
      title: 'Time between starts of schedules',
      unit: 's',
      description:
        'The longest of the next intervals between starts. Paused schedules have no value.',
      lines: singleLine(maxOf('schedulePeriod', 'schedule'), '{{schedule}}'),
    },
  ],
};

const assetRow: PanelRow = {
  title: 'Assets',
  panels: [
    {
      title: 'Finished assets',
      unit: 'short',
      description: 'Finished assets by outcome.',
      lines: singleLine(increase('assets', 'outcome', inPipeline), '{{outcome}}'),
    },
    {
      title: 'Assets per step',
      unit: 'short',
      description: 'Assets that a step has finished.',
      lines: singleLine(
        increase('stepAssets', 'step, outcome', `${inPipeline}, outcome!="pruned"`),
        '{{step}} {{outcome}}',
      ),
    },
    {
      title: 'Step duration (95%)',
      unit: 's',
      description: 'Duration of step attempts. For waits, only attempts that found a result count.',
      lines: singleLine(p95(name('stepTime'), 'step', inPipeline), '{{step}}'),
    },
    {
      title: 'Failed attempts',
      unit: 'short',
      description: 'Step attempts that failed as a whole; most are retried.',
      lines: singleLine(increase('stepFailures', 'step', inPipeline), '{{step}}'),
    },
    {
      title: 'Failed assets by code',
      unit: 'short',
      description: 'renderline explain CODE says what a code means and what to do.',
      lines: singleLine(increase('assetFailures', 'code', inPipeline), '{{code}}'),
    },
  ],
};

const platformRow: PanelRow = {
  title: 'Platform',
  panels: [
    {
      title: 'Allowance',
      unit: 'short',
      description: 'Requests of all workers in the last window, and the limit of the key.',
      lines: [
        { expr: `sum(${name('used')})`, legend: 'used' },
        { expr: `max(${name('limit')})`, legend: 'limit' },
        { expr: `sum(${name('waiting')})`, legend: 'waiting' },
      ],
    },
    {
      title: 'Wait for the allowance (95%)',
      unit: 's',
      description: 'How long requests wait before they are sent.',
      lines: singleLine(p95(name('waits')), 'wait'),
    },
    {
      title: 'Requests',
      unit: 'reqps',
      description: 'Requests by operation.',
      lines: singleLine(rate('requests', 'operation'), '{{operation}}'),
    },
    {
      title: 'Refused and failed requests',
      unit: 'reqps',
      description: '429: refused by the rate limit. none: no response.',
      lines: singleLine(rate('requests', 'status', 'status!~"2.."'), '{{status}}'),
    },
    {
      title: 'Response time (95%)',
      unit: 's',
      description: 'Response time by operation, without the wait for the allowance.',
      lines: singleLine(p95(name('requestTime'), 'operation'), '{{operation}}'),
    },
    {
      title: 'Completion delay (95%)',
      unit: 's',
      description: 'Upper bound of the time until a completed resource was noticed.',
      lines: singleLine(p95(name('completionDelay'), 'poller, by'), '{{poller}} by {{by}}'),
    },
    {
      title: 'Status polls',
      unit: 'reqps',
      description: 'Status polls by kind of resource and by cause.',
      lines: singleLine(rate('polls', 'poller, by'), '{{poller}} by {{by}}'),
    },
    {
      title: 'Transfers',
      unit: 'Bps',
      description: 'Bytes of successful transfers.',
      lines: singleLine(rate('transferBytes', 'direction'), '{{direction}}'),
    },
  ],
};

const engineRow: PanelRow = {
  title: 'Workers and receivers',
  panels: [
    {
      title: 'Free slots',
      unit: 'short',
      description: 'Additional tasks that workers could take.',
      lines: singleLine(
        'sum by (task_queue, worker_type) (temporal_worker_task_slots_available)',
        '{{task_queue}} {{worker_type}}',
      ),
    },
    {
      title: 'Wait for a worker (95%)',
      unit: 's',
      description: 'If this time grows, add workers.',
      lines: [
        {
          expr: p95('temporal_workflow_task_schedule_to_start_latency_seconds'),
          legend: 'workflows',
        },
        { expr: p95('temporal_activity_schedule_to_start_latency_seconds'), legend: 'activities' },
      ],
    },
    {
      title: 'Failed workflow tasks',
      unit: 'short',
      description: 'After a deploy, failures mean that the new version cannot continue open runs.',
      lines: singleLine(
        `sum by (failure_reason) (increase(temporal_workflow_task_execution_failed_total[${interval}]))`,
        '{{failure_reason}}',
      ),
    },
    {
      title: 'Notifications',
      unit: 'short',
      description: 'Notifications of the platform by verdict. refused: wrong signature.',
      lines: [
        { expr: increase('notifications', 'verdict'), legend: '{{verdict}}' },
        { expr: `sum(increase(${name('wakeUps')}[${interval}]))`, legend: 'wake-ups to workers' },
      ],
    },
    {
      title: 'Time since the last notification',
      unit: 's',
      description: 'Time since a receiver last accepted a notification of the platform.',
      lines: singleLine(`time() - max(${name('lastNotification')})`, 'last'),
    },
    {
      title: 'Processes by build',
      unit: 'short',
      description: 'Workers and receivers that Prometheus scrapes.',
      lines: singleLine(
        `count by (process, version, build_id) (${name('build')})`,
        '{{process}} {{version}} {{build_id}}',
      ),
    },
    {
      title: 'Workers and stranded runs by build',
      unit: 'short',
      description: 'Read from Temporal. Stranded runs are pinned to a build without workers.',
      lines: [
        { expr: maxOf('queueWorkers', 'build_id'), legend: 'workers {{build_id}}' },
        { expr: maxOf('strandedRuns', 'build_id'), legend: 'stranded {{build_id}}' },
      ],
    },
    {
      title: 'Workflows that fail at every attempt',
      unit: 'short',
      description:
        'The workflows continue when workers with compatible code run again; nothing is lost.',
      lines: singleLine(`max(${name('failingWorkflows')})`, 'workflows'),
    },
    {
      title: 'Uptime',
      unit: 's',
      description: 'Uptime of each process; it drops at a restart.',
      lines: singleLine(name('uptime'), '{{instance}}'),
    },
  ],
};

export const panelRows: readonly PanelRow[] = [runRow, assetRow, platformRow, engineRow];
