// The page of metrics, from their registry.
import { type Instrument, instruments, prometheusName } from '../telemetry/instruments.ts';
import { sdkMetrics } from '../telemetry/sdk-metrics.ts';
import { code, generatedNote, page, table } from './markdown.ts';

const intro = [
  '`renderline worker --metrics-port 9390` and `renderline webhooks --metrics-port 9391` serve Prometheus text at `/metrics`: our metrics and those of Temporal’s SDK together.',
  'How to collect them, push them instead, and what the dashboard and the alert rules are for: [watching](watching.md). What to do about an alert: [runbook](runbook.md).',
].join('\n');

const counting = [
  '## What is counted, and how honestly',
  '- Workers count what they do themselves; add the workers up. Gauges that all workers read from Temporal say so: take the maximum.',
  '- An attempt that Temporal makes again did its work again, so it counts again. Runs and pauses are told by workflows, never by a replay.',
  '- No label names an asset, a run or an id. Pipelines, nodes and steps come from files; the 201st of each, and those after it, are counted as `other`.',
  '- A counter begins with its first count, which `increase` does not see: [what the alerts count](watching.md#what-the-alerts-count).',
  '- Where nobody asked for metrics nothing is measured.',
].join('\n');

export function metricsPage(): string {
  const all: readonly Instrument[] = Object.values(instruments);
  const workers = all.filter((one) => one.of !== 'receiver');
  const receivers = all.filter((one) => one.of !== 'worker');
  return page(
    generatedNote,
    '# Metrics',
    intro,
    counting,
    '## Of workers',
    instrumentTable(workers),
    '## Of receivers',
    instrumentTable(receivers),
    '## Of Temporal’s SDK',
    'Those that the dashboard and the rules use; there are more, all named `temporal_…`.',
    table(
      ['metric', 'what'],
      sdkMetrics.map(({ name, help }) => [code(name), help]),
    ),
  );
}

function instrumentTable(rows: readonly Instrument[]): string {
  return table(
    ['metric', 'kind', 'labels', 'what'],
    rows.map((row) => [
      code(prometheusName(row)),
      row.kind,
      row.labels.map(code).join(' '),
      row.help,
    ]),
  );
}
