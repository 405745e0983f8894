// Generates the dashboard in Grafana's import format.

import { instruments, prometheusNameOf } from '../../src/telemetry/instruments.ts';
import { type Panel, type PanelRow, panelRows } from './grafana-panels.ts';

const datasource = { type: 'prometheus', uid: '${datasource}' };
const acrossGrid = 24;
const width = 6;
const height = 7;

/** Returns the text of `deploy/grafana/renderline.json`. */
export function formatDashboard(): string {
  return `${JSON.stringify(createDashboard(), null, 2)}\n`;
}

function createDashboard() {
  return {
    uid: 'renderline',
    title: 'Renderline',
    tags: ['renderline'],
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    schemaVersion: 39,
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    templating: { list: [datasourceVariable, createPipelineVariable()] },
    panels: layOut(panelRows),
  };
}

const datasourceVariable = {
  name: 'datasource',
  label: 'Data source',
  type: 'datasource',
  query: 'prometheus',
  current: {},
};

function createPipelineVariable() {
  const query = `label_values(${prometheusNameOf(instruments.runsStarted)}, pipeline)`;
  return {
    name: 'pipeline',
    label: 'Pipeline',
    type: 'query',
    datasource,
    query: { query, refId: 'pipelines' },
    refresh: 2,
    includeAll: true,
    multi: true,
    allValue: '.*',
    current: { text: 'All', value: '$__all' },
  };
}

/** Positions the panels, four per line. Each row of panels is placed below the previous one. */
function layOut(rows: readonly PanelRow[]): object[] {
  let y = 0;
  let id = 0;
  return rows.flatMap(({ title, panels }) => {
    id += 1;
    const gridPos = { h: 1, w: acrossGrid, x: 0, y };
    const head = { id, type: 'row', title, collapsed: false, panels: [], gridPos };
    y += 1;
    const rowPanels = panels.map((panel, index) => {
      id += 1;
      const x = (index * width) % acrossGrid;
      const rowOffset = Math.floor((index * width) / acrossGrid) * height;
      return toPanelJson(panel, id, { h: height, w: width, x, y: y + rowOffset });
    });
    y += Math.ceil((panels.length * width) / acrossGrid) * height;
    return [head, ...rowPanels];
  });
}

function toPanelJson({ title, description, unit, lines }: Panel, id: number, gridPos: object) {
  return {
    id,
    type: 'timeseries',
    title,
    description,
    datasource,
    gridPos,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: lines.map(({ expr, legend }, index) => ({
      refId: String.fromCodePoint(65 + index),
      datasource,
      expr,
      legendFormat: legend,
    })),
  };
}
