// The alert rules and the dashboard of the chart are those of the repository, restricted to one release.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { alertsOf, createChartAlerts } from '../../scripts/docs/alert-rules.ts';
import { chart, hasHelm, type Rendered, render } from './_helm.ts';

const root = join(chart, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const of = (objects: readonly Rendered[], kind: string, name: string) =>
  objects.find((one) => one.kind === kind && one.metadata.name === name);

describe.skipIf(!hasHelm)('rules and dashboard', () => {
  const watched = ['metrics.enabled=true', 'metrics.serviceMonitor.enabled=true'];
  const ruleOf = (values: readonly string[]) =>
    of(
      render([...watched, 'metrics.rules.enabled=true', ...values]),
      'PrometheusRule',
      'trial-renderline',
    );
  type RuleGroups = {
    groups: { rules: { alert?: string; expr: string; annotations?: { runbook_url: string } }[] }[];
  };
  const rulesOf = (values: readonly string[] = []) =>
    (ruleOf(values) as unknown as { spec: RuleGroups }).spec.groups.flatMap(({ rules }) => rules);

  test('rules and dashboard are absent by default', () => {
    const kinds = render(watched).map(({ kind }) => kind);
    expect(kinds).not.toContain('PrometheusRule');
    expect(render(watched).some(({ metadata }) => metadata.name.endsWith('-dashboard'))).toBe(
      false,
    );
  });

  test('rules and dashboard are restricted to the series of this release', () => {
    const scope = 'namespace="default", service="trial-renderline-metrics"';
    for (const { expr } of rulesOf()) {
      const selectors = expr.match(/\b(?:renderline|temporal)[_:][\w:]+(?!\w)|\bup\b/g) ?? [];
      const scoped = expr.split(scope).length - 1;
      expect(scoped).toBe(selectors.length);
    }
  });

  test('the rules contain each alert of the plain rules, with the number of workers and the runbook URL', () => {
    const url = 'https://docs.example.com/runbook';
    const rules = rulesOf(['worker.replicas=3', `metrics.rules.runbookUrl=${url}`]);
    const alerts = rules.flatMap(({ alert }) => alert ?? []);
    expect(alerts).toEqual([...alertsOf(''), ...createChartAlerts('')].map(({ name }) => name));
    const missing = rules.find(({ alert }) => alert === 'RenderlineWorkersMissing');
    expect(missing?.expr).toMatch(/< 3\n?$/);
    expect(missing?.annotations?.runbook_url).toBe(`${url}#renderlineworkersmissing`);
    expect(JSON.stringify(rules)).not.toContain('@');
  });

  test('the rules use the labels that the ServiceMonitor sets', () => {
    expect(() => render(['metrics.enabled=true', 'metrics.rules.enabled=true'])).toThrow(
      /metrics.rules needs .*serviceMonitor/,
    );
  });

  test("the repository's dashboard is provided to Grafana’s sidecar", () => {
    const map = of(
      render([...watched, 'metrics.dashboard.enabled=true']),
      'ConfigMap',
      'trial-renderline-dashboard',
    );
    expect(map?.metadata).toMatchObject({ labels: { grafana_dashboard: '1' } });
    expect(JSON.parse(map?.data?.['renderline.json'] ?? '')).toEqual(
      JSON.parse(read('deploy/grafana/renderline.json')),
    );
  });
});
