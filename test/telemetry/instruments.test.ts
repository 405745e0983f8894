// Tests the registry of metrics: names follow Prometheus, and dashboard and alert rules use only existing metrics.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import {
  alertsOf,
  chartPlaceholders,
  createChartAlerts,
  createRecordingRules,
  formatChartRules,
} from '../../scripts/docs/alert-rules.ts';
import { sdkMetrics } from '../../scripts/docs/metrics-page.ts';
import { type Instrument, instruments, prometheusNameOf } from '../../src/telemetry/instruments.ts';

const all: readonly Instrument[] = Object.values(instruments);
const byName = new Map(all.map((one) => [prometheusNameOf(one), one]));
const dashboard = JSON.parse(readFileSync('deploy/grafana/renderline.json', 'utf8')) as {
  panels: { title: string; gridPos: { y: number }; targets?: { expr: string }[] }[];
  templating: { list: { query: string | { query: string } }[] };
};
const alerts = [...alertsOf(''), ...createChartAlerts('')];
const recorded = createRecordingRules('');

/** Names of metrics in an expression, without the suffixes of histogram series. */
function metricsIn(text: string): string[] {
  return [...text.matchAll(/\b(?:renderline|temporal)[_:][\w:]+/g)].map(([name]) =>
    name.replace(/_(bucket|sum|count)$/, ''),
  );
}

function isKnown(name: string): boolean {
  const isRecorded = recorded.some(({ record }) => record === name);
  return isRecorded || byName.has(name) || sdkMetrics.some((one) => one.name === name);
}

describe('the registry', () => {
  it.each(all.map((one) => [prometheusNameOf(one), one] as const))(
    'the registry follows the Prometheus rules in the name and description of %s',
    (name, one) => {
      expect(name).toMatch(/^renderline_[a-z_]+$/);
      expect(name.endsWith('_total')).toBe(one.kind === 'counter');
      expect(one.help).toMatch(/\.$/);
      expect(one.kind === 'histogram').toBe(one.buckets !== undefined);
      const buckets = [...(one.buckets ?? [])];
      expect(buckets).toEqual(buckets.toSorted((a, b) => a - b));
    },
  );

  it('the registry contains each name once', () => {
    expect(byName.size).toBe(all.length);
  });
});

const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
);

describe('the dashboard', () => {
  it('the dashboard has panels', () => {
    expect(panels.length).toBeGreaterThan(20);
  });

  it.each(panels)('the panel "%s" uses existing metrics', (_title, expr) => {
    const named = metricsIn(expr);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !isKnown(name))).toEqual([]);
  });

  it('the dashboard offers pipelines from an existing metric', () => {
    const queries = JSON.stringify(dashboard.templating);
    expect(metricsIn(queries).filter((name) => !isKnown(name))).toEqual([]);
  });

  it('the dashboard shows all our metrics except a few sums', () => {
    const shown = new Set(panels.flatMap(([, expr]) => metricsIn(expr)));
    const hidden = [...byName.keys()].filter((name) => !shown.has(name));
    expect(hidden.toSorted()).toEqual([
      'renderline_allowance_pressure_ratio',
      'renderline_assets_found_total',
      'renderline_polled_items_total',
      'renderline_run_notices_total',
      'renderline_runs_started_total',
      'renderline_transfer_duration_seconds',
      'renderline_transfers_total',
    ]);
  });
});

const rules = [
  ...alerts.map(({ name, expr }) => [name, expr] as const),
  ...recorded.map(({ record, expr }) => [record, expr] as const),
];

describe('a rule', () => {
  it.each(rules)('the rule %s uses existing metrics', (_name, expr) => {
    const named = metricsIn(expr);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !isKnown(name))).toEqual([]);
  });

  it.each(alerts.map((alert) => [alert.name, alert.expr] as const))(
    'the alert %s does not use increase(), which misses the first count of a series',
    (_name, expr) => expect(expr).not.toContain('increase('),
  );

  it.each(recorded.map(({ record }) => record))('the recorded series %s is used', (record) => {
    expect(alerts.some(({ expr }) => expr.includes(record))).toBe(true);
  });
});

describe('labels in expressions', () => {
  const expressions = [...panels, ...rules];

  it.each(expressions)('the labels in %s exist in their metrics', (_title, expr) => {
    for (const [, name = '', inside = ''] of expr.matchAll(
      /(renderline_\w+?)(?:_(?:bucket|count|sum))?\{([^}]*)\}/g,
    )) {
      const labels: readonly string[] = byName.get(name)?.labels ?? [];
      const asked = [...inside.matchAll(/(\w+)\s*(?:=|!)/g)].map(([, label = '']) => label);
      expect(asked.filter((label) => !labels.includes(label))).toEqual([]);
    }
  });
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool) console.log('promtool is not here: the alert rules are not played.');

describe.skipIf(!hasPromtool)('promtool', () => {
  it('promtool accepts the rules', () => {
    expect(
      execFileSync('promtool', ['check', 'rules', 'deploy/prometheus/rules.yml']).toString(),
    ).toMatch(/SUCCESS: \d+ rules found/);
  });

  it.each(['rules.test.yml', 'rules-days.test.yml'])(
    'the rules pass the tests in %s',
    (name) => {
      const words = ['test', 'rules', `deploy/prometheus/${name}`];
      expect(execFileSync('promtool', words).toString()).toContain('SUCCESS');
    },
    300_000,
  );

  it('promtool accepts the rules of the chart', () => {
    const places = formatChartRules()
      .replaceAll(chartPlaceholders.scope, 'namespace="default", service="renderline-metrics"')
      .replaceAll(chartPlaceholders.workers, '2')
      .replaceAll(chartPlaceholders.runbook, 'docs/runbook.md');
    expect(places).not.toContain('@');
    const folder = mkdtempSync(join(tmpdir(), 'renderline-rules-'));
    const file = join(folder, 'rules.yml');
    writeFileSync(file, places);
    try {
      expect(execFileSync('promtool', ['check', 'rules', file]).toString()).toContain('SUCCESS');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('promtool accepts the expressions of the dashboard', () => {
    const folder = mkdtempSync(join(tmpdir(), 'renderline-dashboard-'));
    const file = join(folder, 'expressions.yml');
    const records = panels.map(([, expr], index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$pipeline', '.*'),
    }));
    writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules: records }] }));
    try {
      expect(execFileSync('promtool', ['check', 'rules', file]).toString()).toContain('SUCCESS');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
