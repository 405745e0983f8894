// What the dashboard shows, a row of panels a subject.
import { type InstrumentId, instruments, prometheusName } from '../telemetry/instruments.ts';

export interface Panel {
  title: string;
  /** Of Grafana: s, bytes a second and the like. */
  unit: 'short' | 's' | 'Bps' | 'percentunit' | 'reqps';
  /** What people read who see it for the first time. */
  description: string;
  lines: readonly { expr: string; legend: string }[];
}

export interface PanelRow {
  title: string;
  panels: readonly Panel[];
}

const name = (id: InstrumentId) => prometheusName(instruments[id]);
const inPipeline = 'pipeline=~"$pipeline"';
const interval = '$__rate_interval';

function rate(id: InstrumentId, by: string, where = ''): string {
  return `sum by (${by}) (rate(${name(id)}{${where}}[${interval}]))`;
}

function increase(id: InstrumentId, by: string, where = ''): string {
  return `sum by (${by}) (increase(${name(id)}{${where}}[${interval}]))`;
}

/** What every worker reads of the same thing. */
function latest(id: InstrumentId, by: string, where = ''): string {
  return `max by (${by}) (${name(id)}{${where}})`;
}

/** The time below which 95 of 100 stay. */
function most(metric: string, by = '', where = ''): string {
  const labels = by === '' ? 'le' : `le, ${by}`;
  return `histogram_quantile(0.95, sum by (${labels}) (rate(${metric}_bucket{${where}}[${interval}])))`;
}

const one = (expr: string, legend: string) => [{ expr, legend }];

const runRow: PanelRow = {
  title: 'Runs',
  panels: [
    {
      title: 'Runs ended',
      unit: 'short',
      description: 'By outcome. partial_failure: some assets failed.',
      lines: one(increase('runsEnded', 'outcome', inPipeline), '{{outcome}}'),
    },
    {
      title: 'Runs that wait for a person',
      unit: 'short',
      description: 'Pauses that began, by cause; renderline show RUN says what to do.',
      lines: one(increase('runPauses', 'pipeline, cause', inPipeline), '{{pipeline}} {{cause}}'),
    },
    {
      title: 'How long runs take (95 %)',
      unit: 's',
      description: 'From start to end.',
      lines: one(most(name('runTime'), 'pipeline', inPipeline), '{{pipeline}}'),
    },
    {
      title: 'Lag of schedules (95 %)',
      unit: 's',
      description:
        'From the time that a schedule names until a worker began. A backfill lags by as much as it goes back.',
      lines: one(most(name('scheduleLag'), 'pipeline', inPipeline), '{{pipeline}}'),
    },
    {
      title: 'Open runs',
      unit: 'short',
      description: 'By state. paused: they wait for a person.',
      lines: one(latest('openRuns', 'pipeline, state', inPipeline), '{{pipeline}} {{state}}'),
    },
    {
      title: 'Age of the oldest open run',
      unit: 's',
      description: '0 where none is open.',
      lines: one(latest('openRunAge', 'pipeline', inPipeline), '{{pipeline}}'),
    },
    {
      title: 'Since the last success of schedules',
      unit: 's',
      description: 'Since a run of the schedule ended with all assets complete.',
      lines: one(`time() - ${latest('scheduleSuccess', 'schedule')}`, '{{schedule}}'),
    },
    {
      title: 'Time between starts of schedules',
      unit: 's',
      description: 'The longest of the next few. Paused schedules have none.',
      lines: one(latest('schedulePeriod', 'schedule'), '{{schedule}}'),
    },
  ],
};

const assetRow: PanelRow = {
  title: 'Assets',
  panels: [
    {
      title: 'Assets ended',
      unit: 'short',
      description: 'By outcome.',
      lines: one(increase('assets', 'outcome', inPipeline), '{{outcome}}'),
    },
    {
      title: 'Assets through steps',
      unit: 'short',
      description: 'Done with, by step.',
      lines: one(
        increase('stepAssets', 'step, outcome', `${inPipeline}, outcome!="pruned"`),
        '{{step}} {{outcome}}',
      ),
    },
    {
      title: 'How long steps take (95 %)',
      unit: 's',
      description: 'Attempts of steps; of waits those that found something.',
      lines: one(most(name('stepTime'), 'step', inPipeline), '{{step}}'),
    },
    {
      title: 'Attempts that failed',
      unit: 'short',
      description: 'As a whole; most are made again.',
      lines: one(increase('stepFailures', 'step', inPipeline), '{{step}}'),
    },
    {
      title: 'Failed assets by code',
      unit: 'short',
      description: 'What each code means, and what to do: renderline explain CODE.',
      lines: one(increase('assetFailures', 'code', inPipeline), '{{code}}'),
    },
  ],
};

const platformRow: PanelRow = {
  title: 'Platform',
  panels: [
    {
      title: 'Allowance',
      unit: 'short',
      description: 'Requests in the last window, of all workers, and what the key may send.',
      lines: [
        { expr: `sum(${name('used')})`, legend: 'used' },
        { expr: `max(${name('limit')})`, legend: 'limit' },
        { expr: `sum(${name('waiting')})`, legend: 'waiting' },
      ],
    },
    {
      title: 'Wait for the allowance (95 %)',
      unit: 's',
      description: 'Of requests, before they are sent.',
      lines: one(most(name('waits')), 'wait'),
    },
    {
      title: 'Requests',
      unit: 'reqps',
      description: 'By operation.',
      lines: one(rate('requests', 'operation'), '{{operation}}'),
    },
    {
      title: 'Refused and failed requests',
      unit: 'reqps',
      description: '429: refused by the limit. none: no answer came.',
      lines: one(rate('requests', 'status', 'status!~"2.."'), '{{status}}'),
    },
    {
      title: 'Answer times (95 %)',
      unit: 's',
      description: 'By operation, without the wait for the allowance.',
      lines: one(most(name('requestTime'), 'operation'), '{{operation}}'),
    },
    {
      title: 'Noticed within (95 %)',
      unit: 's',
      description: 'Things were ready for no longer than this before they were noticed.',
      lines: one(most(name('noticed'), 'board, by'), '{{board}} by {{by}}'),
    },
    {
      title: 'Looks',
      unit: 'reqps',
      description: 'By what is looked for and what caused it.',
      lines: one(rate('looks', 'board, by'), '{{board}} by {{by}}'),
    },
    {
      title: 'Transfers',
      unit: 'Bps',
      description: 'Bytes that went through.',
      lines: one(rate('transferBytes', 'direction'), '{{direction}}'),
    },
  ],
};

const engineRow: PanelRow = {
  title: 'Workers and receivers',
  panels: [
    {
      title: 'Free slots',
      unit: 'short',
      description: 'Tasks that workers could take beside those they do.',
      lines: one(
        'sum by (task_queue, worker_type) (temporal_worker_task_slots_available)',
        '{{task_queue}} {{worker_type}}',
      ),
    },
    {
      title: 'Wait for a worker (95 %)',
      unit: 's',
      description: 'More workers help where this grows.',
      lines: [
        {
          expr: most('temporal_workflow_task_schedule_to_start_latency_seconds'),
          legend: 'workflows',
        },
        { expr: most('temporal_activity_schedule_to_start_latency_seconds'), legend: 'activities' },
      ],
    },
    {
      title: 'Failed workflow tasks',
      unit: 'short',
      description: 'After a deploy: the new version cannot go on with open runs.',
      lines: one(
        `sum by (failure_reason) (increase(temporal_workflow_task_execution_failed_total[${interval}]))`,
        '{{failure_reason}}',
      ),
    },
    {
      title: 'Notifications',
      unit: 'short',
      description: 'Of the platform at the receivers, by verdict. refused: the signature is wrong.',
      lines: [
        { expr: increase('notifications', 'verdict'), legend: '{{verdict}}' },
        { expr: `sum(increase(${name('hints')}[${interval}]))`, legend: 'hints to workers' },
      ],
    },
    {
      title: 'Since the last notification',
      unit: 's',
      description: 'Since a receiver accepted one of the platform.',
      lines: one(`time() - max(${name('lastNotification')})`, 'last'),
    },
    {
      title: 'Processes by build',
      unit: 'short',
      description: 'Workers and receivers that show their metrics.',
      lines: one(
        `count by (process, version, build_id) (${name('build')})`,
        '{{process}} {{version}} {{build_id}}',
      ),
    },
    {
      title: 'Workers and stranded runs by build',
      unit: 'short',
      description:
        'As Temporal sees them. Stranded runs are pinned to a build that has no workers.',
      lines: [
        { expr: latest('queueWorkers', 'build_id'), legend: 'workers {{build_id}}' },
        { expr: latest('strandedRuns', 'build_id'), legend: 'stranded {{build_id}}' },
      ],
    },
    {
      title: 'Workflows that fail at every attempt',
      unit: 'short',
      description: 'They go on once workers fit them again, and lose nothing.',
      lines: one(`max(${name('failingWorkflows')})`, 'workflows'),
    },
    {
      title: 'Uptime',
      unit: 's',
      description: 'Of each process; it falls where one was restarted.',
      lines: one(name('uptime'), '{{instance}}'),
    },
  ],
};

export const panelRows: readonly PanelRow[] = [runRow, assetRow, platformRow, engineRow];
