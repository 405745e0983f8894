// Generates the alert rules for Prometheus, as a file and for the Helm chart. docs/runbook.md describes each fix.
import {
  type InstrumentId,
  instruments,
  prometheusNameOf,
} from '../../src/telemetry/instruments.ts';

export interface Alert {
  name: string;
  severity: 'critical' | 'warning' | 'info';
  expr: string;
  /** How long the condition must hold before the alert fires. */
  for?: string;
  summary: string;
  description: string;
}

interface RecordingRule {
  record: string;
  expr: string;
}

export const runbookPage = 'docs/runbook.md';

/** Placeholders that the chart replaces with its own values. */
export const chartPlaceholders = {
  scope: '@SCOPE@',
  workers: '@WORKERS@',
  runbook: '@RUNBOOK@',
} as const;

const minute = 60;
const windows = { '15m': 15 * minute, '30m': 30 * minute, '1h': 3_600, '7d': 7 * 86_400 } as const;
type Window = keyof typeof windows;

/** Pollers whose resources are covered by the platform's notifications. */
const notifiedPollers = 'poller=~"models|renders"';

/**
 * Returns functions that build expressions over the series of one installation.
 * @param scope label matchers that select the series. If empty, all series are selected
 */
function seriesOf(scope: string) {
  const select = (name: string, filter = '') => {
    const matchers = [scope, filter].filter((part) => part !== '').join(', ');
    return matchers === '' ? name : `${name}{${matchers}}`;
  };
  const metric = (id: InstrumentId, filter = '') =>
    select(prometheusNameOf(instruments[id]), filter);
  /**
   * Counts events within a window. `increase` alone misses the first value of a series, and may miss counts after a
   * restart. The first value counts only if the series has fewer samples than its process, because only then did the
   * series start after Prometheus first saw the process. Else a new Prometheus would count old values as new.
   */
  const countWithin = (name: string, filter: string, window: Window) => {
    const series = select(name, filter);
    const uptime = metric('uptime');
    const seconds = windows[window];
    return [
      `(max_over_time(${series}[${window}]) unless ${series} offset ${window})`,
      `  and count_over_time(${series}[${window}]) < on (job, instance) group_left count_over_time(${uptime}[${window}])`,
      `or ${series} and on (job, instance) ${uptime} < ${seconds}`,
      `or increase(${series}[${window}])`,
    ].join('\n');
  };
  const recordingRule = (
    record: string,
    id: InstrumentId,
    window: Window,
    filter = '',
    end = '',
  ): RecordingRule => ({
    record,
    expr: countWithin(`${prometheusNameOf(instruments[id])}${end}`, filter, window),
  });
  return { select, metric, recordingRule };
}

const names = {
  runs: 'renderline:runs_failed:counted1h',
  late: 'renderline:runs_late:counted1h',
  pauses: 'renderline:run_pauses:counted7d',
  pausesLately: 'renderline:run_pauses:counted30m',
  stepAssets: 'renderline:step_assets:counted30m',
  refused: 'renderline:api_requests_refused:counted15m',
  lag: 'renderline:schedule_lag_bucket:counted1h',
  transfers: 'renderline:transfers:counted15m',
  notifications: 'renderline:notifications_not_taken:counted15m',
  completions: 'renderline:completions:counted30m',
} as const;

export function createRecordingRules(scope: string): RecordingRule[] {
  const { recordingRule } = seriesOf(scope);
  return [
    recordingRule(names.runs, 'runsEnded', '1h', 'outcome=~"failed|partial_failure"'),
    recordingRule(names.late, 'runsLate', '1h'),
    recordingRule(names.pauses, 'runPauses', '7d', 'cause!="by hand"'),
    recordingRule(names.pausesLately, 'runPauses', '30m', 'cause!="by hand"'),
    recordingRule(names.stepAssets, 'stepAssets', '30m', 'outcome=~"done|failed"'),
    recordingRule(names.refused, 'requests', '15m', 'status=~"401|403|429"'),
    recordingRule(names.lag, 'scheduleLag', '1h', '', '_bucket'),
    recordingRule(names.transfers, 'transfers', '15m'),
    recordingRule(names.notifications, 'notifications', '15m', 'verdict=~"refused|failed"'),
    recordingRule(names.completions, 'completionDelay', '30m', notifiedPollers, '_count'),
  ];
}

function processAlerts(scope: string): Alert[] {
  const { select, metric } = seriesOf(scope);
  return [
    {
      name: 'RenderlineNoWorker',
      severity: 'critical',
      expr: `absent(${metric('build', 'process="worker"')})`,
      for: '5m',
      summary: 'Prometheus sees no worker.',
      description:
        'Runs wait until a worker is back; nothing is lost. Check that workers are running and that Prometheus can reach their --metrics-port.',
    },
    {
      name: 'RenderlineProcessDown',
      severity: 'warning',
      expr: [
        `max by (job, instance, process) (max_over_time(${metric('build')}[1d]))`,
        `  and on (job, instance) ${select('up')} == 0`,
      ].join('\n'),
      for: '5m',
      summary: 'Prometheus cannot scrape a {{ $labels.process }}: {{ $labels.instance }}.',
      description:
        'The process has stopped, or Prometheus cannot reach it. Other workers continue its runs more slowly; without a receiver, runs rely on polling.',
    },
    {
      name: 'RenderlineWorkflowTasksFail',
      severity: 'critical',
      // The maximum over time is used, because a worker that has just started has not yet checked all workflows.
      expr: `max(max_over_time(${metric('failingWorkflows')}[10m])) > 0`,
      summary: 'Workers repeatedly fail workflow tasks. Affected runs or shards: {{ $value }}.',
      description: 'After a deploy, roll back to the previous version; runs lose nothing.',
    },
    {
      name: 'RenderlineRunsStranded',
      severity: 'critical',
      expr: `max by (build_id) (${metric('strandedRuns')}) > 0`,
      for: '10m',
      summary:
        'Open runs are pinned to build {{ $labels.build_id }}, which has no workers: {{ $value }}.',
      description: 'Start workers of that build again, or move its runs: `renderline deployments`.',
    },
    {
      name: 'RenderlineTooFewWorkers',
      severity: 'warning',
      expr: `histogram_quantile(0.9, sum by (le) (rate(${select('temporal_workflow_task_schedule_to_start_latency_seconds_bucket')}[15m]))) > 10`,
      for: '15m',
      summary: 'Workflow tasks wait more than ten seconds for a worker.',
      description: 'Add workers, or add cores to the existing ones.',
    },
  ];
}

function runAlerts(scope: string): Alert[] {
  const { select, metric } = seriesOf(scope);
  const openRuns = (states: string) => metric('openRuns', states);
  const success = `max by (schedule) (${metric('scheduleSuccess')})`;
  const period = `max by (schedule) (${metric('schedulePeriod')})`;
  return [
    {
      name: 'RenderlineRunFailed',
      severity: 'warning',
      expr: `sum by (pipeline) (${select(names.runs)}) > 0`,
      summary: 'Runs of {{ $labels.pipeline }} finished with failures.',
      description:
        'List them with `renderline runs`, see the reason with `renderline show RUN`, and process the unfinished assets with `renderline rerun RUN`.',
    },
    {
      name: 'RenderlineRunWaits',
      severity: 'warning',
      expr: [
        `sum by (pipeline, cause) (${select(names.pauses)}) > 0`,
        `  and on (pipeline) max by (pipeline) (${openRuns('state=~"paused|unknown"')}) > 0`,
        'or',
        `sum by (pipeline, cause) (${select(names.pausesLately)}) > 0`,
        `  unless on (pipeline) max by (pipeline) (${openRuns('')}) >= 0`,
      ].join('\n'),
      summary: 'A run of {{ $labels.pipeline }} is waiting for a person: {{ $labels.cause }}.',
      description:
        'Check the reason with `renderline show RUN`, then continue the run with `renderline resume RUN` or `renderline approve RUN`.',
    },
    {
      name: 'RenderlineRunLate',
      severity: 'warning',
      expr: `sum by (pipeline) (${select(names.late, 'lateness="late"')}) > 0`,
      summary: 'A run of {{ $labels.pipeline }} has not ended by its deadline.',
      description: 'The run continues. See what it waits for with `renderline show RUN`.',
    },
    {
      name: 'RenderlineRunOpenLong',
      severity: 'info',
      expr: `max by (pipeline) (${metric('openRunAge')}) > 2 * 86400`,
      for: '5m',
      summary: 'A run of {{ $labels.pipeline }} has been open for {{ $value | humanizeDuration }}.',
      description:
        'Find it with `renderline runs`, and see what it waits for with `renderline show RUN`. Large runs may take days.',
    },
    {
      name: 'RenderlineAssetsFail',
      severity: 'warning',
      expr: [
        `sum by (pipeline, node) (${select(names.stepAssets, 'outcome="failed"')})`,
        `  / sum by (pipeline, node) (${select(names.stepAssets)}) > 0.2`,
      ].join('\n'),
      for: '10m',
      summary:
        'More than a fifth of the assets of {{ $labels.pipeline }} fail at {{ $labels.node }}.',
      description: '`renderline failures RUN` groups the failures by cause.',
    },
    {
      name: 'RenderlineScheduleLate',
      severity: 'warning',
      expr: `histogram_quantile(0.9, sum by (le, pipeline) (${select(names.lag)})) > 600`,
      summary: 'Scheduled runs of {{ $labels.pipeline }} start more than ten minutes late.',
      description: 'Workers are too busy or were not running. After a backfill, ignore this alert.',
    },
    {
      name: 'RenderlineScheduleNoSuccess',
      severity: 'warning',
      expr: [
        `time() - ${success} > 1.5 * ${period} + 3600`,
        'or',
        `max by (schedule) (${metric('schedulePeriod')} offset 2d) < 90000 and ${period} < 90000 unless ${success}`,
      ].join('\n'),
      for: '5m',
      summary: 'No run of the schedule {{ $labels.schedule }} has succeeded for too long.',
      description:
        'The last start was missed, or the runs fail. `renderline schedules` shows the last and the next runs.',
    },
  ];
}

function createPlatformAlerts(scope: string): Alert[] {
  const { select, metric } = seriesOf(scope);
  return [
    {
      name: 'RenderlinePlatformFails',
      severity: 'critical',
      expr: [
        `sum(rate(${metric('requests', 'status=~"5..|none"')}[10m]))`,
        `  / sum(rate(${metric('requests')}[10m])) > 0.2`,
      ].join('\n'),
      for: '10m',
      summary: 'The platform returns errors or does not respond.',
      description:
        'Runs wait and retry. Check whether the platform is up; `renderline doctor` checks every part of the connection.',
    },
    {
      name: 'RenderlineKeyRefused',
      severity: 'critical',
      expr: `sum(${select(names.refused, 'status=~"401|403"')}) > 3`,
      summary: 'The platform rejects the API key.',
      description:
        'Runs pause until workers have a valid key. `renderline doctor` shows the permissions of the key.',
    },
    {
      name: 'RenderlineRefusedByLimit',
      severity: 'warning',
      expr: `sum(${select(names.refused, 'status="429"')}) > 30`,
      for: '15m',
      summary: 'The platform refuses many requests because of its rate limit.',
      description:
        'Another program uses the key, or the workers do not share its allowance. See docs/limits.md.',
    },
    {
      name: 'RenderlineAllowanceShort',
      severity: 'info',
      expr: `histogram_quantile(0.9, sum by (le) (rate(${select(`${prometheusNameOf(instruments.waits)}_bucket`)}[15m]))) > 60`,
      for: '30m',
      summary: 'Requests wait more than a minute for the allowance.',
      description:
        "The work exceeds the key's allowance and continues more slowly. A higher limit helps; more workers do not.",
    },
    {
      name: 'RenderlineTransfersFail',
      severity: 'warning',
      expr: [
        `sum by (direction) (${select(names.transfers, 'result="failed"')})`,
        `  / sum by (direction) (${select(names.transfers)}) > 0.3`,
      ].join('\n'),
      for: '10m',
      summary: 'More than 30% of transfers fail ({{ $labels.direction }}).',
      description: "Check the network and the storage behind the platform's links.",
    },
    {
      name: 'RenderlineNotificationsRefused',
      severity: 'warning',
      expr: `sum by (verdict) (${select(names.notifications)}) > 5`,
      summary: 'Notifications of the platform are {{ $labels.verdict }}.',
      description:
        'refused: the secret has changed, or somebody else sends requests to the receiver. failed: Temporal does not accept events.',
    },
    {
      name: 'RenderlineWebhooksSilent',
      severity: 'warning',
      expr: [
        `sum(${select(names.completions, 'by="clock"')}) > 0`,
        `  and on () max(${metric('uptime')} and on (job, instance) ${metric('build', 'process="receiver"')}) > ${windows['30m']}`,
        `  unless on () time() - max(${metric('lastNotification')}) < ${windows['30m']}`,
      ].join('\n'),
      for: '10m',
      summary:
        'The receiver has accepted no notification for half an hour, although work finished.',
      description:
        'Runs rely on polling, which is slower and needs more requests. Check that the platform has the address of the receiver and can reach it.',
    },
  ];
}

export function alertsOf(scope: string): Alert[] {
  return [...processAlerts(scope), ...runAlerts(scope), ...createPlatformAlerts(scope)];
}

/** Creates the alerts that only the chart can define, because it knows how many workers there should be. */
export function createChartAlerts(scope: string): Alert[] {
  const { metric } = seriesOf(scope);
  return [
    {
      name: 'RenderlineWorkersMissing',
      severity: 'warning',
      expr: `count(${metric('build', 'process="worker"')}) < ${chartPlaceholders.workers}`,
      for: '15m',
      summary: `Prometheus sees only {{ $value }} of ${chartPlaceholders.workers} workers.`,
      description:
        'Runs continue with the remaining workers. See what is wrong with `kubectl get pods`.',
    },
  ];
}

/** Returns the text of `deploy/prometheus/rules.yml`. */
export function formatRules(): string {
  const head = [
    '# Written by `npm run generate`; edits are lost.',
    '# Alerts for workers and receivers. Metrics: docs/metrics.md; what to do about an alert: docs/runbook.md.',
  ];
  return `${[...head, ...formatGroups('', alertsOf(''), runbookPage)].join('\n')}\n`;
}

/** Returns all alert rules as a template for the Helm chart, which fills in the placeholders for each release. */
export function formatChartRules(): string {
  const { scope, runbook } = chartPlaceholders;
  const alerts = [...alertsOf(scope), ...createChartAlerts(scope)];
  return `${formatGroups(scope, alerts, runbook).join('\n')}\n`;
}

function formatGroups(scope: string, alerts: readonly Alert[], runbook: string): string[] {
  return [
    'groups:',
    '  - name: renderline',
    '    rules:',
    '      # Counts within a window, including the first value of a series and the counts after a restart.',
    ...createRecordingRules(scope).flatMap(({ record, expr }) => [
      `      - record: ${record}`,
      ...formatExpr(expr),
    ]),
    ...alerts.flatMap((alert) => formatAlert(alert, runbook)),
  ];
}

function formatAlert(alert: Alert, runbook: string): string[] {
  return [
    `      - alert: ${alert.name}`,
    ...formatExpr(alert.expr),
    ...(alert.for === undefined ? [] : [`        for: ${alert.for}`]),
    `        labels: { severity: ${alert.severity} }`,
    '        annotations:',
    `          summary: ${JSON.stringify(alert.summary)}`,
    `          description: ${JSON.stringify(alert.description)}`,
    `          runbook_url: ${JSON.stringify(`${runbook}#${alert.name.toLowerCase()}`)}`,
  ];
}

function formatExpr(expr: string): string[] {
  return ['        expr: |', ...expr.split('\n').map((line) => `          ${line}`)];
}
