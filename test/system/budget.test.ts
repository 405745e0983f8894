// What a known run may cost in API requests and history events: a regression in cost is a red test.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fewestRequests } from '../../bench/ideal.ts';
import { timeRules, writeWorkload } from '../../bench/workload.ts';
import { allHistories } from './_histories.ts';
import { type Place, type RunReport, runToEnd, useProduct } from './_runs.ts';
import { type SandboxStats } from './_sandbox.ts';
import { startWorkerProcess, useProcesses } from './_stack.ts';
import { useDevServer } from './_temporal.ts';

const temporal = useDevServer();
useProcesses();
// The platform takes its own times here, as in the benchmark: how often one looks is a part of the cost.
const product = useProduct(temporal, ['--rate-limit', '0', '--picture-scale', '0', '--seed', '7']);

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'renderline-budget-'));
  await product.sandbox.set('faults', timeRules());
  const bookmarks = [{ id: 'hero', name: 'Hero' }];
  await product.sandbox.set('templates', { name: 'Bench Still', bookmarks });
});
afterAll(() => rm(root, { recursive: true, force: true }));

interface Cost {
  report: RunReport;
  /** Requests that the platform counted for it. */
  requests: number;
  limited: number;
  events: number;
}

/** Runs the benchmark's pipeline over so many models. */
async function costOf(assets: number, name = String(assets)): Promise<Cost> {
  const folder = join(root, `models-${name}`);
  writeWorkload(folder, assets, 7);
  const file = fileURLToPath(new URL('../../bench/renderline/stills.yaml', import.meta.url));
  const place: Place = { root, folder, out: join(root, `pictures-${name}`), file };
  const before = await product.sandbox.stats();
  const report = await runToEnd(place, product.env);
  const after = await product.sandbox.stats();
  const histories = await allHistories(product.env, report.run);
  return {
    report,
    // The command looks at the key once before it starts the run.
    requests: apiRequests(after) - apiRequests(before),
    limited: after.rateLimited - before.rateLimited,
    events: histories.reduce((sum, { events }) => sum + events.length, 0),
  };
}

function apiRequests({ totalRequests, requests }: SandboxStats): number {
  return totalRequests - (requests['getMe'] ?? 0);
}

/** Models, projects and renders are each looked for by a request. */
const requestsOfALook = 3;

/**
 * What a run of so many assets may cost. Assets become ready in waves, and looks are made while they do, so
 * both follow the time that the run takes: a slow machine stretches it, and must not turn a test red. One more
 * event or request for each asset does.
 */
const budgets = [50, 200].map((assets) => ({
  assets,
  requests: (seconds: number) => 10 + 5 * Math.ceil(assets / 50) + (6 + assets / 100) * seconds,
  events: (seconds: number) => 60 + assets + 20 * seconds,
}));

describe.each(budgets)('$assets assets', ({ assets, requests, events }) => {
  let cost: Cost;
  beforeAll(async () => {
    cost = await costOf(assets);
  });

  it('all become pictures', () => {
    expect(cost.report).toMatchObject({ outcome: 'complete', assets: { complete: assets } });
    expect(cost.report.files).toHaveLength(assets);
  });

  it('cost few requests a second whatever their number, and not fewer than the caps allow', () => {
    expect(cost.requests).toBeLessThanOrEqual(requests(cost.report.seconds));
    expect(cost.requests).toBeGreaterThanOrEqual(fewestRequests(assets) - Math.ceil(assets / 50));
    expect(cost.limited).toBe(0);
  });

  it('are submitted in full calls: 50 files a job, and few calls for projects and renders', () => {
    const { byOperation } = cost.report.requests;
    const fullCalls = Math.ceil(assets / 50);
    expect(byOperation).toMatchObject({ createJob: fullCalls, confirmJobUploads: fullCalls });
    // Readiness comes in waves, at most one a second, so some calls are not full.
    expect(byOperation['createProjects']).toBeLessThanOrEqual(fullCalls + cost.report.seconds);
    expect(byOperation['createRenders']).toBeLessThanOrEqual(fullCalls + cost.report.seconds);
    // One job of each batch tells how many outputs all of its jobs have.
    expect(byOperation['getRenderJob'] ?? 0).toBeLessThanOrEqual(byOperation['createRenders'] ?? 0);
    expect(byOperation['getJob'] ?? 0).toBe(0);
  });

  it('leave about an event an asset, and some for each wave', () => {
    expect(cost.events).toBeLessThanOrEqual(events(cost.report.seconds));
  });

  it('are reported at what they cost', () => {
    // A look that came back just as newcomers interrupted its wait is in no report.
    const untold = cost.requests - cost.report.requests.total;
    expect(untold).toBeGreaterThanOrEqual(0);
    expect(untold).toBeLessThanOrEqual(2 * requestsOfALook);
    expect(cost.report.historyEvents).toBe(cost.events);
  });
});

it('three workers ask hardly more than one, since one looks for all', async () => {
  const alone = await costOf(200, 'alone');
  await Promise.all([startWorkerProcess(product.env), startWorkerProcess(product.env)]);
  // At first each looks for itself; by the end of this it is decided who looks.
  await costOf(50, 'meanwhile');
  const together = await costOf(200, 'together');
  expect(together.report).toMatchObject({ outcome: 'complete', assets: { complete: 200 } });
  // Looks of three would be twice as many requests in all.
  expect(together.requests).toBeLessThanOrEqual(1.3 * alone.requests + 10);
});
