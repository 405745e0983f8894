// The registry of metrics: its names are as Prometheus wants them, and dashboard and alert rules name only what there is.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { type Instrument, instruments, prometheusName } from '../../src/telemetry/instruments.ts';
import { sdkMetrics } from '../../src/telemetry/sdk-metrics.ts';

const all: readonly Instrument[] = Object.values(instruments);
const byName = new Map(all.map((one) => [prometheusName(one), one]));
const dashboard = JSON.parse(readFileSync('deploy/grafana/renderline.json', 'utf8')) as {
  panels: { title: string; gridPos: { y: number }; targets?: { expr: string }[] }[];
  templating: { list: { query: string | { query: string } }[] };
};
interface Rule {
  alert: string;
  expr: string;
  annotations: { summary: string; description: string };
}
const rules = (
  parse(readFileSync('deploy/prometheus/rules.yml', 'utf8')) as { groups: { rules: Rule[] }[] }
).groups.flatMap((group) => group.rules);

/** Names of metrics in an expression, without the ends that a histogram gives its series. */
function metricsIn(text: string): string[] {
  return [...text.matchAll(/\b(?:renderline|temporal)_\w+/g)].map(([name]) =>
    name.replace(/_(bucket|sum|count)$/, ''),
  );
}

function isKnown(name: string): boolean {
  return byName.has(name) || sdkMetrics.some((one) => one.name === name);
}

describe('the registry', () => {
  it.each(all.map((one) => [prometheusName(one), one] as const))('%s', (name, one) => {
    expect(name).toMatch(/^renderline_[a-z_]+$/);
    expect(name.endsWith('_total')).toBe(one.kind === 'counter');
    expect(one.help).toMatch(/\.$/);
    expect(one.kind === 'histogram').toBe(one.buckets !== undefined);
    const buckets = [...(one.buckets ?? [])];
    expect(buckets).toEqual(buckets.toSorted((a, b) => a - b));
  });

  it('has each name once', () => {
    expect(byName.size).toBe(all.length);
  });
});

const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
);

describe('the dashboard', () => {
  it('has panels', () => {
    expect(panels.length).toBeGreaterThan(20);
  });

  it.each(panels)('%s names metrics that there are', (_title, expr) => {
    const named = metricsIn(expr);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !isKnown(name))).toEqual([]);
  });

  it('lets people choose pipelines by a metric that there is', () => {
    const queries = JSON.stringify(dashboard.templating);
    expect(metricsIn(queries).filter((name) => !isKnown(name))).toEqual([]);
  });

  it('shows every metric of ours but the version and a few sums', () => {
    const shown = new Set(panels.flatMap(([, expr]) => metricsIn(expr)));
    const hidden = [...byName.keys()].filter((name) => !shown.has(name));
    expect(hidden.toSorted()).toEqual([
      'renderline_allowance_pressure_ratio',
      'renderline_assets_found_total',
      'renderline_build_info',
      'renderline_look_items_total',
      'renderline_run_notices_total',
      'renderline_runs_started_total',
      'renderline_transfer_duration_seconds',
      'renderline_transfers_total',
    ]);
  });
});

describe('an alert', () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s names metrics that there are',
    (_alert, { expr, annotations }) => {
      const named = metricsIn(expr);
      expect(named.length).toBeGreaterThan(0);
      expect(named.filter((name) => !isKnown(name))).toEqual([]);
      expect(annotations.summary).not.toBe('');
      expect(annotations.description).not.toBe('');
    },
  );
});

describe('labels in expressions', () => {
  const expressions = [...panels, ...rules.map(({ alert, expr }) => [alert, expr] as const)];

  it.each(expressions)('%s asks for labels that the metric has', (_title, expr) => {
    for (const [, name = '', inside = ''] of expr.matchAll(
      /(renderline_\w+?)(?:_bucket)?\{([^}]*)\}/g,
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
  it('takes the rules', () => {
    expect(
      execFileSync('promtool', ['check', 'rules', 'deploy/prometheus/rules.yml']).toString(),
    ).toMatch(/SUCCESS: \d+ rules found/);
  });

  it('plays them as their test says', () => {
    const words = ['test', 'rules', 'deploy/prometheus/rules.test.yml'];
    expect(execFileSync('promtool', words).toString()).toContain('SUCCESS');
  });

  it('takes what the dashboard asks for', () => {
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
