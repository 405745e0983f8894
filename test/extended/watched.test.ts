// What people can observe of a run: the metrics of its worker, its log lines, and the traces in a collector.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sdkMetrics } from '../../scripts/docs/metrics-page.ts';
import { instruments, prometheusNameOf } from '../../src/telemetry/instruments.ts';
import { spanIdOf, traceIdOf } from '../../src/telemetry/tracing.ts';
import { buildIdOf } from '../../src/temporal/deployments/worker-version.ts';
import { names, writeModels } from '../system/_models.ts';
import { createPipelineFolder, joined, reportOf, runArguments } from '../system/_runs.ts';
import { fastSandbox, type SandboxInUse, startSandbox } from '../system/_sandbox.ts';
import {
  type CommandResult,
  type Env,
  type RunningProcess,
  run,
  start,
  useProcesses,
  waitUntil,
} from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { type CollectedSpan, type Collector, startCollector } from './_otlp.ts';

const temporal = useTemporal();
useProcesses();

const models = 4;
const buildId = buildIdOf(readFileSync('dist/workflow-bundle.js', 'utf8'));
let collector: Collector;
let sandbox: SandboxInUse;
let worker: RunningProcess;
let metrics: string;
let runId: string;
let ended: CommandResult;
let lines: Record<string, unknown>[];

beforeAll(async () => {
  collector = await startCollector();
  sandbox = await startSandbox(fastSandbox);
  const env: Env = {
    ...joined(temporal.env, sandbox.env),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
  };
  worker = start(['worker', '--metrics-port', '0'], env);
  await worker.waitForOutput('Task queue');
  const url = /Metrics at (\S+)/.exec(await worker.waitForOutput('Metrics at'))?.[1] ?? '';
  const place = await createPipelineFolder('watched');
  await writeModels(place.folder, names('watched', models));
  await writeFile(join(place.folder, 'broken.glb'), 'no model');
  ended = await run([...runArguments(place), '--wait', '--json'], env);
  runId = reportOf(ended, 3).run;
  await waitUntil('the end of the run in the metrics', async () => {
    metrics = await (await fetch(url)).text();
    return /renderline_runs_total\{.*\} 1/.test(metrics);
  });
  const { stderr } = await worker.stop();
  lines = stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
});
afterAll(() => collector.stop());

/** Sum of the samples of a metric with these labels. */
function sampled(name: string, labels: Record<string, string> = {}): number {
  return metrics
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) =>
      Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)),
    )
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

describe('metrics', () => {
  test.each([
    ['renderline_runs_total', { pipeline: 'pictures', outcome: 'partial_failure' }, 1],
    ['renderline_runs_total', { pipeline: 'pictures', outcome: 'failed' }, 0],
    ['renderline_runs_started_total', { pipeline: 'pictures' }, 1],
    ['renderline_assets_found_total', { kind: 'new' }, models + 1],
    ['renderline_assets_total', { outcome: 'complete' }, models],
    ['renderline_assets_total', { outcome: 'failed' }, 1],
    ['renderline_step_assets_total', { node: 'take', outcome: 'failed' }, 1],
    ['renderline_step_assets_total', { step: 'deliver', outcome: 'done' }, models],
    ['renderline_transfers_total', { direction: 'upload', result: 'done' }, models],
    ['renderline_transfers_total', { direction: 'download', result: 'done' }, models],
    ['renderline_completion_delay_seconds_count', { poller: 'renders' }, models],
    ['renderline_asset_failures_total', { pipeline: 'pictures', code: 'NOT_A_GLB' }, 1],
    ['renderline_step_assets_total', { step: 'deliver', outcome: 'failed' }, 0],
    ['renderline_build_info', { process: 'worker', build_id: buildId }, 1],
    ['renderline_failing_workflows', {}, 0],
  ])('the metric %s %o has the value %d', (name, labels, value) => {
    expect(sampled(name, labels)).toBe(value);
  });

  test('metrics include every outcome of a step from the start, so that the first failure counts as an increase', () => {
    const first = metrics.match(/renderline_step_assets_total\{[^}]*step="deliver"[^}]*\} 0/g);
    expect(first).toHaveLength(3);
  });

  test('metrics count the requests of the worker', async () => {
    const { requests } = reportOf(ended, 3);
    const sent = sampled('renderline_api_requests_total');
    // In addition to the requests of the run, a worker asks to which workspace its key belongs.
    expect(sent).toBeGreaterThanOrEqual(requests.total);
    expect(sent).toBeLessThanOrEqual((await sandbox.stats()).totalRequests);
  });

  test('all metrics are in the registry, including the SDK metrics that the dashboard uses', () => {
    const shown = [...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? '');
    const known = Object.values(instruments).map(prometheusNameOf);
    expect(shown.filter((name) => name.startsWith('renderline_') && !known.includes(name))).toEqual(
      [],
    );
    const always = sdkMetrics.filter(({ isAlwaysThere }) => isAlwaysThere);
    expect(always.filter(({ name }) => !shown.includes(name))).toEqual([]);
  });

  test('metrics contain no names of runs or assets', () => {
    const ours = metrics.split('\n').filter((line) => line.startsWith('renderline_'));
    expect(ours.filter((line) => line.includes(runId) || line.includes('broken'))).toEqual([]);
  });
});

describe('the log', () => {
  test.each([
    ['run started', {}],
    ['assets discovered', { new: models + 1, shards: 1 }],
    ['shard started', { shard: 1, assets: models + 1 }],
    ['step', { node: 'take', done: models, failed: 1, codes: ['NOT_A_GLB'] }],
    ['step', { node: 'shots', step: 'shots.wait', done: models }],
    ['step', { node: 'deliver', done: models }],
    ['shard finished', { shard: 1, complete: models, failed: 1 }],
    [
      'run finished',
      { outcome: 'partial_failure', complete: models, failed: 1, total: models + 1 },
    ],
  ])('the log contains "%s" with %o', (msg, fields) => {
    const told = lines.filter((line) => line['msg'] === msg);
    expect(told).toContainEqual(expect.objectContaining({ run: runId, level: 30, ...fields }));
  });

  test('the log has only a few lines per run, from "run started" to "run finished"', () => {
    const own = lines.filter(({ run: of }) => of === runId).map(({ msg }) => msg);
    expect(own.length).toBeLessThan(30);
    expect(own[0]).toBe('run started');
    expect(own.at(-1)).toBe('run finished');
  });
});

describe('traces', () => {
  const spans = (name: string): CollectedSpan[] =>
    collector.spans.filter((span) => span.name === name);

  test('traces connect the command, the run, its shard, a step and a request', () => {
    const [command] = spans('command');
    const [ofRun] = spans('run');
    const [shard] = spans('shard');
    const [step] = spans('deliver');
    expect(command).toMatchObject({ parentId: '', spanId: spanIdOf(runId, 'start') });
    expect(ofRun).toMatchObject({ parentId: command?.spanId, spanId: spanIdOf(runId, 'run') });
    expect(shard).toMatchObject({ parentId: ofRun?.spanId });
    expect(step).toMatchObject({ parentId: shard?.spanId });
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(
      new Set([traceIdOf(runId)]),
    );
  });

  test('in a trace, the parent of every request is an activity attempt', () => {
    const requests = collector.spans.filter(
      ({ attributes }) => attributes['renderline.operation'] !== undefined,
    );
    const attempts = new Set(
      collector.spans
        .filter(({ attributes }) => attributes['renderline.activity'] !== undefined)
        .map(({ spanId }) => spanId),
    );
    expect(requests.length).toBeGreaterThan(5);
    expect(requests.filter(({ parentId }) => !attempts.has(parentId))).toEqual([]);
    const created = requests.find(({ name }) => name === 'createRenders');
    expect(created?.attributes).toEqual({
      'renderline.operation': 'createRenders',
      'renderline.attempt': 1,
      'renderline.allowance.wait_seconds': expect.any(Number),
      'http.response.status_code': 201,
    });
  });

  test('traces contain no error for a wait that has not ended yet', () => {
    expect(collector.spans.filter(({ status }) => status === 2)).toEqual([]);
  });
});

test.each([
  ['the API key', () => sandbox.env['RENDERLINE_API_KEY'] ?? '?'],
  ['a signed link', () => 'signature='],
  ['the name of an asset', () => 'watched-'],
  ['the name of a failed asset', () => 'broken'],
])('logs, metrics and traces do not contain %s', (_what, text) => {
  const all = [JSON.stringify(lines), metrics, collector.text()].join('\n');
  expect(all.includes(text())).toBe(false);
});
