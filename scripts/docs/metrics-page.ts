// Generates the page of metrics from the registry of instruments.
import { type Instrument, instruments, prometheusNameOf } from '../../src/telemetry/instruments.ts';
import { formatPage, formatTable, generatedNote, toCode } from './markdown.ts';

interface SdkMetric {
  /** The name in Prometheus. */
  name: string;
  help: string;
  /** False if the metric appears only with the first failure. */
  isAlwaysThere: boolean;
}

/** Metrics of Temporal's SDK that the dashboard and the alert rules use. Workers have many more. */
export const sdkMetrics: readonly SdkMetric[] = [
  {
    name: 'temporal_worker_task_slots_available',
    help: 'Free task slots of a worker, by task queue and worker_type.',
    isAlwaysThere: true,
  },
  {
    name: 'temporal_worker_task_slots_used',
    help: 'Used task slots of a worker, by task queue and worker_type.',
    isAlwaysThere: true,
  },
  {
    name: 'temporal_workflow_task_schedule_to_start_latency_seconds',
    help: 'How long workflow tasks waited for a worker.',
    isAlwaysThere: true,
  },
  {
    name: 'temporal_activity_schedule_to_start_latency_seconds',
    help: 'How long activities waited for a worker.',
    isAlwaysThere: true,
  },
  {
    name: 'temporal_workflow_task_execution_failed_total',
    help: 'Failed workflow tasks by failure_reason: NonDeterminismError after a bad deploy.',
    isAlwaysThere: false,
  },
  {
    name: 'temporal_sticky_cache_size',
    help: 'Workflows that a worker caches in memory.',
    isAlwaysThere: true,
  },
  {
    name: 'temporal_request_failure_total',
    help: 'Failed requests to the Temporal server, by operation and status_code.',
    isAlwaysThere: false,
  },
];

const intro = [
  '`renderline worker --metrics-port 9390` and `renderline webhooks --metrics-port 9391` serve the metrics of Renderline and of Temporal’s SDK for Prometheus at `/metrics`.',
  '[Watching](watching.md) explains how to collect or push them, and what the dashboard and the alert rules are for. The [runbook](runbook.md) says what to do about an alert.',
].join('\n');

const counting = [
  '## What is counted',
  '- Each worker counts its own work, so add up the workers. Gauges that all workers read from Temporal are marked: take their maximum.',
  '- An attempt that Temporal retries counts again. Replays of workflows are never counted.',
  '- No label contains an asset, a run or an id. Pipelines, nodes and steps come from files; after 200 different values of a label, further values count as `other`.',
  '- A counter starts with its first count, which `increase` does not see: [what the alerts count](watching.md#what-the-alerts-count).',
  '- If metrics are off, nothing is measured.',
].join('\n');

export function formatMetricsPage(): string {
  const instrumentList: readonly Instrument[] = Object.values(instruments);
  const workers = instrumentList.filter((instrument) => instrument.process !== 'receiver');
  const receivers = instrumentList.filter((instrument) => instrument.process !== undefined);
  return formatPage(
    generatedNote,
    '# Metrics',
    intro,
    counting,
    '## Metrics of workers',
    formatInstruments(workers),
    '## Metrics of receivers',
    formatInstruments(receivers),
    '## Metrics of Temporal’s SDK',
    'These are the metrics that the dashboard and the alert rules use. The SDK has more; their names begin with `temporal_`.',
    formatTable(
      ['metric', 'what'],
      sdkMetrics.map(({ name, help }) => [toCode(name), help]),
    ),
  );
}

function formatInstruments(rows: readonly Instrument[]): string {
  return formatTable(
    ['metric', 'kind', 'labels', 'what'],
    rows.map((row) => [
      toCode(prometheusNameOf(row)),
      row.kind,
      row.labels.map(toCode).join(' '),
      row.help,
    ]),
  );
}
