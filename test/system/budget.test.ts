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
import { type SandboxStats, useProcesses } from './_stack.ts';
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
async function costOf(assets: number): Promise<Cost> {
  const folder = join(root, `models-${assets}`);
  await writeWorkload(folder, assets, 7);
  const file = fileURLToPath(new URL('../../bench/renderline/stills.yaml', import.meta.url));
  const place: Place = { root, folder, out: join(root, `pictures-${assets}`), file };
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

/** Per run, above the caps: looks take the time that the platform takes, whatever the number of assets. */
const budgets = [
  { assets: 50, requests: 65, events: 320 },
  { assets: 200, requests: 110, events: 480 },
];

describe.each(budgets)('$assets assets', ({ assets, requests, events }) => {
  let cost: Cost;
  beforeAll(async () => {
    cost = await costOf(assets);
  });

  it('all become pictures', () => {
    expect(cost.report).toMatchObject({ outcome: 'complete', assets: { complete: assets } });
    expect(cost.report.files).toHaveLength(assets);
  });

  it(`cost at most ${requests} requests, and not fewer than the platform's caps allow`, () => {
    expect(cost.requests).toBeLessThanOrEqual(requests);
    expect(cost.requests).toBeGreaterThanOrEqual(fewestRequests(assets) - Math.ceil(assets / 50));
    expect(cost.limited).toBe(0);
  });

  it('are submitted in full calls: 50 files a job, and few calls for projects and renders', () => {
    const { byOperation } = cost.report.requests;
    const fullCalls = Math.ceil(assets / 50);
    expect(byOperation).toMatchObject({ createJob: fullCalls, confirmJobUploads: fullCalls });
    // Readiness comes in waves, so some calls are not full.
    expect(byOperation['createProjects']).toBeLessThanOrEqual(fullCalls + 10);
    expect(byOperation['createRenders']).toBe(byOperation['createProjects']);
    expect(byOperation['getRenderJob'] ?? 0).toBe(0);
    expect(byOperation['getJob'] ?? 0).toBe(0);
  });

  it(`leave at most ${events} history events`, () => {
    expect(cost.events).toBeLessThanOrEqual(events);
  });

  it('are reported at what they cost', () => {
    expect(cost.report.requests.total).toBe(cost.requests);
    expect(cost.report.historyEvents).toBe(cost.events);
  });
});
