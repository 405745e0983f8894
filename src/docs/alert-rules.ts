// The alert rules for Prometheus, as a file of its own and as the chart has them. What to do about each: docs/runbook.md.
import { type InstrumentId, instruments, prometheusName } from '../telemetry/instruments.ts';

export interface Alert {
  name: string;
  severity: 'critical' | 'warning' | 'info';
  expr: string;
  /** How long it must hold. */
  for?: string;
  summary: string;
  description: string;
}

/** A rule that keeps what an expression gives under a name. */
interface Recorded {
  record: string;
  expr: string;
}

/** Selects the series of one installation; empty: all that Prometheus has. */
export type Scope = string;

export const runbookPage = 'docs/runbook.md';

/** Where the chart puts what only it knows. */
export const chartPlaces = {
  scope: '@SCOPE@',
  workers: '@WORKERS@',
  runbook: '@RUNBOOK@',
} as const;

const minute = 60;
const windows = { '15m': 15 * minute, '30m': 30 * minute, '1h': 3_600, '7d': 7 * 86_400 } as const;
type Window = keyof typeof windows;

/** Boards that the platform's notifications tell of. */
const notified = 'board=~"models|renders"';

/** Expressions over the series of one installation. */
function seriesOf(scope: Scope) {
  const select = (name: string, where = '') => {
    const matchers = [scope, where].filter((one) => one !== '').join(', ');
    return matchers === '' ? name : `${name}{${matchers}}`;
  };
  const of = (id: InstrumentId, where = '') => select(prometheusName(instruments[id]), where);
  /**
   * What was counted within a window. `increase` alone misses what a series begins with, and what a worker counts after a restart
   * up to where it was before. A series with fewer samples than its process has began later than Prometheus saw the process: else
   * a Prometheus that is new would take old counts for new ones.
   */
  const counted = (name: string, where: string, window: Window) => {
    const series = select(name, where);
    const uptime = of('uptime');
    const seconds = windows[window];
    return [
      `(max_over_time(${series}[${window}]) unless ${series} offset ${window})`,
      `  and count_over_time(${series}[${window}]) < on (job, instance) group_left count_over_time(${uptime}[${window}])`,
      `or ${series} and on (job, instance) ${uptime} < ${seconds}`,
      `or increase(${series}[${window}])`,
    ].join('\n');
  };
  const recorded = (
    record: string,
    id: InstrumentId,
    window: Window,
    where = '',
    end = '',
  ): Recorded => ({
    record,
    expr: counted(`${prometheusName(instruments[id])}${end}`, where, window),
  });
  return { select, of, recorded };
}

const names = {
  runs: 'renderline:runs_failed:counted1h',
  pauses: 'renderline:run_pauses:counted7d',
  pausesLately: 'renderline:run_pauses:counted30m',
  stepAssets: 'renderline:step_assets:counted30m',
  refused: 'renderline:api_requests_refused:counted15m',
  lag: 'renderline:schedule_lag_bucket:counted1h',
  transfers: 'renderline:transfers:counted15m',
  notifications: 'renderline:notifications_not_taken:counted15m',
  noticed: 'renderline:noticed:counted30m',
} as const;

export function recordedRules(scope: Scope): Recorded[] {
  const { recorded } = seriesOf(scope);
  return [
    recorded(names.runs, 'runsEnded', '1h', 'outcome=~"failed|partial_failure"'),
    recorded(names.pauses, 'runPauses', '7d', 'cause!="by hand"'),
    recorded(names.pausesLately, 'runPauses', '30m', 'cause!="by hand"'),
    recorded(names.stepAssets, 'stepAssets', '30m', 'outcome=~"done|failed"'),
    recorded(names.refused, 'requests', '15m', 'status=~"401|403|429"'),
    recorded(names.lag, 'scheduleLag', '1h', '', '_bucket'),
    recorded(names.transfers, 'transfers', '15m'),
    recorded(names.notifications, 'notifications', '15m', 'verdict=~"refused|failed"'),
    recorded(names.noticed, 'noticed', '30m', notified, '_count'),
  ];
}

function processAlerts(scope: Scope): Alert[] {
  const { select, of } = seriesOf(scope);
  return [
    {
      name: 'RenderlineNoWorker',
      severity: 'critical',
      expr: `absent(${of('build', 'process="worker"')})`,
      for: '5m',
      summary: 'No worker shows its metrics.',
      description:
        'Runs wait until a worker is back, and lose nothing. Are the workers up, and does Prometheus reach their --metrics-port?',
    },
    {
      name: 'RenderlineProcessDown',
      severity: 'warning',
      expr: [
        `max by (job, instance, process) (max_over_time(${of('build')}[1d]))`,
        `  and on (job, instance) ${select('up')} == 0`,
      ].join('\n'),
      for: '5m',
      summary: 'A {{ $labels.process }} shows no metrics: {{ $labels.instance }}.',
      description:
        'It has stopped, or Prometheus does not reach it. Other workers go on with its runs, slower; without a receiver, runs poll.',
    },
    {
      name: 'RenderlineWorkflowTasksFail',
      severity: 'critical',
      // A worker that was started a moment ago has not checked all of them yet.
      expr: `max(max_over_time(${of('failingWorkflows')}[10m])) > 0`,
      summary: 'Workers cannot go on with runs or shards: {{ $value }}.',
      description: 'After a deploy, go back to the version before; runs lose nothing.',
    },
    {
      name: 'RenderlineRunsStranded',
      severity: 'critical',
      expr: `max by (build_id) (${of('strandedRuns')}) > 0`,
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
      summary: 'Work waits for a worker for more than ten seconds.',
      description: 'More workers help, or more cores for those there are.',
    },
  ];
}

function runAlerts(scope: Scope): Alert[] {
  const { select, of } = seriesOf(scope);
  const openRuns = (states: string) => of('openRuns', states);
  const success = `max by (schedule) (${of('scheduleSuccess')})`;
  const period = `max by (schedule) (${of('schedulePeriod')})`;
  return [
    {
      name: 'RenderlineRunFailed',
      severity: 'warning',
      expr: `sum by (pipeline) (${select(names.runs)}) > 0`,
      summary: 'Runs of {{ $labels.pipeline }} ended with failures.',
      description:
        '`renderline runs` names them, `renderline show RUN` says why, `renderline rerun RUN` does what is missing.',
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
      summary: 'A run of {{ $labels.pipeline }} waits for a person: {{ $labels.cause }}.',
      description:
        '`renderline show RUN` says what is wrong; `renderline resume RUN` or `renderline approve RUN` lets it go on.',
    },
    {
      name: 'RenderlineRunOpenLong',
      severity: 'info',
      expr: `max by (pipeline) (${of('openRunAge')}) > 2 * 86400`,
      for: '5m',
      summary: 'A run of {{ $labels.pipeline }} has been open for {{ $value | humanizeDuration }}.',
      description:
        '`renderline runs` names it, `renderline show RUN` says what it waits for. Large runs may take days.',
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
      description: '`renderline failures RUN` puts equal failures together.',
    },
    {
      name: 'RenderlineScheduleLate',
      severity: 'warning',
      expr: `histogram_quantile(0.9, sum by (le, pipeline) (${select(names.lag)})) > 600`,
      summary: 'Scheduled runs of {{ $labels.pipeline }} begin more than ten minutes late.',
      description: 'Workers are too busy or were away; after a backfill it means nothing.',
    },
    {
      name: 'RenderlineScheduleNoSuccess',
      severity: 'warning',
      expr: [
        `time() - ${success} > 1.5 * ${period} + 3600`,
        'or',
        `max by (schedule) (${of('schedulePeriod')} offset 2d) < 90000 and ${period} < 90000 unless ${success}`,
      ].join('\n'),
      for: '5m',
      summary: 'No run of the schedule {{ $labels.schedule }} has been complete for too long.',
      description:
        'Its last start was missed, or its runs fail. `renderline schedules` shows its last runs and the next ones.',
    },
  ];
}

function platformAlerts(scope: Scope): Alert[] {
  const { select, of } = seriesOf(scope);
  return [
    {
      name: 'RenderlinePlatformFails',
      severity: 'critical',
      expr: [
        `sum(rate(${of('requests', 'status=~"5..|none"')}[10m]))`,
        `  / sum(rate(${of('requests')}[10m])) > 0.2`,
      ].join('\n'),
      for: '10m',
      summary: 'The platform answers with errors, or not at all.',
      description:
        'Runs wait and try again. Is the platform up? `renderline doctor` looks at every part of the way.',
    },
    {
      name: 'RenderlineKeyRefused',
      severity: 'critical',
      expr: `sum(${select(names.refused, 'status=~"401|403"')}) > 3`,
      summary: 'The platform refuses the key.',
      description:
        'Runs pause until workers have a key that is taken. `renderline doctor` says what the key may do.',
    },
    {
      name: 'RenderlineRefusedByLimit',
      severity: 'warning',
      expr: `sum(${select(names.refused, 'status="429"')}) > 30`,
      for: '15m',
      summary: 'The platform refuses many requests by its limit.',
      description:
        'Something else uses the key, or workers do not share its allowance. docs/limits.md',
    },
    {
      name: 'RenderlineAllowanceShort',
      severity: 'info',
      expr: `histogram_quantile(0.9, sum by (le) (rate(${select(`${prometheusName(instruments.waits)}_bucket`)}[15m]))) > 60`,
      for: '30m',
      summary: 'Requests wait for more than a minute for a place in the allowance.',
      description:
        "There is more work than the key's allowance. Work goes on, slower; a higher limit helps, more workers do not.",
    },
    {
      name: 'RenderlineTransfersFail',
      severity: 'warning',
      expr: [
        `sum by (direction) (${select(names.transfers, 'result="failed"')})`,
        `  / sum by (direction) (${select(names.transfers)}) > 0.3`,
      ].join('\n'),
      for: '10m',
      summary: 'More than a third of transfers fail ({{ $labels.direction }}).',
      description: "The network, or the storage that the platform's links lead to.",
    },
    {
      name: 'RenderlineNotificationsRefused',
      severity: 'warning',
      expr: `sum by (verdict) (${select(names.notifications)}) > 5`,
      summary: 'Notifications of the platform are {{ $labels.verdict }}.',
      description:
        'refused: the secret has changed, or somebody else posts there. failed: Temporal does not take events.',
    },
    {
      name: 'RenderlineWebhooksSilent',
      severity: 'warning',
      expr: [
        `sum(${select(names.noticed, 'by="clock"')}) > 0`,
        `  and on () max(${of('uptime')} and on (job, instance) ${of('build', 'process="receiver"')}) > ${windows['30m']}`,
        `  unless on () time() - max(${of('lastNotification')}) < ${windows['30m']}`,
      ].join('\n'),
      for: '10m',
      summary: 'The receiver has taken no notification for half an hour, while work ended.',
      description:
        'Runs go on by polling, slower and with more requests. Does the platform know the address of the receiver, and reach it?',
    },
  ];
}

export function alertsOf(scope: Scope): Alert[] {
  return [...processAlerts(scope), ...runAlerts(scope), ...platformAlerts(scope)];
}

/** What only the chart can tell: how many workers there should be. */
export function chartAlerts(scope: Scope): Alert[] {
  const { of } = seriesOf(scope);
  return [
    {
      name: 'RenderlineWorkersMissing',
      severity: 'warning',
      expr: `count(${of('build', 'process="worker"')}) < ${chartPlaces.workers}`,
      for: '15m',
      summary: `Of ${chartPlaces.workers} workers {{ $value }} show their metrics.`,
      description: 'Runs go on with those that are left. `kubectl get pods` says what is wrong.',
    },
  ];
}

/** Text of `deploy/prometheus/rules.yml`. */
export function rulesText(): string {
  const head = [
    '# Written by `npm run generate`; edits are lost.',
    '# Alerts for workers and receivers. What each metric counts: docs/metrics.md; what to do: docs/runbook.md.',
  ];
  return `${[...head, ...groupsOf('', alertsOf(''), runbookPage)].join('\n')}\n`;
}

/** The same rules for one release of the chart, which fills in its places. */
export function chartRulesText(): string {
  const { scope, runbook } = chartPlaces;
  const alerts = [...alertsOf(scope), ...chartAlerts(scope)];
  return `${groupsOf(scope, alerts, runbook).join('\n')}\n`;
}

function groupsOf(scope: Scope, alerts: readonly Alert[], runbook: string): string[] {
  return [
    'groups:',
    '  - name: renderline',
    '    rules:',
    '      # What was counted within a window: also the first count of a series, and what follows a restart.',
    ...recordedRules(scope).flatMap(({ record, expr }) => [
      `      - record: ${record}`,
      ...exprLines(expr),
    ]),
    ...alerts.flatMap((alert) => alertLines(alert, runbook)),
  ];
}

function alertLines(alert: Alert, runbook: string): string[] {
  return [
    `      - alert: ${alert.name}`,
    ...exprLines(alert.expr),
    ...(alert.for === undefined ? [] : [`        for: ${alert.for}`]),
    `        labels: { severity: ${alert.severity} }`,
    '        annotations:',
    `          summary: ${JSON.stringify(alert.summary)}`,
    `          description: ${JSON.stringify(alert.description)}`,
    `          runbook_url: ${JSON.stringify(`${runbook}#${alert.name.toLowerCase()}`)}`,
  ];
}

function exprLines(expr: string): string[] {
  return ['        expr: |', ...expr.split('\n').map((line) => `          ${line}`)];
}
